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
	passing bool // the event was too long to be held
	blank   bool // nothing has come of the line, so that its end ends the event
	begun   bool // blank is valid
	afterCR bool // an LF would belong to the line that has ended
	hidden  bool // and to the event that was hidden
}

// maxHeld bounds the event that is held.
const maxHeld = 64 << 10

// Write takes the next piece of the stream and returns the bytes that are to
// take its place: the piece itself where nothing changes. They are valid until
// the next call. With end the stream ends, and nothing stays held.
func (h *UsageHider) Write(piece []byte, end bool) []byte {
	if !h.begun {
		h.begun, h.blank = true, true
	}
	h.out = h.out[:0]
	unchanged := len(h.held) == 0
	from := 0 // of the event, in the piece
	for i := 0; i < len(piece); {
		if h.afterCR {
			h.afterCR = false
			if piece[i] == '\n' {
				i++
				if h.hidden {
					unchanged = false
				} else if h.blank && len(h.held) == 0 {
					h.out = append(h.out, '\n') // of the line that ended the event
				} else {
					continue
				}
				from = i
				continue
			}
		}
		n := lineEnd(piece[i:])
		if n < 0 {
			h.blank = false
			break
		}
		if n > 0 {
			h.blank = false
		}
		i += n + 1
		h.afterCR, h.hidden = piece[i-1] == '\r', false
		if !h.blank {
			h.blank = true
			continue
		}
		if !h.event(piece[from:i]) {
			unchanged = false
		}
		from = i
	}
	h.hold(piece[from:])
	if end {
		if !h.event(nil) {
			unchanged = false
		}
	}
	if unchanged && len(h.held) == 0 {
		return piece
	}
	return h.out
}
