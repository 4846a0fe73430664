package tokens

import (
	"encoding/binary"
	"math/bits"
)

// skipLong is skipString for long strings: it finds the closing quote of the JSON
// string that begins at i, eight bytes a step, or an error as text.read does. It
// does not look into escapes, but to tell an escaped quote from the closing one.
func skipLong(s []byte, i int) int {
	from := i
	var slashes uint64 // the backslashes of the eight bytes before i
	for {
		for len(s)-i >= 32 {
			// Each jump costs as much as several words: see text.run.
			q := s[i : i+32 : i+32]
			stop0, b0 := marks(binary.LittleEndian.Uint64(q[0:]), slashes)
			stop1, b1 := marks(binary.LittleEndian.Uint64(q[8:]), b0)
			stop2, b2 := marks(binary.LittleEndian.Uint64(q[16:]), b1)
			stop3, b3 := marks(binary.LittleEndian.Uint64(q[24:]), b2)
			if stop0|stop1|stop2|stop3 != 0 {
				for _, stop := range [...]uint64{stop0, stop1, stop2, stop3} {
					if stop != 0 {
						i += bits.TrailingZeros64(stop) / 8
						break
					}
					i += 8
				}
				break
			}
			slashes = b3
			i += 32
		}
		for i < len(s) && s[i] != '"' && s[i] >= ' ' {
			i++
		}
		if i >= len(s) || s[i] < ' ' {
			return -1 - i
		}
		if k := backslashes(s[from:i]); k&1 == 0 {
			return i
		}
		i++
		slashes = 0
	}
}

// Masks of eight bytes.
const (
	eachByte = 0x0101010101010101
	highBits = 0x80 * eachByte
	lowBits  = 0x7F * eachByte
)

// marks marks in eight bytes, by the highest bit of each, where to stop: at
// control characters, and at quotes that are not surely escaped; and where there
// are backslashes. A quote is surely escaped behind a single backslash; before is
// where backslashes are in the eight bytes before.
func marks(w, before uint64) (stop, slashes uint64) {
	low := w & lowBits
	slashes = ^((low ^ '\\'*eachByte) + lowBits | w) & highBits
	quotes := ^((low ^ '"'*eachByte) + lowBits | w) & highBits
	control := ^(low + 0x60*eachByte | w) & highBits
	last := slashes<<8 | before>>56
	lastButOne := slashes<<16 | before>>48
	return quotes&^(last&^lastButOne) | control, slashes
}

// backslashes returns how many backslashes s ends with.
func backslashes(s []byte) int {
	i := len(s)
	for i > 0 && s[i-1] == '\\' {
		i--
	}
	return len(s) - i
}
