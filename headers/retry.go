package headers

import (
	"strconv"
	"time"
)

// Seconds rounds a wait up to whole seconds: who waits that long has never
// waited too little. Negative ones are 0.
func Seconds(d time.Duration) int64 { return roundUp(d, time.Second) }

// Milliseconds rounds a wait up to whole milliseconds, likewise.
func Milliseconds(d time.Duration) int64 { return roundUp(d, time.Millisecond) }

func roundUp(d, unit time.Duration) int64 {
	if d <= 0 {
		return 0
	}
	return int64((d-1)/unit) + 1
}

// RetryAfter passes the headers that tell a client to wait for d, and whether to
// retry by itself, which it is told only where retrying helps, and for no longer
// wait than longest: SDKs that see a longer one give up or ignore it. Some SDKs
// retry at once on 0, so that d counts as at least a second; retry-after-ms is
// exact.
func RetryAfter(d time.Duration, retry bool, longest time.Duration, set func(name, value string)) {
	set("retry-after", strconv.FormatInt(max(1, Seconds(d)), 10))
	set("retry-after-ms", strconv.FormatInt(max(1, Milliseconds(d)), 10))
	set("x-should-retry", strconv.FormatBool(retry && d <= longest))
}

// NoRetry passes the header that tells a client that waiting is of no use.
func NoRetry(set func(name, value string)) { set("x-should-retry", "false") }
