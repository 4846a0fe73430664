package limits

import "strings"

// A Glob is a pattern in which each `*` stands for any number of characters,
// none included, and everything else for itself.
type Glob struct {
	parts []string // the literals between the stars
}

// NewGlob reads a pattern; every string is a valid one.
func NewGlob(pattern string) Glob {
	return Glob{parts: strings.Split(pattern, "*")}
}

// Match says whether all of s matches.
func (g Glob) Match(s string) bool {
	if len(g.parts) == 0 { // the zero Glob is the empty pattern
		return s == ""
	}
	first := g.parts[0]
	if len(g.parts) == 1 {
		return s == first
	}
	if !strings.HasPrefix(s, first) {
		return false
	}
	s = s[len(first):]
	last := g.parts[len(g.parts)-1]
	if !strings.HasSuffix(s, last) {
		return false
	}
	s = s[:len(s)-len(last)]
	for _, part := range g.parts[1 : len(g.parts)-1] {
		i := strings.Index(s, part)
		if i < 0 {
			return false
		}
		s = s[i+len(part):]
	}
	return true
}

// Literals counts the characters that are no star: of several globs that match,
// the one with the most is the most specific.
func (g Glob) Literals() int {
	n := 0
	for _, p := range g.parts {
		n += len(p)
	}
	return n
}

// String is the pattern.
func (g Glob) String() string { return strings.Join(g.parts, "*") }
