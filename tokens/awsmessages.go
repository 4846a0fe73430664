package tokens

import (
	"encoding/binary"
	"hash/crc32"
)

// awsMessages cuts a stream into the messages of AWS's binary encoding: total length
// and headers' length (4 bytes each), their CRC32; headers; payload; the CRC32
// of all before it.
// https://docs.aws.amazon.com/transcribe/latest/dg/streaming-setting-up.html#streaming-event-stream
type awsMessages struct {
	head   [preludeBytes]byte
	got    int // bytes of the message so far
	total  int // bytes that it has
	heads  int // bytes of its headers
	sum    uint32
	rest   bounded // headers, payload and the last CRC32
	broken bool
}

// awsMessage is one message.
type awsMessage struct {
	kind    []byte // ":message-type": event, exception, error
	name    []byte // ":event-type", ":exception-type" or ":error-code"
	message []byte // ":error-message"
	payload []byte
}

const (
	preludeBytes = 12
	crcBytes     = 4
	// maxFrame is as much as a message of this encoding can take.
	maxFrame = 24 << 20
)

// write reads the next piece and calls message for each that ends in it. What
// follows a message whose check fails is not read.
func (f *awsMessages) write(piece []byte, message func(awsMessage)) {
	for len(piece) > 0 && !f.broken {
		if f.got < preludeBytes {
			n := copy(f.head[f.got:], piece)
			f.got += n
			piece = piece[n:]
			if f.got == preludeBytes {
				f.prelude()
			}
			continue
		}
		n := min(len(piece), f.total-f.got)
		f.got += n
		if checked := n - max(0, f.got-(f.total-crcBytes)); checked > 0 {
			f.sum = crc32.Update(f.sum, crc32.IEEETable, piece[:checked])
		}
		f.rest.add(piece[:n])
		piece = piece[n:]
		if f.got == f.total {
			f.end(message)
		}
	}
}

func (f *awsMessages) prelude() {
	f.total = int(binary.BigEndian.Uint32(f.head[0:]))
	f.heads = int(binary.BigEndian.Uint32(f.head[4:]))
	if crc32.ChecksumIEEE(f.head[:8]) != binary.BigEndian.Uint32(f.head[8:]) ||
		f.total < preludeBytes+crcBytes || f.total > maxFrame || f.heads < 0 || f.heads > f.total-preludeBytes-crcBytes {
		f.broken = true
		return
	}
	f.sum = crc32.ChecksumIEEE(f.head[:])
}

func (f *awsMessages) end(message func(awsMessage)) {
	b := f.rest.b
	last := len(b) - crcBytes
	if binary.BigEndian.Uint32(b[last:]) != f.sum {
		f.broken = true
		return
	}
	if !f.rest.cut {
		m := awsMessage{payload: b[f.heads:last]}
		if m.headers(b[:f.heads]) {
			message(m)
		} else {
			f.broken = true
		}
	}
	f.got = 0
	f.rest.reset()
}

// valueBytes is how long the values of a header are, by their type; those with
// a length of their own have -1.
var valueBytes = [...]int{0, 0, 1, 2, 4, 8, -1, -1, 8, 16}

const stringValue = 7

func (m *awsMessage) headers(s []byte) bool {
	for len(s) > 0 {
		n := int(s[0])
		if len(s) < 2+n {
			return false
		}
		name, kind := s[1:1+n], int(s[1+n])
		s = s[2+n:]
		if kind >= len(valueBytes) {
			return false
		}
		if n = valueBytes[kind]; n < 0 {
			if len(s) < 2 {
				return false
			}
			n = int(binary.BigEndian.Uint16(s))
			s = s[2:]
		}
		if len(s) < n {
			return false
		}
		if kind == stringValue {
			switch string(name) {
			case ":message-type":
				m.kind = s[:n]
			case ":event-type", ":exception-type", ":error-code":
				m.name = s[:n]
			case ":error-message":
				m.message = s[:n]
			}
		}
		s = s[n:]
	}
	return true
}
