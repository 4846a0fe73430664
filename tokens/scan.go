package tokens

import "bytes"

// scanner walks a JSON text once. It checks the grammar on the way, and what
// stands at a place of interest goes to the text counter or into the request.
type scanner struct {
	s      []byte
	r      *Request
	t      text
	long   *sampler // takes the text of a long body; nil: it is read at once
	limits maxima

	stack [MaxDepth]frame
	depth int
	key   [48]byte // the last key that had escapes; longer than any of interest

	model   [2]int // where the model's name begins and ends
	named   bool   // there is one
	escaped bool   // it has escapes

	json   int  // where the outermost object or array that is read as JSON begins
	inJSON bool // there is one open
	spaced bool // there is white space in it

	messages   bool // there are messages
	textSource bool // the source that is open holds text

	medium   medium // the last one, of which there may be more to see
	document bool   // the part that it is in is a document
	low      bool   // and wants low detail
}

// frame is an object or array that is open.
type frame struct {
	place  place
	object bool
}

// ReadRequest is as the function of that name, but adds what it counts to f and
// leaves Input at 0, so that [Features.Tokens] can weigh it as one likes.
func (f *Features) ReadRequest(body []byte) Request { return f.readRequest(body, nil) }

// readRequest is ReadRequest, but leaves the choice of what to count to a sampler
// if there is one.
func (f *Features) readRequest(body []byte, long *sampler) Request {
	status := sniff(body)
	if status != Readable {
		f.unread(body, status)
		return Request{Operation: Other, Status: status}
	}
	r := Request{Operation: Other, Status: Readable}
	sc := scanner{s: body, r: &r, t: text{f: f}, long: long}
	rest := sc.walk()
	sc.endMedium()
	if sc.inJSON {
		sc.endJSON(rest)
	}
	if sc.t.open {
		sc.t.end()
	}
	switch {
	case long != nil:
		if rest < len(body) {
			long.add(rest, len(body), plain)
		}
		long.weigh(body, f)
	case rest < len(body):
		f.Add(body[rest:])
	}
	r.MaxOutput, r.Choices = sc.limits.total(), sc.limits.choices
	if sc.named {
		r.Model = body[sc.model[0]:sc.model[1]]
		if sc.escaped {
			r.Model = unescape(make([]byte, 0, len(r.Model)), r.Model)
		}
	}
	return r
}

// walk reads the body, sets the request's status, and returns where it stopped.
func (sc *scanner) walk() int {
	s := sc.s
	i := 0
	if startsWith(s, 0, "\xEF\xBB\xBF") {
		i = 3 // the byte order mark of UTF-8
	}
	p := placeRoot
	for {
		// A value of place p is to begin here.
		i = sc.skipSpace(i)
		if i >= len(s) {
			return sc.stop(i)
		}
		switch b := s[i]; b {
		case '{', '[':
			if sc.depth == MaxDepth {
				sc.r.Status = TooDeep
				return i
			}
			p = sc.open(p, b == '{')
			if p == placeJSON && !sc.inJSON {
				sc.json, sc.inJSON, sc.spaced = i, true, false
			}
			sc.sign(p, b)
			sc.stack[sc.depth] = frame{p, b == '{'}
			sc.depth++
			i = sc.skipSpace(i + 1)
			if i >= len(s) {
				return sc.stop(i)
			}
			if s[i] == b+2 { // the closing bracket
				break
			}
			if b == '{' {
				if i, p = sc.readKey(i, p); i < 0 {
					return sc.stop(-1 - i)
				}
			}
			continue
		case '"':
			i = sc.readString(i, p)
		case 't', 'f', 'n':
			i = sc.readLiteral(i, p)
		default:
			i = sc.readNumber(i, p)
		}
		if i < 0 {
			return sc.stop(-1 - i)
		}

		// A value has ended here; so may the objects and arrays around it.
		for {
			i = sc.skipSpace(i)
			if sc.depth == 0 {
				if i < len(s) {
					return sc.stop(i)
				}
				return i
			}
			if i >= len(s) {
				return sc.stop(i)
			}
			top := sc.stack[sc.depth-1]
			p = top.place
			b := s[i]
			sc.sign(p, b)
			if b == ',' {
				i++
				if top.object {
					if i, p = sc.readKey(sc.skipSpace(i), p); i < 0 {
						return sc.stop(-1 - i)
					}
				}
				break
			}
			if top.object && b != '}' || !top.object && b != ']' {
				return sc.stop(i)
			}
			i++
			sc.depth--
			if p == placeJSON && sc.stack[max(sc.depth, 1)-1].place != placeJSON {
				sc.endJSON(i)
			}
		}
	}
}

// stop ends the walk for an error at i, the end of the body if that is what is
// wrong, and returns i.
func (sc *scanner) stop(i int) int {
	sc.r.Status = NotJSON
	if i >= len(sc.s) {
		sc.r.Status = Truncated
	}
	return i
}

// skipSpace skips the white space at i.
func (sc *scanner) skipSpace(i int) int {
	end := skipSpace(sc.s, i)
	if end > i {
		sc.spaced = true
	}
	return end
}

// endJSON ends at i what is read as JSON. Of a long body it has not been counted
// yet: what has no white space that the model does not see can be sampled.
func (sc *scanner) endJSON(i int) {
	sc.inJSON = false
	switch {
	case sc.long == nil:
	case !sc.spaced:
		sc.long.add(sc.json, i, asJSON)
		return
	default:
		sc.minified(sc.json, i)
	}
	sc.t.end()
}

// minified counts the JSON from i to end without the white space outside of its
// strings.
func (sc *scanner) minified(i, end int) {
	s := sc.s[:end]
	for i = skipSpace(s, i); i < end; i = skipSpace(s, i) {
		sc.t.char(rune(s[i]))
		i++
		if s[i-1] != '"' {
			continue
		}
		last := stopAt(skipLong(s, i))
		sc.t.readAll(s[:last], i, asJSON)
		if i = last; i < end { // the closing quote
			sc.t.char(rune(s[i]))
			i++
		}
	}
}

// sign counts a sign of the grammar where that is read by the model.
func (sc *scanner) sign(p place, b byte) {
	if p == placeJSON && sc.long == nil {
		sc.t.char(rune(b))
	}
}

// readKey reads the key at s[i:] of an object at p, and its colon. It returns
// where the key's value begins, and of what place that is; or an error as
// text.read does.
func (sc *scanner) readKey(i int, p place) (int, place) {
	s := sc.s
	if i >= len(s) || s[i] != '"' {
		return -1 - i, p
	}
	if p == placeJSON {
		if i = sc.readJSONString(i); i < 0 {
			return i, p
		}
	} else {
		start := i + 1
		end, escaped := skipString(s, start)
		if end < 0 {
			return end, p
		}
		key := s[start:end]
		if escaped {
			key = unescape(sc.key[:0], key)
		}
		p = sc.member(p, key)
		i = end + 1
	}
	i = sc.skipSpace(i)
	if i >= len(s) || s[i] != ':' {
		return -1 - i, p
	}
	sc.sign(p, ':')
	return i + 1, p
}

// readString reads the string at s[i:] of place p and returns where it ends, or
// an error as text.read does.
func (sc *scanner) readString(i int, p place) int {
	if p == placeJSON {
		return sc.readJSONString(i)
	}
	i++
	isText := sc.isText(p, sc.s, i)
	if sc.long != nil {
		return sc.readLong(i, p, isText)
	}
	if isText {
		end := sc.t.read(sc.s, i, quoted)
		sc.t.end()
		if end < 0 {
			return end
		}
		return end + 1
	}
	end, escaped := skipString(sc.s, i)
	if end < 0 {
		return end
	}
	sc.word(p, i, end, escaped)
	return end + 1
}

// readLong is readString for the strings of long bodies, from behind the quote.
func (sc *scanner) readLong(i int, p place, isText bool) int {
	end := skipLong(sc.s, i)
	if isText {
		sc.long.add(i, stopAt(end), quoted)
	}
	if end < 0 {
		return end
	}
	if !isText {
		sc.word(p, i, end, p == placeModel && bytes.IndexByte(sc.s[i:end], '\\') >= 0)
	}
	return end + 1
}

// readJSONString reads the string at s[i:], which counts with its quotes.
func (sc *scanner) readJSONString(i int) int {
	if sc.long != nil { // endJSON will count it
		i = skipLong(sc.s, i+1)
		if i < 0 {
			return i
		}
		return i + 1
	}
	sc.t.char('"')
	i = sc.t.read(sc.s, i+1, asJSON)
	if i < 0 {
		return i
	}
	sc.t.char('"')
	return i + 1
}

// stopAt returns where a reader stopped that returned i, for an error or not.
func stopAt(i int) int {
	if i < 0 {
		return -1 - i
	}
	return i
}

// readLiteral reads true, false or null.
func (sc *scanner) readLiteral(i int, p place) int {
	word := "null"
	switch sc.s[i] {
	case 't':
		word = "true"
	case 'f':
		word = "false"
	}
	for k := 0; k < len(word); k++ {
		if i+k >= len(sc.s) || sc.s[i+k] != word[k] {
			return -1 - i - k
		}
	}
	end := i + len(word)
	if p == placeJSON {
		sc.jsonWord(i, end)
	} else {
		sc.literal(p, word == "true")
	}
	return end
}

// readNumber reads a number.
func (sc *scanner) readNumber(i int, p place) int {
	end := skipNumber(sc.s, i)
	if end < 0 {
		return end
	}
	if p == placeJSON {
		sc.jsonWord(i, end)
	} else {
		sc.number(p, sc.s[i:end])
	}
	return end
}

// jsonWord counts a literal or number of what is read as JSON.
func (sc *scanner) jsonWord(i, end int) {
	if sc.long == nil {
		sc.t.read(sc.s[:end], i, plain)
	}
}

// startsWith says whether s[i:] starts with the prefix.
func startsWith(s []byte, i int, prefix string) bool {
	return len(s)-i >= len(prefix) && string(s[i:i+len(prefix)]) == prefix
}
