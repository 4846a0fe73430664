package limits

import "time"

// fixed counts in windows side by side: from a subject's first request on, by
// the calendar, or in one that never ends.
type fixed struct {
	length int64 // ms
	period Period
	never  bool
}

const (
	fixedEnd  = iota // when the window ends
	fixedUsed        // in it
	fixedWords
)

func (f *fixed) words() int { return fixedWords }

// used counts a window in which nothing is used as one that has not begun: who
// began it was refused elsewhere, or refunded.
func (f *fixed) used(c cell, _, now int64) (used, reset int64) {
	if c == nil || now >= c.word(fixedEnd) || c.word(fixedUsed) <= 0 {
		return 0, 0
	}
	return c.word(fixedUsed), c.word(fixedEnd)
}

func (f *fixed) wait(c cell, ceiling, _, now int64) int64 {
	_, end := f.used(c, ceiling, now)
	if end == never {
		return never
	}
	return end - now
}

func (f *fixed) add(c cell, ceiling, amount, now int64) (window int64) {
	used, end := f.used(c, ceiling, now)
	if used == 0 {
		end = f.end(now)
	}
	c.set(fixedEnd, end)
	c.set(fixedUsed, saturatingAdd(used, amount))
	return end
}

func (f *fixed) take(c cell, ceiling, amount, window, now int64) (taken int64) {
	used, end := f.used(c, ceiling, now)
	if end != window {
		return 0
	}
	taken = min(amount, used)
	c.set(fixedUsed, used-taken)
	if taken == used {
		c.set(fixedEnd, 0) // it says nothing any more, and must not hold its room
	}
	return taken
}

func (f *fixed) repair(c cell, _, now int64) bool {
	// A worker whose clock is a little ahead may be in the next window already.
	if f.never || c.word(fixedEnd) <= f.end(now+clockSlack) {
		return false
	}
	c.set(fixedEnd, f.end(now))
	return true
}

// end is when a window ends that begins now.
func (f *fixed) end(now int64) int64 {
	switch {
	case f.never:
		return never
	case f.period == NoPeriod:
		return now + f.length
	}
	t := time.UnixMilli(now).UTC()
	year, month, day := t.Date()
	switch f.period {
	case Second:
		t = t.Truncate(time.Second).Add(time.Second)
	case Minute:
		t = t.Truncate(time.Minute).Add(time.Minute)
	case Hour:
		t = t.Truncate(time.Hour).Add(time.Hour)
	case Day:
		t = time.Date(year, month, day+1, 0, 0, 0, 0, time.UTC)
	case Week:
		sinceMonday := (int(t.Weekday()) + 6) % 7
		t = time.Date(year, month, day+7-sinceMonday, 0, 0, 0, 0, time.UTC)
	case Month:
		t = time.Date(year, month+1, 1, 0, 0, 0, 0, time.UTC)
	case Year:
		t = time.Date(year+1, 1, 1, 0, 0, 0, 0, time.UTC)
	}
	return t.UnixMilli()
}
