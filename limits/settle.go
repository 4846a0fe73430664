package limits

import (
	"errors"
	"time"
)

// maxSettleAttempts bounds the retries of a settlement. A charge must not be
// lost to a race, so it is far above what contention can need.
const maxSettleAttempts = 10_000

// An Actual is what became of a request.
type Actual struct {
	Usage Usage
	// Model is the one that answered.
	Model string
	// Estimated says that the usage is not known: the charge for it stands.
	Estimated bool
	// Void says that the request counts as if it had never come, but for the
	// limits whose scope has the attribute VoidExcept; -1: for none.
	Void       bool
	VoidExcept int
	// Ongoing says that the request is not over: a slot stays taken.
	Ongoing bool
}

// actual is what a limit is charged in the end.
func (e *Engine) actual(en *entry, a *Actual) int64 {
	l := en.limit
	if a.Void && !l.scopedBy(a.VoidExcept) {
		return 0
	}
	switch l.Dimension {
	case Requests:
		return 1
	case Concurrency:
		if a.Ongoing {
			return 1
		}
		return 0
	}
	if a.Estimated || l.Accounting.onArrival() && !a.Void && a.Usage != (Usage{}) {
		return en.charged
	}
	w := l.Accounting.Weights
	if l.Dimension == Cost {
		price := e.price(a.Model)
		if price == nil {
			return en.charged // it was admitted, at whatever it was reserved
		}
		w = price.Weights
	} else if l.Accounting.Burndown != nil {
		factor := l.Accounting.burndown(a.Model)
		w.Output, w.Reasoning = w.Output*factor, w.Reasoning*factor
	}
	l.Dimension.restrict(&w)
	return w.of(a.Usage)
}

func (a *Accounting) onArrival() bool { return a.Rule == ByArrival || a.Rule == ByLarger }

func (l *limit) scopedBy(attribute int) bool {
	for _, a := range l.Scope {
		if a == attribute {
			return true
		}
	}
	return false
}

// Settle corrects what r was charged to the actual use. What was charged too
// much is given back, but only to the window it was taken from; what was
// charged too little counts in the window of now. It may be called again as
// more becomes known.
func (e *Engine) Settle(now time.Time, a Actual, r *Reservation) error {
	var failed error
	for i := range r.subjects {
		err := e.settle(now.UnixMilli(), &r.subjects[i], r, func(en *entry) int64 { return e.actual(en, &a) })
		failed = errors.Join(failed, err)
	}
	return failed
}

// Charge brings what r was charged to what the demand turned out to be, whether
// it fits or not: where a request had to be decided before its body was in.
func (e *Engine) Charge(now time.Time, d Demand, r *Reservation) error {
	var failed error
	for i := range r.subjects {
		err := e.settle(now.UnixMilli(), &r.subjects[i], r, func(en *entry) int64 {
			if !en.limit.Dimension.countsModelCalls() {
				return en.charged
			}
			if !d.ModelCall && len(en.limit.Match) == 0 {
				return 0
			}
			amount, _, _ := e.charge(en.limit, &d)
			return amount
		})
		failed = errors.Join(failed, err)
	}
	return failed
}

// settle brings the charges of one subject to what target says.
func (e *Engine) settle(now int64, s *subject, r *Reservation, target func(*entry) int64) error {
	changed := false
	for j := s.from; j < s.to; j++ {
		en := &r.entries[j]
		en.target = target(en)
		changed = changed || en.target != en.charged
	}
	if !changed {
		return nil
	}
	err := e.change(now, s, r, func(en *entry) bool { return en.target > en.charged }, func(en *entry, c cell) {
		if d := en.target - en.charged; d > 0 {
			en.added = en.limit.add(c, en.ceiling, d, now)
		} else if d < 0 {
			en.limit.take(c, en.ceiling, min(-d, en.inWindow), en.window, now)
		}
	})
	if err != nil {
		return err
	}
	for j := s.from; j < s.to; j++ {
		en := &r.entries[j]
		en.charge(en.added, en.target-en.charged)
	}
	return nil
}

// Renew keeps the slots of a living stream from running out. It is cheap while
// there is nothing to do, which is nearly always.
func (e *Engine) Renew(now time.Time, r *Reservation) error {
	ms := now.UnixMilli()
	var failed error
	for i := range r.subjects {
		s := &r.subjects[i]
		due := func(en *entry) bool {
			lease, ok := en.limit.algorithm.(*sliding)
			return ok && en.limit.Dimension == Concurrency && en.charged > 0 && ms/lease.slice > en.window
		}
		any := false
		for j := s.from; j < s.to; j++ {
			any = any || due(&r.entries[j])
		}
		if !any {
			continue
		}
		err := e.change(ms, s, r, due, func(en *entry, c cell) {
			if due(en) {
				en.limit.take(c, en.ceiling, en.charged, en.window, ms)
				en.limit.add(c, en.ceiling, en.charged, ms)
			}
		})
		if err == nil {
			for j := s.from; j < s.to; j++ {
				if en := &r.entries[j]; due(en) {
					en.window = ms / en.limit.algorithm.(*sliding).slice
				}
			}
		}
		failed = errors.Join(failed, err)
	}
	return failed
}

// change edits the cells of one subject, retrying until it is done. adds says
// which entries need a cell, if they have none any more: from others there is
// nothing to take.
func (e *Engine) change(now int64, s *subject, r *Reservation, adds func(*entry) bool, apply func(*entry, cell)) error {
	for range maxSettleAttempts {
		if err := e.load(now, s, r); err != nil {
			return err
		}
		gone := true
		for j := s.from; j < s.to; j++ {
			gone = gone && r.entries[j].offset == 0 && !adds(&r.entries[j])
		}
		if gone {
			return nil
		}
		e.edit(now, s, r)
		for j := s.from; j < s.to; j++ {
			en := &r.entries[j]
			apply(en, cellAt(s.value, en.offset))
		}
		err := e.save(s)
		if !errors.Is(err, ErrConflict) {
			return err
		}
		e.Conflicts++
	}
	return ErrContention
}
