package limits_test

import (
	"time"

	"pgregory.net/rapid"

	"sluice/limits"
	"sluice/limits/limitstest"
)

// The attributes of all tests, by their index.
const (
	key = iota
	org
	model
	ip
)

var attributes = []limits.Attribute{{Name: "key", Secret: true}, {Name: "org"}, {Name: "model"}, {Name: "ip"}}

// known are facts of which all but the empty ones are known.
func known(values ...string) []limits.Fact {
	facts := make([]limits.Fact, len(attributes))
	for i, v := range values {
		if v != "" {
			facts[i] = limits.Fact{Value: v, Status: limits.Known}
		}
	}
	return facts
}

// world is an engine with its store and its clock.
type world struct {
	rapid.TB
	*limits.Engine
	store   *limitstest.Memory
	limits  []limits.Limit
	options limits.Options
	now     time.Time
	facts   []limits.Fact
	demand  limits.Demand
}

var start = time.Date(2026, time.November, 30, 12, 0, 0, 123e6, time.UTC)

// newWorld has one engine over some limits, in whose scopes and matchers all
// facts are known.
func newWorld(t rapid.TB, configured ...limits.Limit) *world {
	return newWorldWith(t, limits.Options{}, configured...)
}

func newWorldWith(t rapid.TB, o limits.Options, configured ...limits.Limit) *world {
	w := &world{
		TB: t, store: limitstest.NewMemory(), limits: configured, now: start,
		facts: known("k", "o", "m", "1.2.3.4"), demand: limits.Demand{ModelCall: true, Model: "m"},
	}
	if o.MaxSubjects == 0 {
		o.MaxSubjects = 1000
	}
	if o.Store == nil {
		o.Store = w.store
	}
	w.options = o
	w.Engine = w.engine()
	return w
}

// engine makes another one, over the same store.
func (w *world) engine() *limits.Engine { return limits.New(attributes, w.limits, w.options) }

// after moves the clock.
func (w *world) after(d time.Duration) *world {
	w.now = w.now.Add(d)
	return w
}

// tokens sets what requests ask for from here on.
func (w *world) tokens(input, output int64) *world {
	w.demand.Input, w.demand.Output = input, output
	return w
}

func (w *world) reserve() (limits.Decision, *limits.Reservation) {
	w.Helper()
	r := new(limits.Reservation)
	d, err := w.Reserve(w.now, w.facts, w.demand, r)
	if err != nil {
		w.Fatal(err)
	}
	return d, r
}

func (w *world) admit() *limits.Reservation {
	w.Helper()
	d, r := w.reserve()
	if d.Outcome != limits.Admitted {
		w.Fatalf("at %v: refused: %+v", w.now, d)
	}
	return r
}

// refuse wants an outcome, and with a throttle a wait that is exact: then, and
// not a millisecond earlier, the request would be admitted.
func (w *world) refuse(want limits.Outcome) limits.Decision {
	w.Helper()
	d, _ := w.reserve()
	if d.Outcome != want || !d.Refused() {
		w.Fatalf("at %v: %+v; want outcome %d", w.now, d, want)
	}
	return d
}

func (w *world) throttle(wait time.Duration) {
	w.Helper()
	d := w.refuse(limits.Throttled)
	if d.Wait != wait {
		w.Fatalf("at %v: wait %v; want %v", w.now, d.Wait, wait)
	}
	if wait == limits.Forever || d.Limit.Dimension == limits.Concurrency {
		return
	}
	if d := w.at(wait - time.Millisecond); !d.Refused() {
		w.Fatalf("1 ms before the wait of %v is over: %+v", wait, d)
	}
	if d := w.at(wait); d.Refused() {
		w.Fatalf("after the wait of %v: %+v", wait, d)
	}
}

// at says what would become of a request after a time, in a world of its own.
func (w *world) at(after time.Duration) limits.Decision {
	w.Helper()
	o := w.options
	o.Store = w.store.Clone()
	d, err := limits.New(attributes, w.limits, o).Reserve(w.now.Add(after), w.facts, w.demand, new(limits.Reservation))
	if err != nil {
		w.Fatal(err)
	}
	return d
}

// void is the end of a request that counts as if it had never come.
var void = limits.Actual{Void: true, VoidExcept: -1}

func (w *world) settle(r *limits.Reservation, a limits.Actual) {
	w.Helper()
	if err := w.Settle(w.now, a, r); err != nil {
		w.Fatal(err)
	}
}

func (w *world) settleTokens(r *limits.Reservation, input, output int64) {
	w.Helper()
	w.settle(r, limits.Actual{Usage: limits.Usage{Input: input, Output: output}, Model: "m", VoidExcept: -1})
}

// charge makes a request that is not over one of so many tokens.
func (w *world) charge(r *limits.Reservation, input int64) {
	w.Helper()
	if err := w.Charge(w.now, limits.Demand{Input: input, ModelCall: true, Model: "m"}, r); err != nil {
		w.Fatal(err)
	}
}

func (w *world) state(name string) limits.State {
	w.Helper()
	var r limits.Reservation
	if err := w.Look(w.now, w.facts, w.demand, &r); err != nil {
		w.Fatal(err)
	}
	for i := range r.Len() {
		if s := r.State(i); s.Limit.Name == name {
			return s
		}
	}
	w.Fatalf("limit %q does not apply", name)
	return limits.State{}
}

func (w *world) used(name string, want int64) {
	w.Helper()
	if s := w.state(name); s.Used != want {
		w.Fatalf("at %v: %d used of %s; want %d", w.now, s.Used, name, want)
	}
}
