package limits

import "time"

// A Reservation is what Reserve found and charged for one request. The zero
// value is an empty one. It can be used again for another request, and must not
// be copied.
type Reservation struct {
	subjects []subject
	entries  []entry

	// Most requests need no more than these.
	firstSubjects [2]subject
	firstEntries  [4]entry
}

// subject is one value of a scope, with the run of entries it is charged for.
type subject struct {
	table    int
	print    fingerprint
	overflow bool
	from, to int // its entries

	value   []byte // as loaded, while it is worked on
	version uint32
	exists  bool
}

// entry is one limit that applies.
type entry struct {
	limit   *limit
	ceiling int64 // for this request
	max     int64 // the most that may be in use at once
	amount  int64 // to be charged
	atLeast int64 // of it, what can't be cut
	over    bool  // it did not fit

	overflow bool // its subject shares a counter

	charged  int64 // so far
	window   int64 // in which it was charged last
	inWindow int64 // of what is charged, the part that was in that window
	target   int64 // what it is to be charged in all
	added    int64 // the window in which what was missing of that was added

	// As found: how much was in use, when it is free again, and how long until
	// the amount fits.
	used, reset int64
	wait        time.Duration
	offset      int // of its cell in the subject's value
}

func (r *Reservation) reset() {
	if r.subjects == nil {
		r.subjects, r.entries = r.firstSubjects[:], r.firstEntries[:]
	}
	r.subjects, r.entries = r.subjects[:0], r.entries[:0]
}

// charge notes what was added in a window, or taken from the last one.
func (en *entry) charge(window, amount int64) {
	if amount > 0 && window != en.window {
		en.window, en.inWindow = window, 0
	}
	en.inWindow = max(0, en.inWindow+amount)
	en.charged += amount
}

// forget makes r a record of what was found only: nothing is charged.
func (r *Reservation) forget() {
	r.subjects = r.subjects[:0]
	for i := range r.entries {
		r.entries[i].charged = 0
	}
}

// A State is what a Reservation found of one limit.
type State struct {
	Limit *Limit
	// Max is the most that may be in use at once, Remaining what is left of it
	// after this request's charge, both in the limit's unit.
	Max, Remaining int64
	// Reset is when all of it is free again; zero where nothing is in use, or
	// it is never free.
	Reset time.Time
	// Over says that the request did not fit.
	Over bool
	// Overflow says that the table of subjects is full, and this one shares its
	// counter with others.
	Overflow bool
}

// Len is the number of limits that applied.
func (r *Reservation) Len() int { return len(r.entries) }

// State tells of the i-th limit that applied.
func (r *Reservation) State(i int) State {
	en := &r.entries[i]
	s := State{
		Limit: &en.limit.Limit, Max: en.max, Remaining: max(0, en.max-en.used-en.charged),
		Over: en.over, Overflow: en.overflow,
	}
	if en.reset > 0 && en.reset < never {
		s.Reset = time.UnixMilli(en.reset)
	}
	return s
}

// HoldsSlots says whether a slot of a Concurrency limit is taken, which must be
// renewed while the stream lives.
func (r *Reservation) HoldsSlots() bool {
	for i := range r.entries {
		if en := &r.entries[i]; en.limit.Dimension == Concurrency && en.charged > 0 {
			return true
		}
	}
	return false
}
