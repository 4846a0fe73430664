package limits

import (
	"encoding/binary"
	"errors"
	"hash/fnv"
	"strconv"
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
//	bucket: version byte, records
//	record: cells' length (4 bytes), fingerprint (16), cells
//	cell:   id (8 bytes, the lowest being the number of words), words (8 each)
//
// All numbers are little-endian. The first word of every cell is the time (ms
// since 1970) after which it is idle, that is, says nothing any more: records
// of idle cells make room for fresh subjects, live ones are never evicted.
const (
	keyPrefix     = "sluice/1/"
	bucketVersion = 1
	recordHead    = 4 + 16
	wordSize      = 8

	// A bucket has room for more subjects than it gets on average when a table
	// holds its maximum, so that chance overflows are rare: one in a million.
	meanRecords = 16
	maxRecords  = 40
)

// table is where the subjects of one scope are kept.
type table struct {
	scope   []int
	prefix  string
	buckets uint64
	room    int // records in a bucket
}

// tableFor finds or adds the table of a scope.
func (e *Engine) tableFor(scope []int, o Options) int {
	for i := range e.tables {
		if sameScope(e.tables[i].scope, scope) {
			return i
		}
	}
	t := table{scope: scope, prefix: keyPrefix + o.Namespace + "/", buckets: 1, room: maxRecords}
	for i, a := range scope {
		if i > 0 {
			t.prefix += "+"
		}
		t.prefix += e.attributes[a].Name
	}
	if o.MaxSubjects <= maxRecords {
		t.room = max(1, o.MaxSubjects)
	} else {
		t.buckets = uint64((o.MaxSubjects + meanRecords - 1) / meanRecords)
	}
	// Another number of buckets would look for a subject elsewhere.
	t.prefix += "/" + strconv.FormatUint(t.buckets, 10) + "/"
	e.tables = append(e.tables, t)
	return len(e.tables) - 1
}

func sameScope(a, b []int) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// keyOf writes the key of a subject's bucket into the scratch.
func (e *Engine) keyOf(s *subject) []byte {
	t := &e.tables[s.table]
	e.key = append(e.key[:0], t.prefix...)
	if s.overflow {
		e.key = append(e.key, "overflow"...)
	} else {
		e.key = strconv.AppendUint(e.key, s.print.hi%t.buckets, 10)
	}
	return e.key
}

// load reads a subject's bucket, finds its cells, and says what they hold. A
// subject that is in no table, and for which there is no room, is turned over
// to the overflow. ErrConflict: try again.
func (e *Engine) load(now int64, s *subject, r *Reservation) error {
	at, n, err := e.locate(now, s, r)
	if err != nil {
		return err
	}
	repaired := false
	for j := s.from; j < s.to; j++ {
		en := &r.entries[j]
		en.overflow = s.overflow
		en.offset = findCell(s.value, at, n, en.limit.cell)
		c := cellAt(s.value, en.offset)
		repaired = c != nil && en.limit.repair(c, en.ceiling, now) || repaired
		en.look(c, now)
	}
	if !repaired {
		return nil
	}
	// Written at once: what is only looked at, and refused, has to begin to run
	// out too.
	if err := e.save(s); err != nil {
		return err
	}
	return ErrConflict // the version is another now
}

// locate reads the bucket of a subject, and says where its cells are: at -1, if
// there are none.
func (e *Engine) locate(now int64, s *subject, r *Reservation) (at, n int, err error) {
	if err := e.read(s); err != nil {
		return 0, 0, err
	}
	at, n = find(s.value, s.name())
	if at >= 0 || s.overflow || !e.full(s, now) {
		return at, n, nil
	}
	if e.mend(now, s) {
		if err := e.save(s); err != nil {
			return 0, 0, err
		}
		return 0, 0, ErrConflict // the version is another now
	}
	s.overflow = true
	for j := s.from; j < s.to; j++ {
		// What it was charged in a record that is no more is free already, and
		// is not to be taken from the others in the overflow.
		r.entries[j].inWindow = 0
	}
	if err := e.read(s); err != nil {
		return 0, 0, err
	}
	at, n = find(s.value, s.name())
	return at, n, nil
}

// read gets the bucket of a subject. Garbage is as good as nothing.
func (e *Engine) read(s *subject) error {
	value, version, err := e.store.Get(e.keyOf(s))
	if err != nil && !errors.Is(err, ErrNotFound) {
		return err
	}
	s.exists, s.version, s.value = err == nil, version, value
	if !wellFormed(value) {
		if len(value) > 0 {
			e.Garbage++
		}
		s.value = nil
	}
	return nil
}

func (s *subject) name() fingerprint {
	if s.overflow {
		return fingerprint{}
	}
	return s.print
}

// full says whether a bucket has no room for one more subject.
func (e *Engine) full(s *subject, now int64) bool {
	live := 0
	records(s.value, func(_ fingerprint, cells []byte) {
		if !idle(cells, now) {
			live++
		}
	})
	return live >= e.tables[s.table].room
}

// mend repairs all of a bucket: subjects of which nobody asks any more must not
// keep their room for as long as a clock was ahead.
func (e *Engine) mend(now int64, s *subject) (mended bool) {
	records(s.value, func(_ fingerprint, cells []byte) {
		for len(cells) > 0 {
			size := cellSize(cells)
			id := cellID(binary.LittleEndian.Uint64(cells))
			for i := range e.limits {
				if l := &e.limits[i]; l.cell == id && l.repair(cell(cells[wordSize:size]), l.Max, now) {
					mended = true
				}
			}
			cells = cells[size:]
		}
	})
	return mended
}

// commit brings a loaded subject's cells to what its entries are to be charged,
// and writes them. ErrConflict: load and try again.
func (e *Engine) commit(now int64, s *subject, r *Reservation) error {
	e.lay(now, s, r)
	there := false
	for j := s.from; j < s.to; j++ {
		en := &r.entries[j]
		en.apply(cellAt(s.value, en.offset), now)
		there = there || en.offset > 0
	}
	if there {
		if err := e.save(s); err != nil {
			return err
		}
	}
	for j := s.from; j < s.to; j++ {
		r.entries[j].applied()
	}
	return nil
}

// lay makes sure that a loaded subject has a cell for each entry that is to be
// charged more: where one is missing, the bucket is laid anew, without what is
// idle.
func (e *Engine) lay(now int64, s *subject, r *Reservation) {
	complete := true
	for j := s.from; j < s.to; j++ {
		en := &r.entries[j]
		complete = complete && (en.offset > 0 || !en.adds())
	}
	if complete {
		return
	}
	out := append(e.value[:0], bucketVersion)
	var own []byte
	records(s.value, func(name fingerprint, cells []byte) {
		if name == s.name() {
			own = cells
			return
		}
		start := len(out)
		if out = appendRecord(out, name, cells, now); len(out) == start+recordHead {
			out = out[:start] // nothing in it is alive
		}
	})
	start := len(out)
	out = appendRecord(out, s.name(), own, now)
	at := start + recordHead
	for j := s.from; j < s.to; j++ {
		en := &r.entries[j]
		en.offset = findCell(out, at, len(out)-at, en.limit.cell)
		if en.offset == 0 && en.adds() {
			en.offset = len(out)
			out = binary.LittleEndian.AppendUint64(out, uint64(en.limit.cell))
			for range en.limit.words() {
				out = binary.LittleEndian.AppendUint64(out, 0)
			}
		}
	}
	putLength(out, start)
	e.value, s.value = out, out
}

// save writes an edited subject back.
func (e *Engine) save(s *subject) error {
	if s.exists {
		return e.store.Swap(e.keyOf(s), s.value, s.version)
	}
	return e.store.Create(e.keyOf(s), s.value)
}

// wellFormed walks a bucket: garbage must never be read as counters, nor
// beyond its end.
func wellFormed(b []byte) bool {
	if len(b) == 0 || b[0] != bucketVersion {
		return false
	}
	for b = b[1:]; len(b) > 0; {
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
	for b = b[1:]; len(b) > 0; {
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
	for at = 1; at < len(b); at += recordHead + n {
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
