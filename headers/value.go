package headers

import (
	"math/bits"
	"strconv"
	"strings"
	"time"
)

// longest bounds what is believed of a time to wait: a leap year. What is
// further away is taken for junk, and so is a moment before 2001-09-09, where
// Unix time had fewer digits: it is somebody's zero.
const longest = 366 * 24 * time.Hour

// earliest is that moment. The times that are read as numbers end with 2255,
// within what an int64 of nanoseconds holds.
const (
	earliest = 1_000_000_000
	latest   = 9_000_000_000
)

// A clock tells how far away a moment is.
type clock struct {
	pairs [][2]string
	now   time.Time
	read  bool // whether now is that of the date header, if there is one
}

// at is the moment at which the response was made, as its date header has it, so
// that a clock that is wrong is compared with itself. The header is parsed only
// where a moment is to be measured, which few providers require.
func (c *clock) at() time.Time {
	if !c.read {
		c.read = true
		for i := range c.pairs {
			if c.pairs[i][0] == "date" {
				if t, ok := date(c.pairs[i][1]); ok {
					c.now = t
					break
				}
			}
		}
	}
	return c.now
}

// wait reads how long until something is, in any of the forms that providers
// use: a number, which is in the unit given, or too large for that and then a
// Unix time (s, ms, µs, ns); a duration as Go writes it; an RFC 3339 time; an
// HTTP date. Fractions of a nanosecond are rounded up. What is past is 0. What is
// negative, junk or further away than longest is none.
func (c *clock) wait(s string, unit time.Duration) (time.Duration, bool) {
	s = trim(s)
	if s == "" || len(s) > 64 {
		return 0, false
	}
	if t, ok := date(s); ok {
		return c.until(t)
	}
	n, rest, ok := cutDecimal(s)
	if !ok {
		return 0, false
	}
	if rest == "" {
		if d, ok := n.times(unit); ok {
			return d, true
		}
		return c.untilUnix(n.whole)
	}
	if rest[0] == 'e' {
		return exponential(s, unit)
	}
	if rest[0] == '-' {
		t, err := time.Parse(time.RFC3339Nano, s)
		if err != nil {
			return 0, false
		}
		return c.until(t)
	}
	return duration(s)
}

func (c *clock) until(t time.Time) (time.Duration, bool) {
	if t.Unix() < earliest {
		return 0, false
	}
	d := max(0, t.Sub(c.at())) // saturated
	return d, d <= longest
}

// untilUnix measures a Unix time, whose size tells its unit.
func (c *clock) untilUnix(n uint64) (time.Duration, bool) {
	for _, perSecond := range [...]uint64{1, 1e3, 1e6, 1e9} {
		if n >= earliest*perSecond && n <= latest*perSecond {
			return c.until(time.Unix(0, int64(n*(1e9/perSecond))))
		}
	}
	return 0, false
}

// exponential reads a number of units as in "9.5e-05", which is how Python
// writes a small one.
func exponential(s string, unit time.Duration) (time.Duration, bool) {
	f, err := strconv.ParseFloat(s, 64)
	f *= float64(unit)
	if err != nil || !(f >= 0 && f <= float64(longest)) {
		return 0, false
	}
	d := time.Duration(f)
	if float64(d) < f {
		d++
	}
	return d, true
}

// duration reads one as Go writes it, as in "1m26.4s", and with days.
func duration(s string) (time.Duration, bool) {
	total := time.Duration(0)
	for s != "" {
		n, rest, ok := cutDecimal(s)
		if !ok {
			return 0, false
		}
		unit, length := unitOf(rest)
		d, ok := n.times(unit)
		if !ok || length == 0 {
			return 0, false
		}
		if total += d; total > longest {
			return 0, false
		}
		s = rest[length:]
	}
	return total, true
}

// unitOf is the unit that s begins with, and the length of its name.
func unitOf(s string) (time.Duration, int) {
	end := 0
	for end < len(s) && s[end] != '.' && !digit(s[end]) {
		end++
	}
	switch s[:end] {
	case "d":
		return 24 * time.Hour, end
	case "h":
		return time.Hour, end
	case "m":
		return time.Minute, end
	case "s":
		return time.Second, end
	case "ms":
		return time.Millisecond, end
	case "us", "µs", "μs": // micro sign, Greek letter
		return time.Microsecond, end
	case "ns":
		return time.Nanosecond, end
	}
	return 0, 0
}

// date reads an HTTP date in any of the three forms that a recipient must know:
// https://www.rfc-editor.org/rfc/rfc9110#name-date-time-formats.
func date(s string) (time.Time, bool) {
	if len(s) < len(time.ANSIC) || strings.IndexByte("MTWFS", s[0]) < 0 {
		return time.Time{}, false
	}
	layout := time.ANSIC
	switch comma := strings.IndexByte(s, ','); {
	case comma == 3:
		layout = "Mon, 02 Jan 2006 15:04:05 GMT"
	case comma > 3:
		layout = "Monday, 02-Jan-06 15:04:05 GMT"
	}
	t, err := time.Parse(layout, s)
	return t, err == nil
}

// decimal is a number at least 0, of which nanos are billionths, rounded up.
type decimal struct{ whole, nanos uint64 }

// cutDecimal cuts a decimal off the front of s, as in "17.25" or "3".
func cutDecimal(s string) (n decimal, rest string, ok bool) {
	i := 0
	for ; i < len(s) && digit(s[i]); i++ {
		high, low := bits.Mul64(n.whole, 10)
		whole, carry := bits.Add64(low, uint64(s[i]-'0'), 0)
		if high+carry > 0 {
			return n, s, false
		}
		n.whole = whole
	}
	if i == 0 {
		return n, s, false
	}
	if i+1 < len(s) && s[i] == '.' && digit(s[i+1]) {
		i++
		more := uint64(0)
		for place := uint64(1e8); i < len(s) && digit(s[i]); i++ {
			n.nanos += uint64(s[i]-'0') * place
			if place == 0 && s[i] != '0' {
				more = 1
			}
			place /= 10
		}
		n.nanos += more
	}
	return n, s[i:], true
}

// times is so many of a unit, rounded up, unless that is longer than longest.
func (n decimal) times(unit time.Duration) (time.Duration, bool) {
	if unit <= 0 || n.whole > uint64(longest/unit) {
		return 0, false
	}
	high, low := bits.Mul64(n.nanos, uint64(unit))
	part, left := bits.Div64(high, low, 1e9)
	if left > 0 {
		part++
	}
	d := time.Duration(n.whole)*unit + time.Duration(part)
	return d, d <= longest
}

func digit(c byte) bool { return c-'0' <= 9 }

// count reads a number at least 0; what it has of fractions is cut off. More than
// the integers of a structured field (15 digits) is none: some send the largest
// integer for a limit that is none.
func count(s string) (Amount, bool) {
	whole, _, ok := cutNumber(s)
	if !ok || len(whole) > 15 {
		return Amount{}, false
	}
	n := int64(0)
	for i := range len(whole) {
		n = n*10 + int64(whole[i]-'0')
	}
	return Amount{n, whole}, true
}

// money reads an amount of US$, up to a billion of them.
func money(s string) (Amount, bool) {
	whole, fraction, ok := cutNumber(s)
	if !ok || len(whole) > 9 {
		return Amount{}, false
	}
	fraction = strings.TrimRight(fraction[:min(9, len(fraction))], "0")
	text := whole
	if fraction != "" {
		text += "." + fraction
	}
	n, _, ok := cutDecimal(text)
	return Amount{int64(n.whole*1e9 + n.nanos), text}, ok
}

// cutNumber cuts a decimal in two, the whole part without leading zeros.
func cutNumber(s string) (whole, fraction string, ok bool) {
	s = trim(s)
	end := 0
	for end < len(s) && digit(s[end]) {
		end++
	}
	whole = s[:end]
	if end < len(s) {
		fraction = s[end+1:]
		ok = s[end] == '.' && digits(fraction)
	} else {
		ok = true
	}
	for len(whole) > 1 && whole[0] == '0' {
		whole = whole[1:]
	}
	return whole, fraction, ok && whole != ""
}

// trim cuts off the optional white space of HTTP.
func trim(s string) string {
	for s != "" && (s[0] == ' ' || s[0] == '\t') {
		s = s[1:]
	}
	for s != "" && (s[len(s)-1] == ' ' || s[len(s)-1] == '\t') {
		s = s[:len(s)-1]
	}
	return s
}

// digits says whether s is one digit at least, and nothing else.
func digits(s string) bool {
	for i := range len(s) {
		if !digit(s[i]) {
			return false
		}
	}
	return s != ""
}
