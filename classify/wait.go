package classify

import (
	"strconv"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"sluice/headers"
)

// maxWait is longer than any window there is; a longer wait counts as none.
const maxWait = 366 * day

// waitPhrases stand directly before a wait in the texts of providers.
var waitPhrases = []string{
	"try again in ", "try again after ", "retry after ", "retry in ", "retry-after ", "retry again in ", "retry again after ",
	"reset after ", "resets after ", "resets in ", "reset in ", "available in ", "please wait ", "wait for ", "replenished in ",
}

// momentPhrases stand directly before the moment of a return.
var momentPhrases = []string{
	"resets at ", "reset at ", "resets on ", "reset on ", "regain access on ", "regain access at ", "try again at ", "try again after ", "retry after ", "available at ",
}

// readWait settles when to come back: by a header, else by the structure of the
// body, else by its text. The reset of an empty bucket is what a class decides
// about.
func (x *reading) readWait() {
	x.headers = headers.Read(x.response.Headers, x.provider, x.response.Now)
	switch {
	case x.headers.HasWait:
		x.wait, x.stated = x.headers.Wait, true
	case x.hinted:
		x.wait, x.stated = x.hint, true
	default:
		x.wait, x.stated = x.waitOfText()
	}
	if x.status != 429 {
		return
	}
	reset, dimension, ok := x.headers.EmptyReset()
	if !ok {
		return
	}
	x.emptied = dimension
	if !x.stated {
		x.wait, x.stated, x.byBucket = reset, true, true
	}
}

// now is the response's own date, else when it came.
func (x *reading) now() time.Time {
	if date := x.response.header("date"); date != "" {
		if t, err := time.Parse(time.RFC1123, date); err == nil {
			return t
		}
	}
	return x.response.Now
}

func (x *reading) waitOfText() (time.Duration, bool) {
	for _, p := range waitPhrases {
		for from := 0; ; {
			i := strings.Index(x.text[from:], p)
			if i < 0 {
				break
			}
			from += i + len(p)
			if d, ok := leadingDuration(x.text[from:]); ok {
				return d, true
			}
		}
	}
	for _, p := range momentPhrases {
		if i := strings.Index(x.text, p); i >= 0 {
			if t, ok := leadingMoment(x.text[i+len(p):]); ok {
				return x.until(t)
			}
		}
	}
	return 0, false
}

// until is the wait until a moment; one that has passed says nothing.
func (x *reading) until(t time.Time) (time.Duration, bool) {
	if d := t.Sub(x.now()); d > 0 && d <= maxWait {
		return d, true
	}
	return 0, false
}

// leadingMoment reads a date and time of day with a zone; without one nobody
// knows when it is.
func leadingMoment(text string) (time.Time, bool) {
	text = strings.ToUpper(clip(text, 40))
	for _, layout := range []string{time.RFC3339, "2006-01-02 15:04:05Z07:00", "2006-01-02 AT 15:04 UTC", "2006-01-02 AT 15:04:05 UTC", "2006-01-02 15:04 UTC", "2006-01-02 15:04:05 UTC"} {
		// What follows the moment is cut off at every place where it may end.
		for end := len(text); end >= len("2006-01-02 15:04Z"); end-- {
			if t, err := time.Parse(layout, text[:end]); err == nil {
				return t, true
			}
		}
	}
	return time.Time{}, false
}

var units = []struct {
	name string
	unit time.Duration
}{
	{"milliseconds", time.Millisecond}, {"millisecond", time.Millisecond}, {"ms", time.Millisecond},
	{"seconds", time.Second}, {"second", time.Second}, {"secs", time.Second}, {"sec", time.Second}, {"s", time.Second},
	{"minutes", time.Minute}, {"minute", time.Minute}, {"mins", time.Minute}, {"min", time.Minute}, {"m", time.Minute},
	{"hours", time.Hour}, {"hour", time.Hour}, {"hrs", time.Hour}, {"hr", time.Hour}, {"h", time.Hour},
	{"days", day}, {"day", day}, {"d", day},
}

// leadingDuration reads the duration that text begins with, in words or as
// "1m26.4s"; a lone number is seconds, and 1.02:03:04 days and a time.
func leadingDuration(text string) (time.Duration, bool) {
	text = strings.TrimLeft(clip(text, 80), "~:`\"' ")
	text = strings.TrimPrefix(text, "about ")
	text = strings.TrimPrefix(text, "approximately ")
	if d, ok := clockDuration(text); ok {
		return d, true
	}
	var total float64
	read := false
	for {
		n, used := leadingNumber(text)
		if used == 0 {
			break
		}
		if len(text) > used && (text[used] == '-' || text[used] == ':') && !read {
			return 0, false // a date
		}
		text = strings.TrimLeft(text[used:], " ")
		unit := time.Duration(0)
		for _, u := range units {
			if rest, ok := strings.CutPrefix(text, u.name); ok && (rest == "" || !letter(rest[0])) {
				unit, text = u.unit, rest
				break
			}
		}
		if unit == 0 {
			if !read {
				total, read = n*float64(time.Second), true
			}
			break
		}
		total, read = total+n*float64(unit), true
		text = strings.TrimLeft(text, ", ")
		text = strings.TrimPrefix(text, "and ")
	}
	if !read || total < 0 || total > float64(maxWait) {
		return 0, false
	}
	return time.Duration(total), true
}

// clockDuration reads [days.]hours:minutes:seconds, as Azure writes a TimeSpan.
func clockDuration(text string) (time.Duration, bool) {
	end := 0
	for end < len(text) && (digit(text[end]) || text[end] == ':' || text[end] == '.') {
		end++
	}
	text = strings.TrimRight(text[:end], ".:")
	clock := strings.Split(text, ":")
	if len(clock) != 3 {
		return 0, false
	}
	d := 0
	if days, hours, ok := strings.Cut(clock[0], "."); ok {
		n, err := strconv.Atoi(days)
		if err != nil || n > 366 {
			return 0, false
		}
		d, clock[0] = n, hours
	}
	h, err1 := strconv.Atoi(clock[0])
	m, err2 := strconv.Atoi(clock[1])
	s, err3 := strconv.ParseFloat(clock[2], 64)
	if err1 != nil || err2 != nil || err3 != nil || h > 23 || m > 59 || s >= 60 {
		return 0, false
	}
	return time.Duration(d)*day + time.Duration(h)*time.Hour + time.Duration(m)*time.Minute + time.Duration(s*float64(time.Second)), true
}

// readWaitMember reads a member of a body that says how long to wait.
func (x *reading) readWaitMember(name string, v gjson.Result) {
	switch name {
	case "retrydelay", "quotaresetdelay": // google.rpc.RetryInfo, and an ErrorInfo's
		if v.IsObject() {
			x.hintAt(time.Duration(v.Get("seconds").Float()*float64(time.Second)) + time.Duration(v.Get("nanos").Float()))
		} else if d, ok := leadingDuration(strings.ToLower(v.String())); ok {
			x.hintAt(d)
		}
	case "retry_after", "retryafter", "retry_after_seconds", "retryafterseconds", "resets_in_seconds", "estimated_time":
		if d, ok := leadingDuration(v.String()); ok {
			x.hintAt(d)
		}
	case "retry_after_ms", "retryafterms":
		if d, ok := leadingDuration(v.String() + "ms"); ok {
			x.hintAt(d)
		}
	}
}

// hintAt keeps the longest of the waits that a body states: all of them must
// have passed.
func (x *reading) hintAt(d time.Duration) {
	if d >= 0 && d <= maxWait && (!x.hinted || d > x.hint) {
		x.hint, x.hinted = d, true
	}
}
