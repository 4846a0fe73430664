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

	// Conflicts counts lost races, Garbage the values that were no counters
	// and were replaced. The caller may reset both.
	Conflicts, Garbage int

	key, value []byte // scratch
}

// limit is a Limit made ready.
type limit struct {
	Limit
	order  int // in the configuration
	table  int
	cell   cellID
	window int64 // ms
}

// New makes an Engine for limits over attributes; Scope and Matcher indexes
// must be within those.
func New(attributes []Attribute, configured []Limit, o Options) *Engine {
	e := &Engine{attributes: attributes, store: o.Store, seed: o.Seed}
	for i := range configured {
		l := limit{Limit: configured[i], order: i, window: configured[i].Window.Milliseconds()}
		l.cell = newCellID(&l.Limit)
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

// A Reservation is what Reserve found and charged for one request. The zero
// value is an empty one. It can be used again for another request.
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

	value   []byte // as loaded, while deciding
	version uint32
	exists  bool
}

// entry is one limit that applies.
type entry struct {
	limit    *limit
	max      int64 // the ceiling for this request
	amount   int64 // charged, or to be charged
	atLeast  int64 // of it, what can't be cut
	window   int64 // in which it was charged
	use      use   // as found
	offset   int   // of its cell in the subject's value, while deciding
	refunded bool
}

func (r *Reservation) reset() {
	if r.subjects == nil {
		r.subjects, r.entries = r.firstSubjects[:], r.firstEntries[:]
	}
	r.subjects, r.entries = r.subjects[:0], r.entries[:0]
}

// Outcome is the kind of a Decision.
type Outcome uint8

const (
	// Admitted: all matching limits are charged.
	Admitted Outcome = iota
	// Throttled: it would fit after Wait.
	Throttled
	// TooLarge: it never fits.
	TooLarge
	// Missing: an attribute that the limit requires is absent.
	Missing
	// Identity: an attribute of the limit's scope is ambiguous.
	Identity
	// Contended: too many workers changed the counters at once.
	Contended
)

// A Decision says what becomes of a request. All but Admitted leave no charge.
type Decision struct {
	Outcome Outcome
	// Limit is the one that refused: nil if admitted or contended.
	Limit *Limit
	// Max, Remaining and Requested are that limit's, in its unit.
	Max, Remaining, Requested int64
	// Wait is how long until the request would fit all that refused it.
	Wait time.Duration
	// Attribute is the one that is missing or ambiguous.
	Attribute string
}

// Reserve charges all the limits that match the facts, or none. r then tells
// of each (States), and is what Settle takes. An error is the Store's; then
// nothing is charged.
func (e *Engine) Reserve(now time.Time, facts []Fact, d Demand, r *Reservation) (Decision, error) {
	r.reset()
	if refused, ok := e.collect(facts, d, r); !ok {
		return refused, nil
	}
	ms := now.UnixMilli()
	for range maxAttempts {
		decision, err := e.reserve(ms, r)
		if !errors.Is(err, ErrConflict) {
			return decision, err
		}
		e.Conflicts++
	}
	r.forget()
	return Decision{Outcome: Contended, Wait: time.Second}, nil
}

// collect fills r with the limits that apply, and their subjects.
func (e *Engine) collect(facts []Fact, d Demand, r *Reservation) (refused Decision, ok bool) {
	for i := range e.limits {
		l := &e.limits[i]
		if !e.applies(l, facts, d) {
			continue
		}
		skip := false
		for _, a := range l.Scope {
			switch facts[a].Status {
			case Known:
			case Ambiguous:
				return Decision{Outcome: Identity, Limit: &l.Limit, Attribute: e.attributes[a].Name}, false
			default:
				if l.OnMissing == DenyMissing {
					return Decision{Outcome: Missing, Limit: &l.Limit, Attribute: e.attributes[a].Name}, false
				}
				skip = skip || l.OnMissing == SkipMissing
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
		amount, atLeast := d.charge(l.Dimension)
		r.entries = append(r.entries, entry{limit: l, max: e.ceiling(l, facts), amount: amount, atLeast: atLeast})
		r.subjects[n-1].to = len(r.entries)
	}
	return Decision{}, true
}

func (e *Engine) applies(l *limit, facts []Fact, d Demand) bool {
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
	if refused, ok := check(now, r); !ok {
		r.forget()
		return refused, nil
	}
	for i := range r.subjects {
		s := &r.subjects[i]
		e.edit(now, s, r)
		for j := s.from; j < s.to; j++ {
			en := &r.entries[j]
			en.window = en.limit.charge(cellAt(s.value, en.offset), en.amount, now)
		}
		if err := e.save(s); err != nil {
			e.takeBack(now, r, i)
			if !errors.Is(err, ErrConflict) {
				r.forget()
			}
			return Decision{}, err
		}
	}
	return Decision{}, nil
}

// check holds every entry against its limit. Where several refuse, one that can
// never fit wins, else the one with the longest wait.
func check(now int64, r *Reservation) (refused Decision, ok bool) {
	ok = true
	for i := range r.entries {
		en := &r.entries[i]
		if en.atLeast > en.max {
			if ok || refused.Outcome != TooLarge {
				refused, ok = en.refusal(TooLarge, 0), false
			}
			continue
		}
		// A guess is cut to what the limit can hold: a first request on an
		// empty window is always admitted.
		en.amount = min(en.amount, en.max)
		// An amount of 0 asks only whether anything is left.
		if en.use.used < en.max && en.amount <= en.max-en.use.used {
			continue
		}
		wait := en.use.end - now
		if ok || refused.Outcome == Throttled && wait > refused.Wait.Milliseconds() {
			refused, ok = en.refusal(Throttled, wait), false
		}
	}
	return refused, ok
}

func (en *entry) refusal(o Outcome, wait int64) Decision {
	return Decision{
		Outcome: o, Limit: &en.limit.Limit, Max: en.max,
		Remaining: max(0, en.max-en.use.used), Requested: en.amount,
		Wait: time.Duration(wait) * time.Millisecond,
	}
}

// forget makes r a record of what was found only: nothing is charged.
func (r *Reservation) forget() {
	for i := range r.entries {
		r.entries[i].amount, r.entries[i].refunded = 0, true
	}
}

// takeBack returns what the first n subjects were charged.
func (e *Engine) takeBack(now int64, r *Reservation, n int) {
	for i := range r.subjects[:n] {
		s := &r.subjects[i]
		e.change(now, s, r, func(en *entry) int64 { return -en.amount })
	}
}

// A State is what a Reservation found of one limit.
type State struct {
	Limit *Limit
	// Max is the ceiling for this request, Remaining what is left of it after
	// its charge, both in the limit's unit.
	Max, Remaining int64
	// Reset is when the window ends; zero where nothing is counted in it.
	Reset time.Time
	// Overflow says that the table of subjects is full, and this one shares its
	// counter with others.
	Overflow bool
}

// Len is the number of limits that applied.
func (r *Reservation) Len() int { return len(r.entries) }

// State tells of the i-th limit that applied.
func (r *Reservation) State(i int) State {
	en := &r.entries[i]
	s := State{Limit: &en.limit.Limit, Max: en.max, Remaining: max(0, en.max-en.use.used-en.amount)}
	if end := max(en.window, en.use.end); end > 0 {
		s.Reset = time.UnixMilli(end)
	}
	for j := range r.subjects {
		if i < r.subjects[j].to {
			s.Overflow = r.subjects[j].overflow
			break
		}
	}
	return s
}
