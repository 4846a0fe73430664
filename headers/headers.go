// Package headers knows the rate limit headers that clients read: which limit
// to show of several, and how to write it.
package headers

import (
	"math"
	"strconv"
	"time"
)

// Prefix begins the name of every normalized rate limit header.
const Prefix = "x-ratelimit-"

// A Quota is what is told of one dimension.
type Quota struct {
	// Dimension is that of the configuration, as in "input_tokens".
	Dimension string
	// Limit is in the dimension's unit, above 0, and Remaining what is left.
	Limit, Remaining Amount
	// Reset is how long until all of it is free again, at least 0; Never: it
	// never is.
	Reset time.Duration
}

// An Amount is a number at least 0, and how it is written.
type Amount struct {
	Value int64
	Text  string
}

// Never is the reset of what is never free again.
const Never = time.Duration(math.MaxInt64)

// Binding says whether q tells the client more than other does: the one with
// less remaining binds first; of equals the one that takes longer.
func (q Quota) Binding(other Quota) bool {
	if q.Remaining.Value != other.Remaining.Value {
		return q.Remaining.Value < other.Remaining.Value
	}
	return q.Reset > other.Reset
}

// Render passes the headers of a quota to set: limit, remaining, and reset in
// whole seconds rounded up. The requests' are given without a suffix too, which
// is the form of Envoy's own rate limit filter. What is never free again, and
// what is in flight, have no reset.
func (q Quota) Render(set func(name, value string)) {
	reset := ""
	if q.Reset != Never && q.Dimension != "concurrency" {
		reset = strconv.FormatInt(Seconds(q.Reset), 10)
	}
	for i := range families {
		f := &families[i]
		if f.dimension != q.Dimension {
			continue
		}
		set(f.limit, q.Limit.Text)
		set(f.remaining, q.Remaining.Text)
		if reset != "" {
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
	newFamily("input_tokens", "-input-tokens"),
	newFamily("output_tokens", "-output-tokens"),
	newFamily("cost_usd", "-cost"),
	newFamily("concurrency", "-concurrency"),
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
// to retry by itself, which it is told only where retrying helps. Some SDKs retry at once on 0, so that d counts as at
// least a second; retry-after-ms is exact.
func RetryAfter(d time.Duration, retry bool, set func(name, value string)) {
	set("retry-after", strconv.FormatInt(max(1, Seconds(d)), 10))
	set("retry-after-ms", strconv.FormatInt(max(1, int64((d+time.Millisecond-1)/time.Millisecond)), 10))
	set("x-should-retry", strconv.FormatBool(retry && d <= maxClientWait))
}

// NoRetry passes the header that tells a client that waiting is of no use.
func NoRetry(set func(name, value string)) { set("x-should-retry", "false") }
