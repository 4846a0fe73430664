package tokens

import "unicode/utf8"

// How text stands in the bytes that text.read gets.
const (
	plain  = iota // as it is, to the end
	quoted        // in a JSON string: escapes mean their characters, a quote ends it
	asJSON        // in a JSON string that is read as JSON itself: escapes stay as they are
)

// text feeds text to the automaton and counts. It may be fed in parts.
type text struct {
	f      *Features
	state  uint32
	letter uint32 // the code of the last letter or digit, 0 for another character
	last   rune   // the last character if another would be its repetition, else 0
	same   uint32 // how often that was repeated
	open   bool   // text was read since end
}

// read counts text from s[i:] on and returns where it ends: at the end of s
// for plain text, at the closing quote for a JSON string. It returns -1 - p for
// a JSON string with an error at p, with p = len(s) where its end is missing.
func (t *text) read(s []byte, i int, form int) int {
	t.open = true
	for {
		if t.same == 0 {
			i = t.run(s, i, form)
		}
		if i >= len(s) {
			if form == plain {
				return i
			}
			return -1 - len(s)
		}
		// A character that needs a closer look.
		b := s[i]
		switch c := byteCode[b]; {
		case c == codeHigh:
			r, size := utf8.DecodeRune(s[i:])
			t.char(r)
			i += size
			continue
		case form == plain:
		case c == codeQuote:
			return i
		case c == codeControl:
			return -1 - i
		case c == codeBackslash:
			r, size := unescapeOne(s, i)
			if size <= 0 {
				return -1 - i + size
			}
			if form == asJSON && r < utf8.RuneSelf && r != '/' {
				t.asEscape(s[i : i+size])
			} else {
				t.char(r)
			}
			i += size
			continue
		}
		t.char(rune(b))
		i++
	}
}

// run counts characters of s[i:] for as long as they are simple: ASCII, or a
// short escape where those mean their characters, and no repeated sign. It
// returns where it stopped.
//
// This is the cost of an estimate. Four characters at a time go without a
// branch, since in wasm each jump of a Go function costs as much as several
// characters.
func (t *text) run(s []byte, i int, form int) int {
	states, pairs := &t.f.states, &t.f.pairs
	state, letter, last := t.state<<6, t.letter, byte(0)
	if t.last < utf8.RuneSelf {
		last = byte(t.last)
	}
	start := i
	for {
		for len(s)-i >= 4 {
			q := s[i : i+4 : i+4]
			c0, c1, c2, c3 := byteWord[q[0]], byteWord[q[1]], byteWord[q[2]], byteWord[q[3]]
			n0 := uint32(nextState[(state|c0>>wordCode)&indexMask])
			n1 := uint32(nextState[(n0|c1>>wordCode)&indexMask])
			n2 := uint32(nextState[(n1|c2>>wordCode)&indexMask])
			n3 := uint32(nextState[(n2|c3>>wordCode)&indexMask])
			if (c0|c1|c2|c3)&wordSpecial|(n0|n1|n2|n3)&nextAgain != 0 {
				break
			}
			states[n0>>6&511]++
			states[n1>>6&511]++
			states[n2>>6&511]++
			states[n3>>6&511]++
			pairs[(letter<<5|c0&31)&1023]++
			pairs[(c0&(31<<5)|c1&31)&1023]++ // c0 has its letter<<5 too
			pairs[(c1&(31<<5)|c2&31)&1023]++
			pairs[(c2&(31<<5)|c3&31)&1023]++
			state, letter, last = n3, c3&31, q[3]
			i += 4
		}
		if i >= len(s) {
			break
		}
		b, size := s[i], 1
		c := byteCode[b]
		if c >= codeSpecial {
			if c != codeBackslash || form != quoted || i+1 >= len(s) {
				break
			}
			b, size = escapeByte[s[i+1]], 2
			if b == 0 {
				break
			}
			c = asciiCode[b&127]
		}
		if b == last && again[state>>6&511] {
			break
		}
		state = uint32(nextState[(state|uint32(c))&indexMask]) &^ nextAgain
		states[state>>6&511]++
		x := letterOf(uint32(c))
		pairs[(letter<<5|x)&1023]++
		letter, last = x, b
		i += size
	}
	if i == start {
		return i
	}
	t.state, t.letter, t.last = state>>6&511, letter, 0
	if again[t.state] {
		t.last = rune(last)
	}
	return i
}

const indexMask = 512*numCodes - 1

// letterOf returns the code of a letter or digit, and 0 for any other.
func letterOf(c uint32) uint32 {
	return c & uint32(int32(c-32)>>31)
}

// char counts any character.
func (t *text) char(r rune) {
	if r == t.last && again[t.state&511] {
		t.same++
		return
	}
	if t.same > 0 {
		t.repeated()
	}
	if r >= utf8.RuneSelf {
		t.f.wide = true
	}
	t.step(runeCode(r))
	t.last = 0
	if again[t.state&511] {
		t.last = r
	} else if r >= 0xC0 && r < 0x180 {
		t.f.letters[r-0xC0]++
	}
}

// step counts a character that is no repetition.
func (t *text) step(c code) {
	t.state = uint32(nextState[(t.state<<6|uint32(c))&indexMask]) >> 6 & 511
	t.f.states[t.state]++
	x := letterOf(uint32(c))
	t.f.pairs[(t.letter<<5|x)&1023]++
	t.letter = x
}

// asEscape counts an escape as it stands, or as its shortest form.
func (t *text) asEscape(s []byte) {
	for _, b := range s {
		t.char(rune(b))
	}
}

// repeated counts the repetitions of one sign that have ended. A few are as any
// other signs; of many, tokenizers take some at once, as many as people are wont
// to draw lines with.
func (t *text) repeated() {
	n := t.same
	t.same = 0
	if n < 3 {
		for ; n > 0; n-- {
			t.step(runeCode(t.last))
		}
		return
	}
	unit := signUnit(t.last)
	switch {
	case t.last == '\n' || t.last == '\r':
		t.f.repeat(n+longestLine, unit)
		t.f.repeats[unit]-- // the first of these has been counted
	case t.last <= ' ':
		// White space of every length up to the unit is a token, and the run's
		// beginning has been counted as one.
		t.f.repeats[unit] += n >> unit
	case t.state == statePunct || t.state == statePunct+longestPunct:
		t.f.repeat(n, unit) // the first sign has been counted as a token
	default:
		t.f.repeat(n+1, unit)
	}
}

// signUnit returns the unit for repeats of a sign.
func signUnit(r rune) uint32 {
	switch r {
	case ' ', '-', '=', '*', '#', '/', '.', '_':
		return 6
	case '+', '~', '%':
		return 5
	case '\n', '\r', '\t', '!', ':', ';', '\u2014', '\u2026', '\u2500':
		return 4
	case '?', '>', '<', '@', '^', '\u2550':
		return 3
	case '&', '`', '[', ']', '{', '}', '\u3002', '\uFF01':
		return 1
	}
	if r < utf8.RuneSelf {
		if code := asciiCode[r]; code <= codeCapital {
			return 3
		}
		return 2
	}
	if r < 0x2000 || r >= 0x3040 {
		return 0
	}
	return 1
}

// end closes the text.
func (t *text) end() {
	if t.same > 0 {
		t.repeated()
	}
	t.f.pairs[t.letter<<5&1023]++
	t.state, t.letter, t.last, t.open = stateStart, 0, 0, false
}
