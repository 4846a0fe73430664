package tokens

import "bytes"

// UsageHider takes the event that reports the usage out of a stream of
// server-sent events whose client did not ask for it: the chunk of a chat or a
// completion whose "choices" are empty. Every other byte passes as it came, an
// event as soon as it is complete: no more than one is ever held, and none
// longer than 64 KiB. The zero value is at the beginning of a stream.
//
// A chunk with choices passes, though it may have a usage too: that is where
// some providers put it unasked.
type UsageHider struct {
	held    []byte // of the event that has not ended
	out     []byte
	passing bool // that event is too long to be held
	inLine  bool // some of the line has come: its end will not end the event
	afterCR bool // an LF would belong to the line that has ended
	ended   bool // that line has ended an event
	hidden  bool // which was taken out
}

// maxHeld bounds the bytes of an event that is held.
const maxHeld = 64 << 10

// Write takes the next piece of the stream and returns the bytes that are to
// take its place: the piece itself where nothing changes. They are valid until
// the next call. With end the stream ends, and nothing stays held.
func (h *UsageHider) Write(piece []byte, end bool) []byte {
	h.out = h.out[:0]
	unchanged := len(h.held) == 0
	from := 0 // where the event begins, or goes on, in the piece
	for i := 0; i < len(piece); {
		if h.afterCR {
			h.afterCR = false
			if piece[i] == '\n' {
				i++
				if h.ended {
					if h.hidden {
						unchanged = false
					} else {
						h.out = append(h.out, '\n')
					}
					from = i
				}
				continue
			}
		}
		n := lineEnd(piece[i:])
		if n < 0 {
			h.inLine = true
			break
		}
		i += n + 1
		h.afterCR = piece[i-1] == '\r'
		h.ended = n == 0 && !h.inLine
		h.inLine = false
		if h.ended {
			h.event(piece[from:i])
			unchanged = unchanged && !h.hidden
			from = i
		}
	}
	h.hold(piece[from:])
	if end {
		h.event(nil)
		unchanged = unchanged && !h.hidden
	}
	if unchanged && len(h.held) == 0 {
		return piece
	}
	return h.out
}

// hold keeps what has come of an event that has not ended.
func (h *UsageHider) hold(s []byte) {
	if len(h.held)+len(s) > maxHeld {
		h.passing = true
	}
	if h.passing {
		h.out = append(append(h.out, h.held...), s...)
		h.held = h.held[:0]
		return
	}
	h.held = append(h.held, s...)
	if !holdsObject(h.held) {
		h.passing = true
		h.out = append(h.out, h.held...)
		h.held = h.held[:0]
	}
}

// event passes the event that ends with the bytes s, or not.
func (h *UsageHider) event(s []byte) {
	whole := s
	if len(h.held) > 0 || h.passing {
		h.hold(s)
		whole = h.held // nothing, where it has been passed
	}
	h.hidden = len(whole) <= maxHeld && onlyReports(whole)
	if !h.hidden {
		h.out = append(h.out, whole...)
	}
	h.held, h.passing = h.held[:0], false
}

// onlyReports says whether an event is the one that is sent for
// stream_options.include_usage.
// https://platform.openai.com/docs/api-reference/chat-streaming
func onlyReports(event []byte) bool {
	if !mayReport(event) {
		return false
	}
	reports := false
	var e events
	read := func(e *events) {
		choices, usage, more := false, false, false
		m := membersOf(e.data.b)
		for m.next() {
			switch string(m.key) {
			case "choices":
				choices = m.value[0] == '[' && m.value[skipSpace(m.value, 1)] == ']'
			case "usage":
				usage = m.value[0] == '{'
			case "error":
				more = !saysNothing(m.value)
			}
		}
		reports = m.whole && choices && usage && !more
	}
	e.write(bytes.TrimPrefix(event, []byte("\xEF\xBB\xBF")), read)
	e.end(read)
	return reports
}

// mayReport is false of nearly all events that report nothing: there is no usage,
// or something is in every "choices".
func mayReport(event []byte) bool {
	if !bytes.Contains(event, []byte(`"usage"`)) {
		return false
	}
	for {
		_, rest, found := bytes.Cut(event, []byte(`"choices"`))
		if !found {
			return false
		}
		if !bytes.HasPrefix(rest, []byte(`:[{`)) && !bytes.HasPrefix(rest, []byte(`: [{`)) {
			return true
		}
		event = rest
	}
}

// holdsObject says whether what begins as s may be an event whose data is an
// object. Of others nothing is held back, as of [DONE], behind which a
// stream may end without another byte.
func holdsObject(s []byte) bool {
	const data = "data:"
	if len(s) < len(data) {
		return true
	}
	if string(s[:len(data)]) != data {
		return true // a field before the data, or a comment
	}
	for _, c := range s[len(data):] {
		if c != ' ' {
			return c == '{' || c == '\r' || c == '\n'
		}
	}
	return true
}
