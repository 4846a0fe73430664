package headers

import (
	"testing"
	"time"
)

func TestSecondsNeverWaitTooLittle(t *testing.T) {
	for d, want := range map[time.Duration]int64{
		-time.Second: 0, 0: 0, 1: 1, time.Millisecond: 1, time.Second - 1: 1, time.Second: 1,
		time.Second + 1: 2, 59*time.Second + 999*time.Millisecond: 60, Never - 1: 9223372037,
	} {
		if got := Seconds(d); got != want {
			t.Errorf("%v: %d, want %d", d, got, want)
		}
	}
}

func TestRetryAfter(t *testing.T) {
	const minute = time.Minute
	for name, c := range map[string]struct {
		wait    time.Duration
		retry   bool
		longest time.Duration
		want    string
	}{
		"exact beside whole seconds":       {1500 * time.Millisecond, true, minute, "retry-after: 2\nretry-after-ms: 1500\nx-should-retry: true"},
		"at least a second":                {250 * time.Millisecond, true, minute, "retry-after: 1\nretry-after-ms: 250\nx-should-retry: true"},
		"at least something":               {0, true, minute, "retry-after: 1\nretry-after-ms: 1\nx-should-retry: true"},
		"as long as a client waits":        {minute, true, minute, "retry-after: 60\nretry-after-ms: 60000\nx-should-retry: true"},
		"longer than that":                 {minute + time.Millisecond, true, minute, "retry-after: 61\nretry-after-ms: 60001\nx-should-retry: false"},
		"a patient client":                 {2 * minute, true, 2 * minute, "retry-after: 120\nretry-after-ms: 120000\nx-should-retry: true"},
		"where a retry is of no use":       {time.Second, false, minute, "retry-after: 1\nretry-after-ms: 1000\nx-should-retry: false"},
		"parts of a millisecond count too": {time.Millisecond + 1, true, minute, "retry-after: 1\nretry-after-ms: 2\nx-should-retry: true"},
		"the longest there is":             {Never, true, minute, "retry-after: 9223372037\nretry-after-ms: 9223372036855\nx-should-retry: false"},
	} {
		if got := collect(func(set func(name, value string)) { RetryAfter(c.wait, c.retry, c.longest, set) }); got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", name, got, c.want)
		}
	}
	if got := collect(NoRetry); got != "x-should-retry: false" {
		t.Error(got)
	}
}
