package limits

// The cell of a fixed window: when it ends (ms), and what was used in it. It
// starts with the first charge.
const (
	fixedEnd = iota
	fixedUsed
	fixedWords
)

// use is what a cell says at a moment.
type use struct {
	used int64
	end  int64 // ms; 0: no window is open
}

// look reads a cell; a nil one is empty.
func (l *limit) look(c cell, now int64) use {
	if c == nil {
		return use{}
	}
	u := use{used: max(0, c.word(fixedUsed)), end: c.word(fixedEnd)}
	if now >= u.end {
		return use{}
	}
	return u
}

// repair mends a window that ends later than one window from now: the clock was
// set back. What was used stays used, but for no longer than that, or a subject
// would be locked out for as long as the clock jumped.
func (l *limit) repair(c cell, now int64) bool {
	if c == nil || c.word(fixedEnd) <= now+l.window {
		return false
	}
	c.set(fixedEnd, now+l.window)
	return true
}

// charge adds to the open window, or opens one, and returns its end.
func (l *limit) charge(c cell, amount, now int64) (window int64) {
	u := l.look(c, now)
	if u.end == 0 {
		if amount == 0 {
			return 0
		}
		u.end = now + l.window
	}
	c.set(fixedEnd, u.end)
	c.set(fixedUsed, saturatingAdd(u.used, amount))
	return u.end
}

// refund takes from the window that ends at window, if that is still the one
// in the cell.
func (l *limit) refund(c cell, amount, window int64) {
	if c.word(fixedEnd) == window {
		c.set(fixedUsed, max(0, c.word(fixedUsed)-amount))
	}
}

func saturatingAdd(a, b int64) int64 {
	if sum := a + b; sum >= a {
		return sum
	}
	return 1<<63 - 1
}
