package limits_test

import (
	"testing"
	"time"

	"sluice/limits"
)

func TestSlidingWindowHasNoEdgeToBurstOver(t *testing.T) {
	w := newWorld(t, limits.Limit{Name: "l", Max: 10, Window: 32 * time.Second, Algorithm: limits.SlidingWindow})
	w.now = time.Unix(1_800_000_000, 0) // a slice begins here
	for range 5 {
		w.admit()
	}
	w.after(31500 * time.Millisecond)
	for range 5 {
		w.admit()
	}
	// The first five are free when the slice of a second that they came in is
	// wholly a window ago.
	w.throttle(1500 * time.Millisecond)
	if s := w.state("l"); !s.Reset.Equal(w.now.Add(32500 * time.Millisecond)) {
		t.Errorf("reset %v", s.Reset)
	}
	w.after(1500*time.Millisecond).used("l", 5)
	w.after(31*time.Second).used("l", 0)
}

func TestSlidingWindowWaitsOnlyForWhatIsNeeded(t *testing.T) {
	w := newWorld(t, limits.Limit{Name: "l", Dimension: limits.Tokens, Max: 100, Window: 32 * time.Second,
		Algorithm: limits.SlidingWindow, Accounting: limits.Total()})
	w.now = time.Unix(1_800_000_000, 0)
	for range 10 {
		w.tokens(10, 0).admit()
		w.after(2 * time.Second)
	}
	w.tokens(5, 0).throttle(13 * time.Second)
	w.tokens(11, 0).throttle(15 * time.Second)
	w.tokens(100, 0).throttle(31 * time.Second)
}

func TestSlidingRefundsFindWhatWasChargedInSeveralSlices(t *testing.T) {
	w := newWorld(t, limits.Limit{Name: "l", Dimension: limits.Tokens, Max: 1000, Window: time.Minute,
		Algorithm: limits.SlidingWindow, Accounting: limits.Total()})
	r := w.tokens(100, 0).admit()
	w.after(10*time.Second).charge(r, 150)
	w.used("l", 150)
	w.after(10*time.Second).charge(r, 300)
	w.used("l", 300)
	w.after(10*time.Second).settleTokens(r, 20, 0)
	w.used("l", 20)
}

func TestSlidingRefundIsLimitedToWhatStillCounts(t *testing.T) {
	w := newWorld(t, limits.Limit{Name: "l", Dimension: limits.Tokens, Max: 1000, Window: time.Minute,
		Algorithm: limits.SlidingWindow, Accounting: limits.Total()})
	r := w.tokens(100, 0).admit()
	w.after(30 * time.Second)
	w.tokens(50, 0).admit()
	w.after(35*time.Second).settleTokens(r, 0, 0)
	w.used("l", 50)
}
