package limits

import "encoding/binary"

// table is where the subjects of one scope are kept.
type table struct {
	scope  []int
	prefix string // of its keys
}

// tableFor finds or adds the table of a scope.
func (e *Engine) tableFor(scope []int) int {
	for i := range e.tables {
		if sameScope(e.tables[i].scope, scope) {
			return i
		}
	}
	t := table{scope: scope, prefix: keyPrefix + e.namespace + "/"}
	for i, a := range scope {
		if i > 0 {
			t.prefix += "+"
		}
		t.prefix += e.attributes[a].Name
	}
	t.prefix += "/"
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
	if s.overflow {
		e.key = append(append(e.key[:0], t.prefix...), "overflow"...)
		return e.key
	}
	return e.bucketKey(t, s.print.hi, e.depth)
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

// read gets the bucket of a subject. ErrConflict: try again.
func (e *Engine) read(s *subject) (err error) {
	if e.depth == unknownDepth {
		if err := e.agree(); err != nil {
			return err
		}
	}
	if s.overflow {
		s.bucket, err = e.get(e.keyOf(s))
	} else {
		s.bucket, err = e.fetch(&e.tables[s.table], s.print.hi, e.depth)
	}
	return err
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
	records(s.value, func(name fingerprint, cells []byte) {
		if share(name.hi, s.print.hi, e.depth) && !idle(cells, now) {
			live++
		}
	})
	return live >= e.room()
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
	out := appendHead(e.value[:0], e.depth)
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
