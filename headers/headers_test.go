package headers

import (
	"strings"
	"testing"
	"time"
)

// collect gathers what is set, as "name: value" lines.
func collect(f func(set func(name, value string))) string {
	var lines []string
	f(func(name, value string) { lines = append(lines, name+": "+value) })
	return strings.Join(lines, "\n")
}

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
	for name, c := range map[string]struct {
		wait  time.Duration
		retry bool
		want  string
	}{
		"exact beside whole seconds":       {1500 * time.Millisecond, true, "retry-after: 2\nretry-after-ms: 1500\nx-should-retry: true"},
		"at least a second":                {250 * time.Millisecond, true, "retry-after: 1\nretry-after-ms: 250\nx-should-retry: true"},
		"at least something":               {0, true, "retry-after: 1\nretry-after-ms: 1\nx-should-retry: true"},
		"as long as a client waits":        {time.Minute, true, "retry-after: 60\nretry-after-ms: 60000\nx-should-retry: true"},
		"longer than that":                 {time.Minute + time.Millisecond, true, "retry-after: 61\nretry-after-ms: 60001\nx-should-retry: false"},
		"where a retry is of no use":       {time.Second, false, "retry-after: 1\nretry-after-ms: 1000\nx-should-retry: false"},
		"parts of a millisecond count too": {time.Millisecond + 1, true, "retry-after: 1\nretry-after-ms: 2\nx-should-retry: true"},
	} {
		if got := collect(func(set func(name, value string)) { RetryAfter(c.wait, c.retry, set) }); got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", name, got, c.want)
		}
	}
	if got := collect(NoRetry); got != "x-should-retry: false" {
		t.Error(got)
	}
}

func TestRender(t *testing.T) {
	q := Quota{Limit: Amount{5, "5"}, Remaining: Amount{4, "4"}, Reset: 1500 * time.Millisecond}
	for dimension, want := range map[string]string{
		"tokens":        "x-ratelimit-limit-tokens: 5\nx-ratelimit-remaining-tokens: 4\nx-ratelimit-reset-tokens: 2",
		"input_tokens":  "x-ratelimit-limit-input-tokens: 5\nx-ratelimit-remaining-input-tokens: 4\nx-ratelimit-reset-input-tokens: 2",
		"output_tokens": "x-ratelimit-limit-output-tokens: 5\nx-ratelimit-remaining-output-tokens: 4\nx-ratelimit-reset-output-tokens: 2",
		"cost_usd":      "x-ratelimit-limit-cost: 5\nx-ratelimit-remaining-cost: 4\nx-ratelimit-reset-cost: 2",
		"concurrency":   "x-ratelimit-limit-concurrency: 5\nx-ratelimit-remaining-concurrency: 4",
		"requests": "x-ratelimit-limit-requests: 5\nx-ratelimit-remaining-requests: 4\nx-ratelimit-reset-requests: 2\n" +
			"x-ratelimit-limit: 5\nx-ratelimit-remaining: 4\nx-ratelimit-reset: 2",
	} {
		q.Dimension = dimension
		if got := collect(q.Render); got != want {
			t.Errorf("%s:\n%s\nwant\n%s", dimension, got, want)
		}
	}
	q.Dimension, q.Reset = "tokens", Never
	if got := collect(q.Render); strings.Contains(got, "reset") {
		t.Errorf("a reset of what is never free again:\n%s", got)
	}
}

func TestBinding(t *testing.T) {
	less, more := Quota{Remaining: Amount{Value: 1}}, Quota{Remaining: Amount{Value: 2}, Reset: time.Hour}
	longer := Quota{Remaining: Amount{Value: 1}, Reset: time.Minute}
	for name, c := range map[string]struct {
		a, b Quota
		want bool
	}{
		"less remaining": {less, more, true}, "more remaining": {more, less, false},
		"as much, for longer": {longer, less, true}, "as much, for less long": {less, longer, false}, "the same": {less, less, false},
	} {
		if got := c.a.Binding(c.b); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}
