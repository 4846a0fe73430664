package limitstest

import (
	"fmt"
	"testing"
	"time"

	"sluice/limits"
)

// The attributes of the engines here, and their values.
const (
	key = iota
	org
)

var attributes = []limits.Attribute{{Name: "key", Secret: true}, {Name: "org"}}

func facts(key, org string) []limits.Fact {
	return []limits.Fact{{Value: key, Status: limits.Known}, {Value: org, Status: limits.Known}}
}

// start is the time of all that needs no other.
var start = time.UnixMilli(1_800_000_000_123)

func (p place) engine(t *testing.T, configured ...limits.Limit) *limits.Engine {
	return p.engineFor(t, 1000, configured...)
}

// engineFor has room for so many subjects.
func (p place) engineFor(t *testing.T, subjects int, configured ...limits.Limit) *limits.Engine {
	store := p.open()
	seed, err := limits.SharedSeed(store, p.name)
	if err != nil {
		t.Error(err)
	}
	return limits.New(attributes, configured, limits.Options{
		Namespace: p.name, MaxSubjects: subjects, Seed: seed, Store: store,
		Prices: []limits.Price{{Models: limits.NewGlob("*"), Weights: limits.Weights{Input: 2500, Output: 10_000, Reasoning: 10_000}}},
	})
}

// reserve asks until the workers are not in each other's way any more, as a
// client does.
func reserve(t *testing.T, e *limits.Engine, now time.Time, f []limits.Fact, d limits.Demand, r *limits.Reservation) limits.Decision {
	for {
		decision, err := e.Reserve(now, f, d, r)
		if err != nil {
			t.Error(err)
		}
		if decision.Outcome != limits.Contended {
			return decision
		}
	}
}

// used is what counts of the i-th of some limits, which are of one scope.
func used(t *testing.T, e *limits.Engine, now time.Time, f []limits.Fact, i int) int64 {
	t.Helper()
	var r limits.Reservation
	if err := e.Look(now, f, limits.Demand{ModelCall: true}, &r); err != nil {
		t.Fatal(err)
	}
	return r.State(i).Used
}

func seed(t *testing.T, p place) {
	var seeds [workers]limits.Seed
	parallel(func(worker int) int {
		s, err := limits.SharedSeed(p.open(), p.name)
		if err != nil {
			t.Error(err)
		}
		seeds[worker] = s
		return 0
	})
	if seeds[0] == (limits.Seed{}) {
		t.Error("the seed is zero")
	}
	for _, s := range seeds {
		if s != seeds[0] {
			t.Fatalf("two seeds: %v, %v", s, seeds[0])
		}
	}
}

// call asks for 30 tokens, or 20·2,500 + 10·10,000 billionths of a US$.
var call = limits.Demand{Input: 20, Output: 10, ModelCall: true, Model: "m"}

// kinds are limits of which 30 calls fit one.
func kinds() []limits.Limit {
	var all []limits.Limit
	for _, a := range []limits.Algorithm{limits.FixedWindow, limits.SlidingWindow, limits.TokenBucket} {
		for _, d := range []limits.Limit{
			{Dimension: limits.Requests, Max: 30},
			{Dimension: limits.Tokens, Max: 30*30 + 29, Accounting: limits.Total()},
			{Dimension: limits.InputTokens, Max: 30*20 + 19, Accounting: limits.Total()},
			{Dimension: limits.Cost, Max: 30*150_000 + 149_999, Accounting: limits.Total()},
		} {
			d.Algorithm, d.Window = a, time.Hour
			d.Name = fmt.Sprintf("%s-%d", d.Dimension, a)
			d.Scope = []int{key}
			all = append(all, d)
		}
	}
	return append(all, limits.Limit{Name: "concurrency", Dimension: limits.Concurrency, Max: 30, Window: time.Hour, Scope: []int{key}})
}

func admission(t *testing.T, p place) {
	for _, l := range kinds() {
		t.Run(l.Name, func(t *testing.T) {
			admitted := parallel(func(int) (n int) {
				e := p.engine(t, l)
				for range 12 {
					var r limits.Reservation
					if d := reserve(t, e, start, facts("k", "o"), call, &r); !d.Refused() {
						n++
					}
				}
				return n
			})
			if admitted != 30 {
				t.Errorf("%d admitted of 30 that fit", admitted)
			}
		})
	}
}

func threeScopes(t *testing.T, p place) {
	configured := []limits.Limit{
		{Name: "key", Max: 25, Window: time.Hour, Scope: []int{key}},
		{Name: "org", Max: 40 * 30, Dimension: limits.Tokens, Window: time.Hour, Scope: []int{org}, Accounting: limits.Total(), Algorithm: limits.SlidingWindow},
		{Name: "all", Max: 45, Dimension: limits.Concurrency, Window: time.Hour},
	}
	keys := []string{"k0", "k1"}
	admitted := parallel(func(worker int) (n int) {
		e := p.engine(t, configured...)
		for range 12 {
			var r limits.Reservation
			if d := reserve(t, e, start, facts(keys[worker%2], "o"), call, &r); !d.Refused() {
				n++
			}
		}
		return n
	})
	if admitted != 40 {
		t.Errorf("%d admitted of 40 that fit all", admitted)
	}
	// Who was refused by one limit has left no charge with the others.
	e, requests := p.engine(t, configured...), int64(0)
	for _, k := range keys {
		requests += used(t, e, start, facts(k, "o"), 0)
	}
	if requests != 40 {
		t.Errorf("%d requests counted", requests)
	}
	if n := used(t, e, start, facts("k0", "o"), 1); n != 40*30 {
		t.Errorf("%d tokens counted", n)
	}
	if n := used(t, e, start, facts("k0", "o"), 2); n != 40 {
		t.Errorf("%d slots taken", n)
	}
}

func settlement(t *testing.T, p place) {
	for _, l := range kinds() {
		if l.Dimension != limits.Tokens {
			continue
		}
		l.Max = 1_000_000
		requests := limits.Limit{Name: "requests", Max: 1000, Window: time.Hour, Scope: l.Scope}
		t.Run(l.Name, func(t *testing.T) {
			const each = 15
			want := parallel(func(worker int) (n int) {
				e := p.engine(t, l, requests)
				for i := range each {
					var r limits.Reservation
					if d := reserve(t, e, start, facts(l.Name, "o"), call, &r); d.Refused() {
						t.Errorf("refused: %+v", d)
					}
					a := limits.Actual{VoidExcept: -1}
					switch i % 3 {
					case 0: // less than was reserved
						a.Usage = limits.Usage{Input: 11, Output: int64(worker)}
					case 1: // more
						a.Usage = limits.Usage{Input: 25, Output: 10 + int64(worker)}
					case 2:
						a.Void = true
					}
					if err := e.Settle(start, a, &r); err != nil {
						t.Error(err)
					}
					n += int(a.Usage.Input + a.Usage.Output)
				}
				return n
			})
			e := p.engine(t, l, requests)
			if got := used(t, e, start, facts(l.Name, "o"), 0); got != int64(want) {
				t.Errorf("%d tokens counted; want %d", got, want)
			}
			if got := used(t, e, start, facts(l.Name, "o"), 1); got != workers*each*2/3 {
				t.Errorf("%d requests counted; want %d", got, workers*each*2/3)
			}
		})
	}
}

func slots(t *testing.T, p place) {
	l := limits.Limit{Name: "slots", Dimension: limits.Concurrency, Max: workers * 6, Window: 10 * time.Second, Scope: []int{key}}
	parallel(func(int) int {
		e := p.engine(t, l)
		var held []*limits.Reservation
		for i := range 20 {
			r := new(limits.Reservation)
			if d := reserve(t, e, start, facts("k", "o"), call, r); d.Refused() {
				t.Errorf("refused: %+v", d)
			}
			// The workers are up to a second apart, as they may be.
			now := start.Add(time.Duration(i) * 50 * time.Millisecond)
			if err := e.Renew(now, r); err != nil {
				t.Error(err)
			}
			if i < 5 {
				held = append(held, r)
			} else {
				must(t, e.Settle(now, limits.Actual{}, r))
			}
			if len(held) == 5 && i%2 == 0 { // one out, one in
				must(t, e.Settle(now, limits.Actual{}, held[0]))
				held = held[1:]
			}
		}
		for _, r := range held {
			must(t, e.Settle(start.Add(time.Second), limits.Actual{}, r))
		}
		return 0
	})
	if n := used(t, p.engine(t, l), start.Add(time.Second), facts("k", "o"), 0); n != 0 {
		t.Errorf("%d slots are taken of none", n)
	}
}

func retry(t *testing.T, p place) {
	for _, l := range kinds() {
		if l.Dimension == limits.Concurrency {
			continue // nobody knows when a stream ends
		}
		t.Run(l.Name, func(t *testing.T) {
			e, now := p.engine(t, l), start
			var r limits.Reservation
			d := reserve(t, e, now, facts("k", "o"), call, &r)
			for !d.Refused() {
				now = now.Add(777 * time.Millisecond)
				d = reserve(t, e, now, facts("k", "o"), call, &r)
			}
			if d.Outcome != limits.Throttled || d.Limit.Name != l.Name || d.Wait <= 0 {
				t.Fatalf("%+v", d)
			}
			early := reserve(t, e, now.Add(d.Wait-time.Millisecond), facts("k", "o"), call, &r)
			if !early.Refused() || early.Wait != time.Millisecond {
				t.Errorf("1 ms before %v: %+v", d.Wait, early)
			}
			if on := reserve(t, e, now.Add(d.Wait), facts("k", "o"), call, &r); on.Refused() {
				t.Errorf("after %v: %+v", d.Wait, on)
			}
		})
	}
}

// recorder notes the keys that are written.
type recorder struct {
	limits.Store
	keys map[string]bool
}

func (r recorder) Create(key, value []byte) error {
	r.keys[string(key)] = true
	return r.Store.Create(key, value)
}

func garbage(t *testing.T, p place) {
	l := limits.Limit{Name: "l", Max: 5, Window: time.Hour, Scope: []int{key}}
	written := recorder{p.open(), map[string]bool{}}
	open := func() limits.Store { return written }
	for _, bytes := range []string{"", "\x00", "garbage", "\x01garbage", "\x01" + string(make([]byte, 100))} {
		p := newPlace(open)
		clear(written.keys)
		e := p.engine(t, l)
		var r limits.Reservation
		reserve(t, e, start, facts("k", "o"), call, &r)
		if len(written.keys) < 2 {
			t.Fatal("neither a seed nor a counter was written")
		}
		for key := range written.keys {
			_, version, err := written.Get([]byte(key))
			must(t, err)
			must(t, written.Swap([]byte(key), []byte(bytes), version))
		}
		// What was counted is lost, but from here on it is exact again.
		e = p.engine(t, l)
		n := 0
		for range 10 {
			if d := reserve(t, e, start, facts("k", "o"), call, &r); !d.Refused() {
				n++
			}
		}
		if n != 5 {
			t.Errorf("%d admitted of 5 that fit, over %q", n, bytes)
		}
	}
}

func another(t *testing.T, p place) {
	configured := kinds()
	f := facts("k", "o")
	var r limits.Reservation
	e := p.engine(t, configured...)
	for range 10 {
		reserve(t, e, start, f, call, &r)
	}
	e = p.engine(t, configured...)
	n := 0
	for range 30 {
		if d := reserve(t, e, start, f, call, &r); !d.Refused() {
			n++
		}
	}
	if n != 20 {
		t.Errorf("%d admitted after 10 of 30", n)
	}
}

func changedCeiling(t *testing.T, p place) {
	for _, l := range kinds() {
		t.Run(l.Name, func(t *testing.T) {
			f := facts("k", "o")
			var r limits.Reservation
			admit := func(ceiling int64) (n int) {
				l.Max = ceiling
				e := p.engine(t, l)
				for range 100 {
					if d := reserve(t, e, start, f, call, &r); !d.Refused() {
						n++
					}
				}
				return n
			}
			one := l.Max / 30
			for _, step := range []struct {
				ceiling int64
				want    int
			}{{10 * one, 10}, {15 * one, 5}, {5 * one, 0}, {15 * one, 0}, {16 * one, 1}} {
				if got := admit(step.ceiling); got != step.want {
					t.Errorf("at %d calls, %d more are admitted; want %d", step.ceiling/one, got, step.want)
				}
			}
		})
	}
}

func changedSubjects(t *testing.T, p place) {
	const keys = 60
	l := limits.Limit{Name: "l", Max: 30, Window: time.Hour, Scope: []int{key}}
	want := int64(0)
	// Fewer than the keys were too many for: later there is room for each.
	for _, subjects := range []int{keys, 400, 100, 50_000, 1 << 20, 1000} {
		e := p.engineFor(t, subjects, l)
		want++
		for i := range keys {
			f := facts(fmt.Sprint("k", i), "o")
			var r limits.Reservation
			if d := reserve(t, e, start, f, call, &r); d.Refused() || r.State(0).Overflow || r.State(0).Used != want {
				t.Fatalf("key %d of %d with room for %d: %+v, %+v; want %d used", i, keys, subjects, d, r.State(0), want)
			}
		}
	}
}

func differentSubjects(t *testing.T, p place) {
	const keys, each = 12, 8
	l := limits.Limit{Name: "l", Max: 30, Window: time.Hour, Scope: []int{key}}
	for round := range 5 {
		name := func(i int) []limits.Fact { return facts(fmt.Sprint("k", i), "o") }
		p := newPlace(p.open)
		var admitted [workers][keys]int
		parallel(func(worker int) int {
			e := p.engineFor(t, []int{30, 100, 3000, 1 << 20}[(worker+round)%4], l)
			for range each {
				for i := range keys {
					var r limits.Reservation
					if d := reserve(t, e, start, name(i), call, &r); !d.Refused() {
						admitted[worker][i]++
					}
					if r.Len() > 0 && r.State(0).Overflow {
						t.Errorf("no room for key %d of %d", i, keys)
					}
				}
			}
			return 0
		})
		e := p.engineFor(t, 30, l)
		for i := range keys {
			sum := 0
			for w := range workers {
				sum += admitted[w][i]
			}
			if n := used(t, e, start, name(i), 0); sum != 30 || n != 30 {
				t.Fatalf("round %d: %d admitted and %d counted of 30 that fit key %d", round, sum, n, i)
			}
		}
	}
}
