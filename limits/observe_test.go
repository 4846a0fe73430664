package limits_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"sluice/limits"
)

// What observes, a shadow limit or a whole engine, tells of every request what
// the same limits would do that enforce.
func TestObservingTellsWhatEnforcingWouldDo(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := limits.Limit{Name: "l", Window: time.Second, Max: rapid.Int64Range(1, 20).Draw(t, "max"), Dimension: limits.Tokens,
			Accounting: limits.Total(), Algorithm: rapid.SampledFrom([]limits.Algorithm{limits.FixedWindow, limits.SlidingWindow, limits.TokenBucket}).Draw(t, "algorithm")}
		shadow := l
		shadow.Shadow = true
		enforces, shadows, observes := newWorld(t, l), newWorld(t, shadow), newWorldWith(t, limits.Options{Observe: true}, l)
		for range rapid.IntRange(1, 40).Draw(t, "requests") {
			pause := time.Duration(rapid.IntRange(0, 300).Draw(t, "pause")) * time.Millisecond
			input, used := rapid.Int64Range(0, 25).Draw(t, "asked"), rapid.Int64Range(0, 10).Draw(t, "used")
			var outcomes [3]limits.Outcome
			for i, w := range []*world{enforces, shadows, observes} {
				d, r := w.after(pause).tokens(input, 0).reserve()
				if outcomes[i] = d.Outcome; !d.Refused() {
					w.settle(r, limits.Actual{Usage: limits.Usage{Input: used}})
				}
			}
			if outcomes[1] != outcomes[0] || outcomes[2] != outcomes[0] {
				t.Fatalf("enforced, shadow, observed: %v", outcomes)
			}
		}
	})
}
