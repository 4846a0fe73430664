package limits

import (
	"errors"
	"time"
)

// Options are what an Engine needs beside the limits.
type Options struct {
	// Namespace keeps the counters of one configuration apart from another's in
	// the same store.
	Namespace string
	// MaxSubjects bounds the subjects that each scope keeps apart, at least 1.
	MaxSubjects int
	// Seed is the secret of the subjects' fingerprints: who does not know it
	// can't choose values that collide. All who share a store must share it
	// (see SharedSeed).
	Seed  Seed
	Store Store
	// Prices are what Cost limits count by; of several that match a model the
	// most specific counts.
	Prices []Price
	// Observe makes every limit a shadow: all is counted and decided, and
	// everything is admitted.
	Observe bool
}

// maxAttempts bounds the retries after a conflict. Each conflict means that
// another worker got on, so more than a few mean that something is wrong.
const maxAttempts = 100

// An Engine holds a set of limits and their counters. It is not safe for
// concurrent use: each worker has one of its own, over a common Store.
type Engine struct {
	attributes []Attribute
	limits     []limit // of one table side by side
	tables     []table
	store      Store
	seed       Seed
	prices     []Price
	observe    bool

	// Conflicts counts lost races, Garbage the values that were no counters
	// and were replaced. The caller may reset both.
	Conflicts, Garbage int

	key, value []byte // scratch
}

// limit is a Limit made ready.
type limit struct {
	Limit
	algorithm
	order int // in the configuration
	table int
	cell  cellID
}

// New makes an Engine for limits over attributes; Scope and Matcher indexes
// must be within those.
func New(attributes []Attribute, configured []Limit, o Options) *Engine {
	e := &Engine{attributes: attributes, store: o.Store, seed: o.Seed, prices: o.Prices, observe: o.Observe}
	for i := range configured {
		l := limit{Limit: configured[i], order: i}
		l.algorithm = l.Limit.algorithm()
		l.cell = newCellID(&l.Limit, l.words())
		l.table = e.tableFor(l.Scope, o)
		at := len(e.limits)
		for at > 0 && e.limits[at-1].table > l.table {
			at--
		}
		e.limits = append(e.limits, limit{})
		copy(e.limits[at+1:], e.limits[at:])
		e.limits[at] = l
	}
	return e
}

// Reserve charges all the limits that match the facts, or none. r then tells
// of each (States), and is what Settle takes. An error is the Store's; then
// nothing is charged.
func (e *Engine) Reserve(now time.Time, facts []Fact, d Demand, r *Reservation) (Decision, error) {
	r.reset()
	refused, ok := e.collect(facts, &d, r)
	if !ok {
		r.forget()
		return refused, nil
	}
	ms := now.UnixMilli()
	for range maxAttempts {
		decision, err := e.reserve(ms, r)
		if errors.Is(err, ErrConflict) {
			e.Conflicts++
			continue
		}
		if err == nil && refused.Outcome != Admitted && decision.Outcome == Admitted {
			decision = refused // that was only observed
		}
		return decision, err
	}
	r.forget()
	return Decision{Outcome: Contended, Wait: time.Second}, nil
}

// collect fills r with the limits that apply, and their subjects. Not ok: the
// request is refused for what it does not say. If that is only observed, it is
// counted as far as can be.
func (e *Engine) collect(facts []Fact, d *Demand, r *Reservation) (refused Decision, ok bool) {
	for i := range e.limits {
		l := &e.limits[i]
		if !e.applies(l, facts, d) {
			continue
		}
		amount, atLeast, priced := e.charge(l, d)
		outcome, attribute, skip := l.identify(facts)
		if outcome == Admitted && !priced {
			outcome = Unpriced
		}
		if outcome != Admitted {
			found := Decision{Outcome: outcome, Limit: &l.Limit, Observed: l.Shadow || e.observe}
			if outcome != Unpriced {
				found.Attribute = e.attributes[attribute].Name
			}
			if !found.Observed {
				return found, false
			}
			if refused.Outcome == Admitted {
				refused = found
			}
		}
		if skip {
			continue
		}
		n := len(r.subjects)
		if n == 0 || r.subjects[n-1].table != l.table {
			r.subjects = append(r.subjects, subject{
				table: l.table, print: e.fingerprint(l.Scope, facts), from: len(r.entries)})
			n++
		}
		ceiling := e.ceiling(l, facts)
		r.entries = append(r.entries, entry{
			limit: l, ceiling: ceiling, max: l.capacity(ceiling), amount: amount, atLeast: atLeast})
		r.subjects[n-1].to = len(r.entries)
	}
	return refused, true
}

// identify says what stands against a limit's scope in the facts.
func (l *limit) identify(facts []Fact) (outcome Outcome, attribute int, skip bool) {
	for _, a := range l.Scope {
		switch facts[a].Status {
		case Known:
		case Ambiguous:
			outcome, attribute = Identity, a
		default:
			if l.OnMissing == DenyMissing && outcome == Admitted {
				outcome, attribute = Missing, a
			}
			skip = skip || l.OnMissing == SkipMissing
		}
	}
	return outcome, attribute, skip && outcome == Admitted
}

func (e *Engine) applies(l *limit, facts []Fact, d *Demand) bool {
	if len(l.Match) == 0 {
		return d.ModelCall || !l.Dimension.countsModelCalls()
	}
	return e.matchAll(l.Match, facts)
}

func (e *Engine) matchAll(matchers []Matcher, facts []Fact) bool {
	for i := range matchers {
		if !matchers[i].matches(facts, e.attributes) {
			return false
		}
	}
	return true
}

func (e *Engine) ceiling(l *limit, facts []Fact) int64 {
	for i := range l.Overrides {
		if e.matchAll(l.Overrides[i].Match, facts) {
			return l.Overrides[i].Max
		}
	}
	return l.Max
}

// reserve is one attempt: load every subject, check every limit, and only if
// all pass, charge subject after subject, taking back what was charged if
// another worker came between. ErrConflict: try again.
func (e *Engine) reserve(now int64, r *Reservation) (Decision, error) {
	for i := range r.subjects {
		if err := e.load(now, &r.subjects[i], r); err != nil {
			r.forget()
			return Decision{}, err
		}
	}
	decision := e.check(now, r)
	if decision.Outcome != Admitted && !decision.Observed {
		r.forget()
		return decision, nil
	}
	for i := range r.subjects {
		s := &r.subjects[i]
		e.edit(now, s, r)
		for j := s.from; j < s.to; j++ {
			en := &r.entries[j]
			en.added = en.limit.add(cellAt(s.value, en.offset), en.ceiling, en.amount, now)
		}
		if err := e.save(s); err != nil {
			e.takeBack(now, r, i)
			if !errors.Is(err, ErrConflict) {
				r.forget()
			}
			return Decision{}, err
		}
		for j := s.from; j < s.to; j++ {
			en := &r.entries[j]
			en.charge(en.added, en.amount)
		}
	}
	return decision, nil
}

// check holds every entry against its limit. Of several that refuse, one that
// can never fit wins, else the one with the longest wait. What only a shadow
// refuses is admitted.
func (e *Engine) check(now int64, r *Reservation) Decision {
	var refused, observed Decision
	for i := range r.entries {
		en := &r.entries[i]
		d, ok := en.check(now)
		en.over = !ok
		if ok {
			continue
		}
		if e.observe || en.limit.Shadow {
			d.Observed = true
			observed = graver(observed, d)
		} else {
			refused = graver(refused, d)
		}
	}
	if refused.Outcome != Admitted {
		return refused
	}
	return observed
}

func graver(a, b Decision) Decision {
	if a.Outcome == Admitted || a.Outcome != TooLarge && (b.Outcome == TooLarge || b.Wait > a.Wait) {
		return b
	}
	return a
}

func (en *entry) check(now int64) (refused Decision, ok bool) {
	if en.atLeast > en.max {
		return en.refusal(TooLarge, 0), false
	}
	// A guess is cut to what the limit can hold: a first request on an empty
	// window is always admitted.
	en.amount = min(en.amount, en.max)
	// An amount of 0 asks only whether anything is left.
	if en.used < en.max && en.amount <= en.max-en.used {
		return Decision{}, true
	}
	wait := en.wait
	if wait != Forever {
		wait = max(wait, time.Millisecond)
	}
	if en.limit.Dimension == Concurrency {
		wait = time.Second // nobody knows when a stream ends
	}
	return en.refusal(Throttled, wait), false
}

func (en *entry) refusal(o Outcome, wait time.Duration) Decision {
	return Decision{
		Outcome: o, Limit: &en.limit.Limit, Max: en.max,
		Remaining: max(0, en.max-en.used), Requested: en.amount, Wait: wait,
	}
}

// takeBack returns what the first n subjects were charged. What fails of it
// stays charged, which lets too little pass rather than too much.
func (e *Engine) takeBack(now int64, r *Reservation, n int) {
	for i := range r.subjects[:n] {
		_ = e.settle(now, &r.subjects[i], r, func(*entry) int64 { return 0 })
	}
}
