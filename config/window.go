package config

import (
	"time"

	"github.com/tidwall/gjson"

	"sluice/limits"
)

// windows are the named ones. From the first request a month is 30 days, a year
// 365.
var windows = []struct {
	name   string
	length time.Duration
	period limits.Period
}{
	{"second", time.Second, limits.Second},
	{"minute", time.Minute, limits.Minute},
	{"hour", time.Hour, limits.Hour},
	{"day", 24 * time.Hour, limits.Day},
	{"week", 7 * 24 * time.Hour, limits.Week},
	{"month", 30 * 24 * time.Hour, limits.Month},
	{"year", 365 * 24 * time.Hour, limits.Year},
}

const durationForm = `must be a duration such as "90s", "1m" or "24h"`

// window reads how long a limit counts what was used.
func (r *reader) window(n node, l *limits.Limit) {
	if n.value.Str == "never" && n.value.Type == gjson.String {
		l.Never = true
		return
	}
	for _, w := range windows {
		if n.value.Type == gjson.String && n.value.Str == w.name {
			l.Window = w.length
			return
		}
	}
	l.Window, _ = r.duration(n, ", or one of second, minute, hour, day, week, month, year, never")
}

// periodOf is the calendar's period that a window names.
func periodOf(n node) limits.Period {
	for _, w := range windows {
		if n.value.Str == w.name {
			return w.period
		}
	}
	return limits.NoPeriod
}

// duration reads a duration of whole milliseconds; others names what else may
// stand there.
func (r *reader) duration(n node, others string) (time.Duration, bool) {
	if n.value.Type == gjson.Number {
		r.problem(n, `must have a unit, as in "60s"`)
		return 0, false
	}
	s, ok := r.text(n)
	if !ok {
		return 0, false
	}
	d, err := time.ParseDuration(s)
	switch {
	case err != nil:
		r.problem(n, durationForm+others+", is "+quote(s))
	case d < time.Millisecond || d%time.Millisecond != 0:
		r.problem(n, "must be whole milliseconds, at least one, is "+quote(s))
	default:
		return d, true
	}
	return 0, false
}
