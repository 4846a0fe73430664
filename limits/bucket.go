package limits

import (
	"encoding/binary"
	"errors"
	"hash/fnv"
)

// The counters in the store
//
// Every distinct scope has a table of subjects. A subject's fingerprint chooses
// one of the table's buckets; a bucket is one value in the store and holds the
// records of a few subjects; a record holds one cell for each limit of the
// scope that has been charged. So a check of all limits of one subject is one
// compare-and-swap, and since keys cannot be deleted from Envoy's shared data
// (P16), the number of keys is that of the buckets, whatever the traffic.
//
//	bucket: version byte, depth byte (see depth.go), records
//	record: cells' length (4 bytes), fingerprint (16), cells
//	cell:   id (8 bytes, the lowest being the number of words), words (8 each)
//
// All numbers are little-endian. The first word of every cell is the time (ms
// since 1970) after which it is idle, that is, says nothing any more: records
// of idle cells make room for fresh subjects, live ones are never evicted.
const (
	keyPrefix     = "sluice/1/"
	bucketVersion = 2
	bucketHead    = 1 + 1
	recordHead    = 4 + 16
	wordSize      = 8
)

// bucket is one as it was loaded.
type bucket struct {
	value   []byte // well-formed, or nil
	version uint32
	exists  bool
}

// get reads a bucket. Garbage is as good as nothing.
func (e *Engine) get(key []byte) (bucket, error) {
	value, version, err := e.store.Get(key)
	if err != nil && !errors.Is(err, ErrNotFound) {
		return bucket{}, err
	}
	b := bucket{value, version, err == nil}
	if !wellFormed(value) {
		if len(value) > 0 {
			e.Garbage++
		}
		b.value = nil
	}
	return b, nil
}

// depth is that of a bucket that has a value.
func (b *bucket) depth() int { return int(b.value[1]) }

func appendHead(b []byte, depth int) []byte { return append(b, bucketVersion, byte(depth)) }

// wellFormed walks a bucket: garbage must never be read as counters, nor
// beyond its end.
func wellFormed(b []byte) bool {
	if len(b) < bucketHead || b[0] != bucketVersion || b[1] > maxDepth {
		return false
	}
	for b = b[bucketHead:]; len(b) > 0; {
		if len(b) < recordHead {
			return false
		}
		length := binary.LittleEndian.Uint32(b)
		if uint64(length) > uint64(len(b)-recordHead) {
			return false
		}
		n := int(length)
		cells := b[recordHead : recordHead+n]
		for len(cells) > 0 {
			size := cellSize(cells)
			if size == 0 || size > len(cells) {
				return false
			}
			cells = cells[size:]
		}
		b = b[recordHead+n:]
	}
	return true
}

// records visits the records of a well-formed bucket.
func records(b []byte, visit func(name fingerprint, cells []byte)) {
	if len(b) == 0 {
		return
	}
	for b = b[bucketHead:]; len(b) > 0; {
		n := int(binary.LittleEndian.Uint32(b))
		visit(nameAt(b), b[recordHead:recordHead+n])
		b = b[recordHead+n:]
	}
}

func nameAt(record []byte) fingerprint {
	return fingerprint{binary.LittleEndian.Uint64(record[4:]), binary.LittleEndian.Uint64(record[12:])}
}

// appendRecord writes a record of those of some cells that are not idle.
func appendRecord(b []byte, name fingerprint, cells []byte, now int64) []byte {
	start := len(b)
	b = append(b, 0, 0, 0, 0)
	b = binary.LittleEndian.AppendUint64(b, name.hi)
	b = binary.LittleEndian.AppendUint64(b, name.lo)
	for len(cells) > 0 {
		size := cellSize(cells)
		if !idle(cells[:size], now) {
			b = append(b, cells[:size]...)
		}
		cells = cells[size:]
	}
	putLength(b, start)
	return b
}

// putLength makes all that follows the record at start, which is the last, its
// cells.
func putLength(b []byte, start int) {
	binary.LittleEndian.PutUint32(b[start:], uint32(len(b)-start-recordHead))
}

// find returns where a subject's cells start in a well-formed bucket, and their
// length, or -1.
func find(b []byte, name fingerprint) (at, n int) {
	for at = bucketHead; at < len(b); at += recordHead + n {
		n = int(binary.LittleEndian.Uint32(b[at:]))
		if nameAt(b[at:]) == name {
			return at + recordHead, n
		}
	}
	return -1, 0
}

// cellID tells the cells of a record apart, and how long each is.
type cellID uint64

// newCellID is made of all that gives a cell its meaning, and of nothing else:
// a limit whose ceiling changes keeps its counter, one whose window changes
// starts a new one.
func newCellID(l *Limit, words int) cellID {
	window := l.Window
	if l.Never || l.Calendar != NoPeriod {
		window = 0
	}
	h := fnv.New64a()
	h.Write([]byte(l.Name + "\x00" + l.Dimension.String() + "\x00" + window.String() + "\x00"))
	h.Write([]byte{byte(l.Algorithm), byte(l.Calendar), flag(l.Never)})
	return cellID(h.Sum64()&^0xff | uint64(words))
}

func flag(b bool) byte {
	if b {
		return 1
	}
	return 0
}

// cellSize is the size of the first cell of some, or 0 if that is no cell.
func cellSize(cells []byte) int {
	words := int(cells[0])
	if words == 0 || len(cells) < wordSize {
		return 0
	}
	return wordSize * (1 + words)
}

// findCell returns the offset of a cell within the n bytes of cells at b[at:],
// or 0.
func findCell(b []byte, at, n int, id cellID) int {
	for end := at + n; at >= 0 && at < end; {
		if cellID(binary.LittleEndian.Uint64(b[at:])) == id {
			return at
		}
		at += cellSize(b[at:])
	}
	return 0
}

// idle says whether none of some cells says anything any more.
func idle(cells []byte, now int64) bool {
	for len(cells) > 0 {
		size := cellSize(cells)
		if now < cell(cells[wordSize:size]).word(0) {
			return false
		}
		cells = cells[size:]
	}
	return true
}

// cell is the words of one counter.
type cell []byte

// cellAt is the cell at an offset that findCell gave; nil for none.
func cellAt(b []byte, offset int) cell {
	if offset == 0 {
		return nil
	}
	return cell(b[offset+wordSize : offset+cellSize(b[offset:])])
}

func (c cell) word(i int) int64 { return int64(binary.LittleEndian.Uint64(c[i*wordSize:])) }

func (c cell) set(i int, v int64) { binary.LittleEndian.PutUint64(c[i*wordSize:], uint64(v)) }
