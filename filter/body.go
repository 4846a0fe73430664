package main

// body gathers what passes by, up to a bound.
type body struct {
	bytes   []byte
	size    int64 // of all that came
	dropped bool
}

// append reads the piece that a body callback announces. What cannot be read is
// left out: a callback without new bytes has none to read (P5).
func (b *body) append(get func(start, size int) ([]byte, error), size, bound int) {
	if size <= 0 {
		return
	}
	b.size += int64(size)
	if b.size > int64(bound) || b.dropped {
		return
	}
	piece, err := get(0, size)
	if err != nil {
		return
	}
	if b.bytes == nil {
		b.bytes = piece // most bodies come in one piece: no copy
		return
	}
	b.bytes = append(b.bytes, piece...)
}

// drop lets go of what was gathered: it is not complete any more.
func (b *body) drop() { b.bytes, b.dropped = nil, true }

// complete says that all that came is there.
func (b *body) complete() bool { return !b.dropped && int64(len(b.bytes)) == b.size }
