package tokens

import (
	"bytes"
	"math"
	"strconv"
)

// members goes over the members of a JSON object or the elements of an array
// without a look into their values. It allocates nothing and does not recurse,
// however deep a value nests. It finds what stands in JSON; what is none it may
// take for some.
type members struct {
	s     []byte
	i     int  // where the next one begins
	close byte // the bracket that ends it all; 0 where that was never opened
	whole bool // it was closed, and nothing but space follows

	key   []byte // without its quotes, its escapes as they stand; nil in an array
	value []byte // as it stands
	at    int    // where value begins in s
}

// membersOf is at the beginning of the object or array that s holds.
func membersOf(s []byte) members {
	m := members{s: s, i: skipSpace(s, 0)}
	if m.i < len(s) && (s[m.i] == '{' || s[m.i] == '[') {
		m.close = s[m.i] + 2
		m.i = skipSpace(s, m.i+1)
		if m.i < len(s) && s[m.i] == m.close {
			m.end()
		}
	}
	return m
}

func (m *members) end() {
	m.whole = skipSpace(m.s, m.i+1) == len(m.s)
	m.close = 0
}

// next goes to the next member; false: there is none, or an error.
func (m *members) next() bool {
	s, i := m.s, m.i
	if m.close == 0 {
		return false
	}
	if m.close == '}' {
		end := stringEnd(s, i)
		if end < 0 {
			return false
		}
		m.key = s[i+1 : end-1]
		if i = skipSpace(s, end); i >= len(s) || s[i] != ':' {
			return false
		}
		i = skipSpace(s, i+1)
	}
	end := valueEnd(s, i)
	if end < 0 {
		return false
	}
	m.at, m.value = i, s[i:end]
	m.i = skipSpace(s, end)
	switch {
	case m.i >= len(s):
		m.close = 0 // broken off behind this one
	case s[m.i] == ',':
		m.i = skipSpace(s, m.i+1)
	case s[m.i] == m.close:
		m.end()
	default:
		m.close = 0
	}
	return true
}

// valueEnd returns where the JSON value that begins at s[i] ends, or -1.
func valueEnd(s []byte, i int) int {
	if i >= len(s) {
		return -1
	}
	switch s[i] {
	case '"':
		return stringEnd(s, i)
	case '{', '[':
		for depth := 0; i < len(s); i++ {
			switch s[i] {
			case '"':
				if i = stringEnd(s, i) - 1; i < 0 {
					return -1
				}
			case '{', '[':
				depth++
			case '}', ']':
				if depth--; depth == 0 {
					return i + 1
				}
			}
		}
		return -1
	}
	start := i
	for i < len(s) && s[i] > ' ' && s[i] != ',' && s[i] != '}' && s[i] != ']' && s[i] != '"' && s[i] != ':' {
		i++
	}
	if i == start {
		return -1
	}
	return i
}

// stringEnd returns where the JSON string at s[i:] ends, its closing quote
// included, or -1.
func stringEnd(s []byte, i int) int {
	if i >= len(s) || s[i] != '"' {
		return -1
	}
	for i++; ; i++ {
		n := bytes.IndexByte(s[i:], '"')
		if n < 0 {
			return -1
		}
		start := i
		i += n
		k := i
		for k > start && s[k-1] == '\\' {
			k--
		}
		if (i-k)%2 == 0 {
			return i + 1
		}
	}
}

// lastMember returns the value of an object's last member of that name (with
// its quotes), if that is easily found: it is where usage stands in the answers
// of most providers, and an answer may be long. Of the object only the end need
// be there. A name in quotes stands in no JSON string, where quotes are escaped.
func lastMember(object []byte, name string) []byte {
	i := bytes.LastIndex(object, []byte(name))
	if i < 0 {
		return nil
	}
	rest := object[i+len(name):]
	if i = skipSpace(rest, 0); i >= len(rest) || rest[i] != ':' {
		return nil
	}
	rest = rest[skipSpace(rest, i+1):]
	end := valueEnd(rest, 0)
	if end < 0 {
		return nil
	}
	// Behind the value the object itself must end, and nothing around it.
	value, depth := rest[:end], 0
	for i := end; i < len(rest); i++ {
		switch rest[i] {
		case '"':
			if i = stringEnd(rest, i) - 1; i < 0 {
				return nil
			}
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth < 0 {
				if skipSpace(rest, i+1) == len(rest) {
					return value
				}
				return nil
			}
		}
	}
	return nil
}

// text returns what stands between the quotes of a JSON string that has no
// escapes, and nothing for another value.
func textOf(value []byte) []byte {
	if len(value) < 2 || value[0] != '"' || bytes.IndexByte(value, '\\') >= 0 {
		return nil
	}
	return value[1 : len(value)-1]
}

// saysNothing is true of null, false, and what is empty.
func saysNothing(value []byte) bool {
	switch string(value) {
	case "null", "false", `""`, "{}", "[]", "0":
		return true
	}
	return len(value) == 0
}

// maxReported is more than any model takes or gives in one answer.
const maxReported = 100_000_000

// countOf reads a count. A value that is no number is none; a number that is
// negative, not whole or beyond all models is absurd.
func countOf(value []byte) (n int64, is, absurd bool) {
	if len(value) == 0 || value[0] != '-' && (value[0] < '0' || value[0] > '9') {
		return 0, false, false
	}
	if len(value) <= 8 && skipDigits(value, 0) == len(value) {
		for _, digit := range value {
			n = n*10 + int64(digit-'0')
		}
		return n, true, false
	}
	if skipNumber(value, 0) != len(value) {
		return 0, false, false
	}
	f, err := strconv.ParseFloat(string(value), 64)
	if err != nil || f < 0 || f > maxReported || f != math.Trunc(f) {
		return 0, true, true
	}
	return int64(f), true, false
}
