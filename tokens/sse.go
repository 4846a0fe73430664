package tokens

import "bytes"

// events cuts a stream of server-sent events into the events. The stream may
// come in any pieces: lines may end in LF, CR or CRLF, data may take several
// lines, the last event may lack its blank line.
// https://html.spec.whatwg.org/multipage/server-sent-events.html
type events struct {
	line    []byte // of a line that has not ended, until its field is known
	field   eventField
	afterCR bool // an LF would belong to the line that has ended

	name   [32]byte // the event's, cut
	named  int
	status int // that DashScope states in a comment, ":HTTP_STATUS/429"
	data   bounded
	lines  int // of data
}

type eventField uint8

const (
	unknownField eventField = iota
	dataField
	otherField // nothing of which is kept
)

// maxField bounds the lines that are read beside data.
const maxField = 64

// write reads the next piece and calls event for each event that ends in it.
func (e *events) write(piece []byte, event func(*events)) {
	for len(piece) > 0 {
		if e.afterCR && piece[0] == '\n' {
			piece = piece[1:]
			e.afterCR = false
			continue
		}
		e.afterCR = false
		end := lineEnd(piece)
		if end < 0 {
			e.part(piece, false)
			return
		}
		e.afterCR = piece[end] == '\r'
		if end == 0 && len(e.line) == 0 && e.field == unknownField {
			e.dispatch(event)
		} else {
			e.part(piece[:end], true)
		}
		piece = piece[end+1:]
	}
}

// end ends the stream, and with it the event that has not ended.
func (e *events) end(event func(*events)) {
	if len(e.line) > 0 {
		e.part(nil, true)
	}
	e.field = unknownField
	e.dispatch(event)
}

// pending says whether some of an event is there that has not ended.
func (e *events) pending() bool { return e.lines > 0 || e.named > 0 || len(e.line) > 0 }

func (e *events) dispatch(event func(*events)) {
	if e.lines > 0 {
		event(e)
	}
	e.data.reset()
	e.lines, e.named, e.status = 0, 0, 0
}

// part reads some of a line, or the rest of it.
func (e *events) part(s []byte, ends bool) {
	if e.field == unknownField {
		if len(e.line) > 0 {
			e.line = append(e.line, s[:min(len(s), maxField)]...)
			e.begin(e.line, ends, s[min(len(s), maxField):])
		} else {
			e.begin(s, ends, nil)
		}
	} else if e.field == dataField {
		e.data.add(s)
	}
	if ends {
		e.field = unknownField
		e.line = e.line[:0]
	}
}

// begin finds out what field the line is that s begins, of which more may
// follow in rest.
func (e *events) begin(s []byte, ends bool, rest []byte) {
	const dataName = "data:"
	if len(s) <= len(dataName) && !ends {
		e.line = append(e.line[:0], s...) // too short to tell
		return
	}
	if value, ok := bytes.CutPrefix(s, []byte(dataName)); ok || ends && string(s) == "data" {
		if len(value) > 0 && value[0] == ' ' {
			value = value[1:]
		}
		if !ok {
			value = nil
		}
		if e.lines++; e.lines > 1 {
			e.data.add([]byte{'\n'})
		}
		e.data.add(value)
		e.data.add(rest)
		e.field = dataField
		return
	}
	switch {
	case !ends && len(s) < maxField:
		e.line = append(e.line[:0], s...)
	case !ends:
		e.field = otherField
	default:
		e.other(s)
	}
}

// other reads a whole line that is not data.
func (e *events) other(line []byte) {
	if len(line) >= maxField {
		return // in pieces it would not have been kept
	}
	if name, ok := bytes.CutPrefix(line, []byte("event:")); ok {
		e.named = copy(e.name[:], bytes.TrimPrefix(name, []byte(" ")))
	}
	if status, ok := bytes.CutPrefix(line, []byte(":HTTP_STATUS/")); ok {
		if n, is, _ := countOf(status); is && n < 1000 {
			e.status = int(n)
		}
	}
}

// lineEnd returns where the first line of s ends: at an LF or a CR, or -1.
func lineEnd(s []byte) int {
	end := bytes.IndexByte(s, '\n')
	before := s
	if end >= 0 {
		before = s[:end]
	}
	if cr := bytes.IndexByte(before, '\r'); cr >= 0 {
		return cr
	}
	return end
}

// bounded keeps up to maxDocument bytes of a value; of a longer one, the end.
type bounded struct {
	b   []byte
	cut bool // only the end is there
}

// maxDocument bounds how many bytes of one JSON value of an answer are kept:
// a whole answer, an event, an element. Those beyond that are embeddings and
// images.
const maxDocument = 1 << 20

// keptCapacity is how much room a buffer keeps for the next value.
const keptCapacity = 64 << 10

func (b *bounded) add(s []byte) {
	if !b.cut && len(b.b)+len(s) <= maxDocument {
		b.b = append(b.b, s...)
		return
	}
	b.shed()
	if len(s) >= tailBytes {
		b.b = append(b.b[:0], s[len(s)-tailBytes:]...)
		return
	}
	if over := len(b.b) + len(s) - tailBytes; over > 0 {
		b.b = append(b.b[:0], b.b[over:]...)
	}
	b.b = append(b.b, s...)
}

// shed keeps the end only, and lets go of the room that all of it took.
func (b *bounded) shed() {
	if b.cut {
		return
	}
	b.cut = true
	end := b.b[max(0, len(b.b)-tailBytes):]
	b.b = append(make([]byte, 0, 2*tailBytes), end...)
}

func (b *bounded) reset() {
	b.cut = false
	if cap(b.b) > keptCapacity {
		b.b = nil
	}
	b.b = b.b[:0]
}
