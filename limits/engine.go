package limits

import (
	"errors"
	"math"
	"time"
)

// Options are what an Engine needs beside the limits.
type Options struct {
	// Namespace keeps the counters of one configuration apart from another's in
	// the same store.
	Namespace string
	// MaxSubjects is how many subjects each scope has room for, at least 1: so
	// many have a counter of their own, and fresh ones beyond some three times
	// as many share one. Engines of one namespace may have different numbers,
	// one after the other or side by side; the memory of the largest is kept.
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
	namespace  string
	subjects   int // Options.MaxSubjects
	depth      int // of the tables
	levels     levels
	store      Store
	seed       Seed
	prices     []Price
	observe    bool

	// Conflicts counts lost races, Garbage the values that were no counters
	// and were taken for none. The caller may reset both.
	Conflicts, Garbage int

	key, value []byte // scratch
}

// limit is a Limit made ready.
type limit struct {
	Limit
	algorithm
	table int
	cell  cellID
}

// New makes an Engine for limits over attributes; Scope and Matcher indexes
// must be within those.
func New(attributes []Attribute, configured []Limit, o Options) *Engine {
	e := &Engine{
		attributes: attributes, store: o.Store, seed: o.Seed, prices: o.Prices, observe: o.Observe,
		namespace: o.Namespace, subjects: o.MaxSubjects, depth: unknownDepth,
	}
	for i := range configured {
		l := limit{Limit: configured[i]}
		l.algorithm = l.Limit.algorithm()
		l.cell = newCellID(&l.Limit, l.words())
		l.table = e.tableFor(l.Scope)
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
		r.empty()
		return refused, nil
	}
	ms := now.UnixMilli()
	for range maxAttempts {
		decision, err := e.reserve(ms, r, refused.Outcome != Admitted)
		switch {
		case errors.Is(err, ErrConflict):
			e.Conflicts++
			continue
		case err != nil:
			r.empty()
			return Decision{}, err
		case decision.Refused():
			r.forget()
			return decision, nil
		case decision.Outcome == Admitted:
			decision = refused // if anything, it was only observed
		}
		r.release()
		return decision, nil
	}
	observed := e.onlyObserves(r)
	r.empty()
	return Decision{Outcome: Contended, Observed: observed, Wait: time.Second}, nil
}

// onlyObserves says that none of the limits that apply may refuse.
func (e *Engine) onlyObserves(r *Reservation) bool {
	for i := range r.entries {
		if !e.observes(r.entries[i].limit) {
			return false
		}
	}
	return true
}

// observes says that a limit counts and reports, but does not refuse.
func (e *Engine) observes(l *limit) bool { return e.observe || l.Shadow }

// Look fills r with what Reserve would find, and charges nothing.
func (e *Engine) Look(now time.Time, facts []Fact, d Demand, r *Reservation) error {
	r.reset()
	if _, ok := e.collect(facts, &d, r); !ok {
		r.empty()
		return nil
	}
	for i := range r.subjects {
		err := ErrConflict
		for attempt := 0; attempt < maxAttempts && errors.Is(err, ErrConflict); attempt++ {
			err = e.load(now.UnixMilli(), &r.subjects[i], r)
		}
		if err != nil {
			r.empty()
			return err
		}
	}
	r.forget()
	return nil
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
			found := Decision{Outcome: outcome, Limit: &l.Limit, Observed: e.observes(l)}
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
			limit: l, ceiling: ceiling, max: l.capacity(ceiling), amount: amount, atLeast: atLeast,
			faulty: outcome != Admitted})
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
	return e.match(l.Match, facts) != no
}

// match says whether all of some matchers hold.
func (e *Engine) match(matchers []Matcher, facts []Fact) answer {
	all := yes
	for i := range matchers {
		all = min(all, matchers[i].match(facts, e.attributes))
		if all == no {
			break
		}
	}
	return all
}

// ceiling is that of the first override that matches. While it can't be known
// whether one does, the least of all that may be meant counts: who leaves it
// open gains nothing.
func (e *Engine) ceiling(l *limit, facts []Fact) int64 {
	least := int64(math.MaxInt64)
	for i := range l.Overrides {
		o := &l.Overrides[i]
		switch e.match(o.Match, facts) {
		case yes:
			return min(least, o.Max)
		case perhaps:
			least = min(least, o.Max)
		}
	}
	return min(least, l.Max)
}

// reserve is one attempt: load every subject, check every limit, and only if
// all pass, charge subject after subject, taking back what was charged if
// another worker came between. ErrConflict: try again.
//
// What is only observed is not charged what would have been refused: it tells
// what enforcing would do. Observed says that something would be already.
func (e *Engine) reserve(now int64, r *Reservation, observed bool) (Decision, error) {
	for i := range r.subjects {
		if err := e.load(now, &r.subjects[i], r); err != nil {
			return Decision{}, err
		}
	}
	decision := e.check(r)
	if decision.Refused() {
		return decision, nil
	}
	for i := range r.entries {
		en := &r.entries[i]
		en.exempt = en.faulty || en.over || e.observe && (observed || decision.Outcome != Admitted)
	}
	for i := range r.subjects {
		s := &r.subjects[i]
		if !s.aim(r, func(en *entry) int64 { return en.charged + en.amount }) {
			continue
		}
		if err := e.commit(now, s, r); err != nil {
			e.takeBack(now, r, i)
			return Decision{}, err
		}
	}
	return decision, nil
}

// check holds every entry against its limit. Of several that refuse, one that
// can never fit wins, else the one with the longest wait. What only a shadow
// refuses is admitted.
func (e *Engine) check(r *Reservation) Decision {
	var refused, observed Decision
	for i := range r.entries {
		en := &r.entries[i]
		d, ok := en.check()
		en.over = !ok
		if ok {
			continue
		}
		if e.observes(en.limit) {
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

func (en *entry) check() (refused Decision, ok bool) {
	if en.atLeast > en.max {
		return en.refusal(TooLarge, 0), false
	}
	// A guess is cut to what the limit can hold: a first request on an empty
	// window is always admitted.
	en.amount = min(en.amount, en.max)
	if en.wait == 0 {
		return Decision{}, true
	}
	wait := en.wait
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
