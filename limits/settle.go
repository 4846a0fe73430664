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
		return 0
	}
	switch {
	case a.Estimated:
		return en.charged
	case a.Usage == (Usage{}):
		return 0
	case l.Accounting.onArrival():
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

// Charge corrects what r was charged to a demand that is known only after the
// request was admitted. Whether that fits is not asked any more.
func (e *Engine) Charge(now time.Time, d Demand, r *Reservation) error {
	return e.settleAll(now, r, func(en *entry) int64 {
		amount, atLeast, priced := e.charge(en.limit, &d)
		if !priced {
			return en.charged
		}
		return max(atLeast, min(amount, en.max))
	})
}

// Settle corrects what r was charged to the actual use. What was charged too
// much is given back, but only to the window it was taken from; what was
// charged too little counts in the window of now. It may be called again as
// more becomes known.
func (e *Engine) Settle(now time.Time, a Actual, r *Reservation) error {
	return e.settleAll(now, r, func(en *entry) int64 { return e.actual(en, &a) })
}

func (e *Engine) settleAll(now time.Time, r *Reservation, target func(*entry) int64) error {
	var failed error
	for i := range r.subjects {
		err := e.settle(now.UnixMilli(), &r.subjects[i], r, target)
		failed = errors.Join(failed, err)
	}
	return failed
}

// settle brings the charges of one subject to what target says.
func (e *Engine) settle(now int64, s *subject, r *Reservation, target func(*entry) int64) error {
	if !s.aim(r, target) {
		return nil
	}
	return e.change(now, s, r)
}

// aim sets what the entries of a subject are to be charged in all, and says if
// that is another amount than they are.
func (s *subject) aim(r *Reservation, target func(*entry) int64) (changes bool) {
	for j := s.from; j < s.to; j++ {
		en := &r.entries[j]
		if en.target = 0; !en.exempt {
			en.target = target(en)
		}
		changes = changes || en.target != en.charged
	}
	return changes
}

// Renew keeps the slots of a living stream from running out; one that has run
// out is taken anew, whatever the limit: the stream is there. It is cheap while
// there is nothing to do, which is nearly always.
func (e *Engine) Renew(now time.Time, r *Reservation) error {
	var failed error
	for i := range r.subjects {
		s := &r.subjects[i]
		if s.due(r, now.UnixMilli()) {
			failed = errors.Join(failed, e.change(now.UnixMilli(), s, r))
		}
	}
	return failed
}

// due marks the slots of a subject that are to be renewed: those whose slice of
// time is over. It says if there are any.
func (s *subject) due(r *Reservation, now int64) (any bool) {
	for j := s.from; j < s.to; j++ {
		en := &r.entries[j]
		en.target, en.due = en.charged, false
		if en.limit.Dimension == Concurrency && en.charged > 0 {
			en.due = now/en.limit.algorithm.(*sliding).slice > en.window
		}
		any = any || en.due
	}
	return any
}

// change brings a subject to what its entries are to be charged, and tries
// until that is done.
func (e *Engine) change(now int64, s *subject, r *Reservation) error {
	err := ErrConflict
	for attempt := 0; attempt < maxSettleAttempts && errors.Is(err, ErrConflict); attempt++ {
		if err = e.load(now, s, r); err == nil {
			err = e.commit(now, s, r)
		}
		if errors.Is(err, ErrConflict) {
			e.Conflicts++
		}
	}
	s.value = nil
	if errors.Is(err, ErrConflict) {
		return ErrContention
	}
	return err
}
