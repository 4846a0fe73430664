package tokens

import (
	"bytes"

	"github.com/tidwall/gjson"
)

// Events finds the usage in a stream of server-sent events, as OpenAI-style APIs
// send them: in the last event of a chat, in response.completed of Responses.
// Its zero value is at the beginning of a stream.
//
// The stream may come in any pieces: lines may end in LF, CR or CRLF, data may
// take several lines, the last event may lack its blank line. An event longer
// than MaxEvent is passed over.
type Events struct {
	line    []byte // that has not ended yet
	data    []byte // of the event that has not ended yet
	long    bool   // the event is too long
	afterCR bool   // an LF would belong to the line that has ended
	usage   Usage
	found   bool
}

// MaxEvent bounds the bytes of an event that are kept.
const MaxEvent = 64 << 10

// Write reads the next piece.
func (e *Events) Write(piece []byte) {
	for len(piece) > 0 {
		if e.afterCR && piece[0] == '\n' {
			piece = piece[1:]
		}
		e.afterCR = false
		end := lineEnd(piece)
		if end < 0 {
			e.keep(piece)
			return
		}
		e.afterCR = piece[end] == '\r'
		if len(e.line) == 0 {
			e.take(piece[:end]) // most lines come whole: no copy
		} else {
			e.keep(piece[:end])
			e.take(e.line)
			e.line = e.line[:0]
		}
		piece = piece[end+1:]
	}
}

// Usage is what the stream has reported last; false: nothing. It ends the
// stream.
func (e *Events) Usage() (Usage, bool) {
	if len(e.line) > 0 {
		e.take(e.line)
		e.line = e.line[:0]
	}
	e.dispatch()
	return e.usage, e.found
}

func lineEnd(s []byte) int {
	for i, c := range s {
		if c == '\n' || c == '\r' {
			return i
		}
	}
	return -1
}

// keep adds to the line that has not ended.
func (e *Events) keep(s []byte) {
	if len(e.line)+len(s) > MaxEvent {
		e.long = true
		// A few bytes of it stay, so that the line is not taken for a blank one.
		e.line = append(e.line[:0], "too long"...)
		return
	}
	e.line = append(e.line, s...)
}

// take reads a whole line.
func (e *Events) take(line []byte) {
	if len(line) == 0 {
		e.dispatch()
		return
	}
	value, ok := bytes.CutPrefix(line, []byte("data:"))
	if !ok {
		return // a comment, or another field
	}
	if len(value) > 0 && value[0] == ' ' {
		value = value[1:]
	}
	if len(e.data)+len(value) > MaxEvent {
		e.long = true
		return
	}
	if len(e.data) > 0 {
		e.data = append(e.data, '\n')
	}
	e.data = append(e.data, value...)
}

// dispatch ends an event. A later report takes the place of an earlier one:
// those that come with every event are sums so far.
func (e *Events) dispatch() {
	if !e.long && bytes.Contains(e.data, []byte(`"usage"`)) {
		u, ok := ReadUsage(e.data)
		if !ok {
			if response := gjson.GetBytes(e.data, "response"); response.IsObject() {
				u, ok = ReadUsage([]byte(response.Raw))
			}
		}
		if ok {
			e.usage, e.found = u, true
		}
	}
	e.data, e.long = e.data[:0], false
}
