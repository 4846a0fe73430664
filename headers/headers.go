// Package headers knows the rate limit headers that clients read: which limit
// to show of several, and how to write it.
package headers

import (
	"strconv"
	"time"
)

// Prefix begins the name of every normalized rate limit header.
const Prefix = "x-ratelimit-"

// A Quota is what is told of one dimension.
type Quota struct {
	// Dimension is the suffix of the headers' names, as in "tokens".
	Dimension string
	// Limit and Remaining are in the dimension's unit, at least 0.
	Limit, Remaining int64
	// Reset is how long until the window ends, at least 0.
	Reset time.Duration
}

// Binding says whether q tells the client more than other does: the one with
// less remaining binds first; of equals the one that takes longer.
func (q Quota) Binding(other Quota) bool {
	if q.Remaining != other.Remaining {
		return q.Remaining < other.Remaining
	}
	return q.Reset > other.Reset
}

// Render passes the headers of a quota to set: limit, remaining, and reset in
// whole seconds rounded up. The requests' are given without a suffix too, which
// is the form of Envoy's own rate limit filter.
func (q Quota) Render(set func(name, value string)) {
	limit, remaining := strconv.FormatInt(q.Limit, 10), strconv.FormatInt(q.Remaining, 10)
	reset := strconv.FormatInt(Seconds(q.Reset), 10)
	for i := range families {
		if f := &families[i]; f.dimension == q.Dimension {
			set(f.limit, limit)
			set(f.remaining, remaining)
			set(f.reset, reset)
		}
	}
}

// family is the names of the headers of a dimension.
type family struct{ dimension, limit, remaining, reset string }

// families are joined once: to do it anew for every response would cost more
// than all the rest of rendering.
var families = []family{
	newFamily("requests", "-requests"),
	newFamily("requests", ""),
	newFamily("tokens", "-tokens"),
}

func newFamily(dimension, suffix string) family {
	return family{dimension, Prefix + "limit" + suffix, Prefix + "remaining" + suffix, Prefix + "reset" + suffix}
}

// Seconds rounds a wait up to whole seconds: who waits that long has never
// waited too little. Negative ones are 0.
func Seconds(d time.Duration) int64 {
	if d <= 0 {
		return 0
	}
	return int64((d-1)/time.Second) + 1
}

// maxClientWait is the longest wait for which a client is told to retry by
// itself: SDKs that see a longer one give up or ignore it.
const maxClientWait = 60 * time.Second

// RetryAfter passes the headers that tell a client to wait for d, and whether
// to retry by itself. Some SDKs retry at once on 0, so that d counts as at
// least a second; retry-after-ms is exact.
func RetryAfter(d time.Duration, set func(name, value string)) {
	set("retry-after", strconv.FormatInt(max(1, Seconds(d)), 10))
	set("retry-after-ms", strconv.FormatInt(max(1, int64((d+time.Millisecond-1)/time.Millisecond)), 10))
	set("x-should-retry", strconv.FormatBool(d <= maxClientWait))
}

// NoRetry passes the header that tells a client that waiting is of no use.
func NoRetry(set func(name, value string)) { set("x-should-retry", "false") }
