package headers

import (
	"strconv"
	"time"
)

// Prefix begins the name of every normalized rate limit header but those of the
// IETF draft.
const Prefix = "x-ratelimit-"

// A Format is how quotas are written.
type Format struct {
	Reset ResetFormat
	// IETF adds RateLimit and RateLimit-Policy.
	IETF bool
}

// A ResetFormat is how the time until a reset is written, always in whole
// seconds, rounded up.
type ResetFormat uint8

const (
	InSeconds  ResetFormat = iota // 360
	AsDuration                    // 6m0s
	AtUnix                        // 1764504372: when it is
)

// Render passes the headers of the quotas to set: limit, remaining and reset of
// each, as far as they are stated. The requests' are given without a suffix too,
// which is the form of Envoy's own rate limit filter. What is never free again,
// and what is in flight, have no reset. Quotas of other dimensions than the
// configuration's are left out; there must be one at most of each.
func (f Format) Render(quotas []Quota, now time.Time, set func(name, value string)) {
	for i := range quotas {
		q := &quotas[i]
		reset := ""
		if q.hasReset() {
			reset = f.Reset.text(q.Reset, now)
		}
		for j := range families {
			names := &families[j]
			if names.dimension != q.Dimension {
				continue
			}
			if q.Limit.Stated() {
				set(names.limit, q.Limit.Text)
			}
			if q.Remaining.Stated() {
				set(names.remaining, q.Remaining.Text)
			}
			if reset != "" {
				set(names.reset, reset)
			}
		}
	}
	if f.IETF {
		renderIETF(quotas, set)
	}
}

func (q *Quota) hasReset() bool {
	return q.Reset >= 0 && q.Reset != Never && q.Dimension != concurrency
}

// family is the names of the headers of a dimension.
type family struct{ dimension, limit, remaining, reset string }

// families are joined once: to do it anew for every response would cost more
// than all the rest of rendering.
var families = [...]family{
	newFamily(requests, "-requests"),
	newFamily(requests, ""),
	newFamily(tokens, "-tokens"),
	newFamily(inputTokens, "-input-tokens"),
	newFamily(outputTokens, "-output-tokens"),
	newFamily(cost, "-cost"),
	newFamily(concurrency, "-concurrency"),
}

func newFamily(dimension, suffix string) family {
	return family{dimension, Prefix + "limit" + suffix, Prefix + "remaining" + suffix, Prefix + "reset" + suffix}
}

func (f ResetFormat) text(d time.Duration, now time.Time) string {
	switch f {
	case AsDuration:
		return inWords(Seconds(d))
	case AtUnix:
		return strconv.FormatInt(unix(now, d), 10)
	}
	return strconv.FormatInt(Seconds(d), 10)
}

// inWords is a number of seconds as in "1h0m5s", as time.Duration has it, which
// is too small for the largest of them.
func inWords(seconds int64) string {
	b := make([]byte, 0, 24)
	if seconds >= 3600 {
		b = append(strconv.AppendInt(b, seconds/3600, 10), 'h')
	}
	if seconds >= 60 {
		b = append(strconv.AppendInt(b, seconds/60%60, 10), 'm')
	}
	return string(append(strconv.AppendInt(b, seconds%60, 10), 's'))
}

// unix is the first whole second at which d has passed.
func unix(now time.Time, d time.Duration) int64 {
	rest := int64(d%time.Second) + int64(now.Nanosecond())
	return now.Unix() + int64(d/time.Second) + Seconds(time.Duration(rest))
}
