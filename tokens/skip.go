package tokens

import (
	"encoding/binary"
	"math/bits"
)

// skipLong is skipString for long strings: it finds the closing quote of the JSON
// string that begins at i, 32 bytes a step, or an error as text.read does. It does
// not look into escapes, but to tell an escaped quote from the closing one.
func skipLong(s []byte, i int) int {
	// Most strings are short, and plain.
	for range 2 {
		if len(s)-i < 8 {
			break
		}
		slashes, quotes, controls := find(binary.LittleEndian.Uint64(s[i:]))
		before := quotes&-quotes - 1 // all up to the first quote
		if (slashes|controls)&before != 0 {
			break
		}
		if quotes != 0 {
			return i + bits.TrailingZeros64(quotes)/8
		}
		i += 8
	}
	escaped := uint32(0) // 1 where the byte at i is escaped
	for len(s)-i >= 32 {
		// Each jump costs as much as several words: see text.run.
		q := s[i : i+32 : i+32]
		slashes0, quotes0, controls0 := find(binary.LittleEndian.Uint64(q[0:]))
		slashes1, quotes1, controls1 := find(binary.LittleEndian.Uint64(q[8:]))
		slashes2, quotes2, controls2 := find(binary.LittleEndian.Uint64(q[16:]))
		slashes3, quotes3, controls3 := find(binary.LittleEndian.Uint64(q[24:]))
		slashes := gather(slashes0) | gather(slashes1)<<8 | gather(slashes2)<<16 | gather(slashes3)<<24
		quotes := gather(quotes0) | gather(quotes1)<<8 | gather(quotes2)<<16 | gather(quotes3)<<24
		inside, next := escapes(slashes, escaped)
		stop := quotes &^ inside
		if controls0|controls1|controls2|controls3 != 0 {
			stop |= gather(controls0) | gather(controls1)<<8 | gather(controls2)<<16 | gather(controls3)<<24
		}
		if stop != 0 {
			if i += bits.TrailingZeros32(stop); s[i] != '"' {
				return -1 - i
			}
			return i
		}
		escaped = next
		i += 32
	}
	for ; i < len(s); i++ {
		switch b := s[i]; {
		case b < ' ':
			return -1 - i
		case escaped == 1:
			escaped = 0
		case b == '"':
			return i
		case b == '\\':
			escaped = 1
		}
	}
	return -1 - len(s)
}

// Masks of eight bytes.
const (
	eachByte = 0x0101010101010101
	highBits = 0x80 * eachByte
	lowBits  = 0x7F * eachByte
)

// find marks in eight bytes, by the highest bit of each, where backslashes, quotes
// and control characters are.
func find(w uint64) (slashes, quotes, controls uint64) {
	low := w & lowBits
	slashes = ^((low ^ '\\'*eachByte) + lowBits | w) & highBits
	quotes = ^((low ^ '"'*eachByte) + lowBits | w) & highBits
	controls = ^(low + 0x60*eachByte | w) & highBits
	return slashes, quotes, controls
}

// gather makes eight bits of what find marked in eight bytes, the first the lowest.
func gather(marks uint64) uint32 {
	return uint32(marks >> 7 * 0x0102040810204080 >> 56)
}

// escapes returns which of 32 characters are escaped, given which are backslashes
// and whether the first is escaped, and whether the next character will be. It is
// the algorithm of simdjson (https://arxiv.org/abs/1902.08318): to add a run's
// first bit to the run carries to the bit behind it, whose place then tells
// whether the run's length is odd.
func escapes(slashes, first uint32) (escaped, next uint32) {
	const even = 0x55555555
	slashes &^= first
	follows := slashes<<1 | first
	sum, next := bits.Add32(slashes&^even&^follows, slashes, 0)
	return (even ^ sum<<1) & follows, next
}
