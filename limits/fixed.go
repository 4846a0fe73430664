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

func (f *fixed) used(c cell, _, now int64) (used, reset int64) {
	if c == nil || now >= c.word(fixedEnd) {
		return 0, 0
	}
	return max(0, c.word(fixedUsed)), c.word(fixedEnd)
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
	if end == 0 {
		if amount == 0 {
			return 0 // no window begins with nothing
		}
		end = f.end(now)
	}
	c.set(fixedEnd, end)
	c.set(fixedUsed, saturatingAdd(used, amount))
	return end
}

func (f *fixed) take(c cell, _, amount, window, _ int64) {
	if c.word(fixedEnd) == window {
		c.set(fixedUsed, max(0, c.word(fixedUsed)-amount))
	}
}

func (f *fixed) repair(c cell, now int64) bool {
	if end := f.end(now); end < never && c.word(fixedEnd) > end+clockSlack {
		c.set(fixedEnd, end)
		return true
	}
	return false
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
