package limits

import (
	"errors"
	"time"
)

// maxSettleAttempts bounds the retries of a settlement. A charge must not be
// lost to a race, so it is far above what contention can need.
const maxSettleAttempts = 10_000

// An Actual is what a request really used, dimension by dimension.
type Actual struct {
	Requests int64
	// Input and Output are tokens.
	Input, Output int64
	// Estimated says that the tokens are not known: the charge for them stands.
	Estimated bool
}

func (a Actual) charge(en *entry) int64 {
	switch {
	case en.limit.Dimension == Requests:
		return a.Requests
	case a.Estimated:
		return en.amount
	}
	return a.Input + a.Output
}

// Settle corrects what r was charged to the actual use. What was charged too
// much is given back, but only to the window it was taken from; what was
// charged too little counts in the window of now. r must have been admitted.
// Settle may be called again as more becomes known.
func (e *Engine) Settle(now time.Time, a Actual, r *Reservation) error {
	var failed error
	for i := range r.subjects {
		s := &r.subjects[i]
		err := e.change(now.UnixMilli(), s, r, func(en *entry) int64 {
			if en.refunded {
				return 0
			}
			return a.charge(en) - en.amount
		})
		if err != nil {
			failed = err
			continue
		}
		for j := s.from; j < s.to; j++ {
			if en := &r.entries[j]; !en.refunded {
				en.amount = a.charge(en)
			}
		}
	}
	return failed
}

// change adds to each entry of one subject, retrying until it is done.
func (e *Engine) change(now int64, s *subject, r *Reservation, delta func(*entry) int64) error {
	if unchanged(s, r, delta) {
		return nil
	}
	for range maxSettleAttempts {
		if err := e.load(now, s, r); err != nil {
			return err
		}
		if evicted(s, r, delta) {
			return nil
		}
		e.edit(now, s, r)
		for j := s.from; j < s.to; j++ {
			en := &r.entries[j]
			c := cellAt(s.value, en.offset)
			if d := delta(en); d > 0 {
				en.window = en.limit.charge(c, d, now)
			} else if d < 0 {
				en.limit.refund(c, -d, en.window)
			}
		}
		err := e.save(s)
		if !errors.Is(err, ErrConflict) {
			return err
		}
		e.Conflicts++
	}
	return ErrContention
}

func unchanged(s *subject, r *Reservation, delta func(*entry) int64) bool {
	for j := s.from; j < s.to; j++ {
		if delta(&r.entries[j]) != 0 {
			return false
		}
	}
	return true
}

// evicted says that a loaded subject has no counter any more from which
// something could be taken back, and nothing is to be added.
func evicted(s *subject, r *Reservation, delta func(*entry) int64) bool {
	for j := s.from; j < s.to; j++ {
		if r.entries[j].offset > 0 || delta(&r.entries[j]) > 0 {
			return false
		}
	}
	return true
}
