package limits

import (
	"math"
	"time"
)

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

	bucket // while it is worked on
}

// entry is one limit that applies.
type entry struct {
	limit   *limit
	ceiling int64 // for this request
	max     int64 // the most that may be in use at once
	amount  int64 // that the request asks for
	atLeast int64 // of it, what can't be cut

	charged  int64 // so far
	window   int64 // in which it was charged last
	inWindow int64 // of what is charged, the part that counts in that window
	target   int64 // what it is to be charged in all
	due      bool  // a slot is to be renewed
	faulty   bool  // the request lacks what the limit needs, which is only observed
	exempt   bool  // the request would have been refused: it is charged nothing

	// What window and inWindow are when the store has taken what was applied.
	nextWindow, nextInWindow int64

	// As found, or as left after a charge: how much is in use, and when all of
	// it is free again.
	used, reset int64
	wait        time.Duration // until the amount fits
	over        bool          // it did not fit
	overflow    bool          // its subject shares a counter
	offset      int           // of its cell in the subject's value
}

func (r *Reservation) reset() {
	if r.subjects == nil {
		r.subjects, r.entries = r.firstSubjects[:], r.firstEntries[:]
	}
	r.subjects, r.entries = r.subjects[:0], r.entries[:0]
}

// look reads what a cell says of an entry.
func (en *entry) look(c cell, now int64) {
	en.used, en.reset = en.limit.used(c, en.ceiling, now)
	en.wait = 0
	// An amount of 0 asks only whether anything is left. One that is more than
	// the limit can hold is cut to that, if it is a guess.
	if most := en.max - min(max(en.amount, 1), en.max); en.used > most {
		en.wait = Forever
		if ms := en.limit.algorithm.wait(c, en.ceiling, most, now); ms < math.MaxInt64/int64(time.Millisecond) {
			en.wait = max(time.Duration(ms)*time.Millisecond, time.Millisecond)
		}
	}
}

// adds says that an entry needs a cell: something is to be counted there.
func (en *entry) adds() bool { return en.target > en.charged || en.due }

// apply brings a cell to what the entry is to be charged. Without a cell there
// is nothing to give back.
func (en *entry) apply(c cell, now int64) {
	en.nextWindow, en.nextInWindow = en.window, en.inWindow
	switch more := en.target - en.charged; {
	case en.due:
		en.take(c, en.inWindow, now)
		en.nextWindow = en.limit.add(c, en.ceiling, en.charged, now)
		en.nextInWindow = en.charged
	case more > 0:
		en.nextWindow = en.limit.add(c, en.ceiling, more, now)
		if en.nextWindow == en.window {
			en.nextInWindow += more
			break
		}
		// What still counts of before moves along, so that a refund finds it.
		moved := en.take(c, en.inWindow, now)
		if moved > 0 {
			en.nextWindow = en.limit.add(c, en.ceiling, moved, now)
		}
		en.nextInWindow = moved + more
	case more < 0:
		back := min(-more, en.inWindow)
		en.take(c, back, now)
		en.nextInWindow -= back
	}
	en.used, en.reset = en.limit.used(c, en.ceiling, now)
}

// take gives back to a cell what was charged in the entry's window.
func (en *entry) take(c cell, amount, now int64) (taken int64) {
	if c == nil || amount <= 0 {
		return 0
	}
	return en.limit.take(c, en.ceiling, amount, en.window, now)
}

// applied notes that the store has what was applied.
func (en *entry) applied() {
	en.window, en.inWindow = en.nextWindow, en.nextInWindow
	en.charged, en.due = en.target, false
}

// release lets go of the values that were worked on.
func (r *Reservation) release() {
	for i := range r.subjects {
		r.subjects[i].value = nil
	}
}

// forget makes r a record of what was found only: nothing is charged.
func (r *Reservation) forget() {
	r.release()
	r.subjects = r.subjects[:0]
}

// empty makes r a record of nothing: what was found is not the whole.
func (r *Reservation) empty() {
	r.forget()
	r.entries = r.entries[:0]
}

// A State is what a Reservation found of one limit.
type State struct {
	Limit *Limit
	// Max is the most that may be in use at once, Used what is, this request's
	// charge included, and Remaining what is left, all in the limit's unit.
	Max, Used, Remaining int64
	// Reset is when all of it is free again, if nothing more is charged; zero
	// where nothing is in use, or it is never free.
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
		Limit: &en.limit.Limit, Max: en.max, Used: en.used, Remaining: max(0, en.max-en.used),
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
