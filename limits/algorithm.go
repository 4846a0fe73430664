package limits

import "math"

// algorithm is how a cell counts over time. For used and wait a nil cell is one
// in which nothing has been counted, and so is for all one of zeros. Times are
// in milliseconds since 1970.
type algorithm interface {
	// words is the size of the cell. Its first word is when it is idle.
	words() int
	// used says how much counts now, and when all of it is free again: 0 where
	// nothing counts, never where it stays.
	used(c cell, ceiling, now int64) (used, reset int64)
	// wait says how long until no more than most is in use, of which more is in
	// use now.
	wait(c cell, ceiling, most, now int64) int64
	// add counts amount, above 0, and says in which window.
	add(c cell, ceiling, amount, now int64) (window int64)
	// take gives back what was counted in a window, as far as that still
	// counts, and says how much that was.
	take(c cell, ceiling, amount, window, now int64) (taken int64)
	// repair mends a cell that was written by a clock ahead of this one, and
	// says if it had to: a subject must not be locked out for as long as a
	// clock jumped.
	repair(c cell, ceiling, now int64) bool
}

// never is a time that does not come.
const never = math.MaxInt64

// clockSlack is how far the times of two workers may differ, who look at one
// clock but do not write at once.
const clockSlack = 1000

func (l *Limit) algorithm() algorithm {
	switch ms := l.Window.Milliseconds(); {
	case l.Dimension == Concurrency:
		// A slot is held like something used in a sliding window that is as
		// long as its lease: it is given back, moved on when it is renewed, or
		// slides out.
		return newSliding(ms)
	case l.Algorithm == SlidingWindow:
		return newSliding(ms)
	case l.Algorithm == TokenBucket:
		return &tokenBucket{window: ms}
	case l.Never:
		return &fixed{never: true}
	default:
		return &fixed{length: ms, period: l.Calendar}
	}
}

// capacity is the most that a limit lets be in use at once.
func (l *Limit) capacity(ceiling int64) int64 {
	if l.Algorithm == TokenBucket && l.Burst > 0 {
		return l.Burst
	}
	return ceiling
}

// saturatingAdd is a+b, of which b is at least 0, and no more than an int64
// holds.
func saturatingAdd(a, b int64) int64 {
	if sum := a + b; sum >= a {
		return sum
	}
	return math.MaxInt64
}
