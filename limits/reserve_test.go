package limits_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"sluice/limits"
)

func TestGuessIsCutToWhatTheLimitHolds(t *testing.T) {
	w := newWorld(t, limits.Limit{Name: "l", Dimension: limits.Tokens, Max: 1000, Window: time.Minute, Accounting: limits.Total()})
	for _, test := range []struct {
		name    string
		demand  limits.Demand
		outcome limits.Outcome
		charged int64
	}{
		{"a guessed output is cut", limits.Demand{Input: 100, Output: 1024, Guessed: true}, limits.Admitted, 1000},
		{"a stated one is not", limits.Demand{Input: 100, Output: 901}, limits.TooLarge, 0},
		{"a stated one that just fits", limits.Demand{Input: 100, Output: 900}, limits.Admitted, 1000},
		{"an input is not", limits.Demand{Input: 1001, Output: 10, Guessed: true}, limits.TooLarge, 0},
		{"a guessed input is cut", limits.Demand{Input: 5000, Output: 10, InputGuessed: true}, limits.Admitted, 1000},
	} {
		t.Run(test.name, func(t *testing.T) {
			w.TB = t
			w.demand = test.demand
			w.demand.ModelCall = true
			d, r := w.reserve()
			if d.Outcome != test.outcome {
				t.Fatalf("%+v", d)
			}
			w.used("l", test.charged)
			w.settle(r, void)
		})
	}
}

func TestDemandOfNothingAsksWhetherAnythingIsLeft(t *testing.T) {
	for _, a := range []limits.Algorithm{limits.FixedWindow, limits.SlidingWindow, limits.TokenBucket} {
		w := newWorld(t, limits.Limit{Name: "l", Dimension: limits.Tokens, Max: 60, Window: time.Minute, Algorithm: a, Accounting: limits.Total()})
		w.tokens(0, 0).admit()
		for _, k := range w.store.Keys() {
			if !strings.HasSuffix(k, "/depths") { // the table's, not a count
				t.Errorf("nothing was charged, but %s was written", k)
			}
		}
		w.tokens(59, 0).admit()
		w.tokens(0, 0).admit()
		w.tokens(1, 0).admit()
		d := w.tokens(0, 0).refuse(limits.Throttled)
		w.throttle(d.Wait)
		if a == limits.TokenBucket && d.Wait != time.Second {
			t.Errorf("%v until one token is there", d.Wait)
		}
	}
}

func TestRefusedRequestLeavesNoCharge(t *testing.T) {
	w := newWorld(t,
		limits.Limit{Name: "key", Max: 10, Window: time.Minute, Scope: []int{key}},
		limits.Limit{Name: "tokens", Dimension: limits.Tokens, Max: 1000, Window: time.Minute, Scope: []int{key}, Accounting: limits.Total()},
		limits.Limit{Name: "org", Max: 2, Window: time.Minute, Scope: []int{org}},
		limits.Limit{Name: "all", Dimension: limits.Concurrency, Max: 10, Window: time.Minute},
	)
	w.tokens(10, 0)
	w.admit()
	w.admit()
	for range 5 {
		if d := w.refuse(limits.Throttled); d.Limit.Name != "org" || d.Max != 2 || d.Remaining != 0 || d.Requested != 1 {
			t.Errorf("%+v", d)
		}
	}
	w.used("key", 2)
	w.used("tokens", 20)
	w.used("org", 2)
	w.used("all", 2)
}

func TestGravestRefusalIsNamed(t *testing.T) {
	w := newWorld(t,
		limits.Limit{Name: "minute", Max: 1, Window: time.Minute},
		limits.Limit{Name: "hour", Max: 1, Window: time.Hour, Scope: []int{key}},
		limits.Limit{Name: "second", Max: 1, Window: time.Second, Scope: []int{org}},
		limits.Limit{Name: "tokens", Dimension: limits.Tokens, Max: 50, Window: time.Second, Accounting: limits.Total()},
	)
	w.tokens(10, 0).admit()
	if d := w.refuse(limits.Throttled); d.Limit.Name != "hour" || d.Wait != time.Hour {
		t.Errorf("the longest wait: %+v", d)
	}
	w.throttle(time.Hour)
	if d := w.tokens(51, 0).refuse(limits.TooLarge); d.Limit.Name != "tokens" {
		t.Errorf("waiting does not help: %+v", d)
	}
}

func TestShadowLimitCountsButNeverRefuses(t *testing.T) {
	w := newWorld(t,
		limits.Limit{Name: "shadow", Max: 1, Window: time.Minute, Shadow: true},
		limits.Limit{Name: "real", Max: 3, Window: time.Minute, Scope: []int{key}},
	)
	w.admit()
	for range 2 {
		d, r := w.reserve()
		if d.Refused() || !d.Observed || d.Outcome != limits.Throttled || d.Limit.Name != "shadow" {
			t.Fatalf("%+v", d)
		}
		for i := range r.Len() {
			if s := r.State(i); s.Over != (s.Limit.Name == "shadow") {
				t.Errorf("%s over: %v", s.Limit.Name, s.Over)
			}
		}
	}
	w.used("shadow", 1) // as if it had refused the others
	w.used("real", 3)
	if d := w.refuse(limits.Throttled); d.Limit.Name != "real" {
		t.Errorf("%+v", d)
	}
	w.used("shadow", 1)
}

func TestObserveDecidesAndAdmitsEverything(t *testing.T) {
	w := newWorldWith(t, limits.Options{Observe: true},
		limits.Limit{Name: "l", Dimension: limits.Tokens, Max: 100, Window: time.Minute, Accounting: limits.Total()},
		limits.Limit{Name: "k", Max: 100, Window: time.Minute, Scope: []int{key}, OnMissing: limits.DenyMissing},
	)
	w.tokens(80, 0).admit()
	for _, test := range []struct {
		input   int64
		facts   []limits.Fact
		outcome limits.Outcome
	}{
		{80, w.facts, limits.Throttled},
		{101, w.facts, limits.TooLarge},
		{80, known(""), limits.Throttled}, // the counted refusal goes before
		{0, known(""), limits.Missing},
	} {
		w.facts = test.facts
		d, _ := w.tokens(test.input, 0).reserve()
		if d.Refused() || !d.Observed || d.Outcome != test.outcome {
			t.Errorf("%d tokens: %+v", test.input, d)
		}
	}
	w.used("l", 80) // of the one that would have been admitted
	w.used("k", 0)  // those without a key
}

func TestVoidRequestCountsAsIfItHadNeverCome(t *testing.T) {
	configured := []limits.Limit{
		{Name: "key", Max: 10, Window: time.Minute, Scope: []int{key}},
		{Name: "tokens", Dimension: limits.Tokens, Max: 1000, Window: time.Minute, Scope: []int{key}, Accounting: limits.OpenAI()},
		{Name: "ip", Max: 10, Window: time.Minute, Scope: []int{org, ip}},
		{Name: "slots", Dimension: limits.Concurrency, Max: 10, Window: time.Minute, Scope: []int{ip}},
	}
	w := newWorld(t, configured...)
	r := w.tokens(10, 10).admit()
	w.settle(r, limits.Actual{Void: true, VoidExcept: ip})
	w.used("key", 0)
	w.used("tokens", 0)
	w.used("ip", 1) // who guesses keys is counted
	w.used("slots", 0)
	w.settle(r, void)
	w.used("ip", 0)
}

func TestUpstreamErrorRefundsTokensButNotTheRequest(t *testing.T) {
	w := newWorld(t,
		limits.Limit{Name: "requests", Max: 10, Window: time.Minute},
		limits.Limit{Name: "tokens", Dimension: limits.Tokens, Max: 1000, Window: time.Minute, Accounting: limits.Total()})
	w.settle(w.tokens(10, 10).admit(), limits.Actual{VoidExcept: -1})
	w.used("requests", 1)
	w.used("tokens", 0)
}

func TestTokenLimitsWithoutAMatcherCountModelCalls(t *testing.T) {
	w := newWorld(t,
		limits.Limit{Name: "requests", Max: 10, Window: time.Minute},
		limits.Limit{Name: "tokens", Dimension: limits.Tokens, Max: 1000, Window: time.Minute, Accounting: limits.Total()})
	w.demand.ModelCall = false
	if r := w.tokens(10, 10).admit(); r.Len() != 1 || r.State(0).Limit.Name != "requests" {
		t.Errorf("%d limits apply", r.Len())
	}
}

func TestMoreLimitsThanMostRequestsHave(t *testing.T) {
	var configured []limits.Limit
	for i, name := range []string{"a", "b", "c", "d", "e", "f", "g", "h"} {
		configured = append(configured, limits.Limit{Name: name, Max: 2, Window: time.Hour, Scope: []int{i % 4}})
	}
	w := newWorld(t, configured...)
	r := w.admit()
	w.admit()
	w.refuse(limits.Throttled)
	w.settle(r, void)
	for _, l := range configured {
		w.used(l.Name, 1)
	}
}

func TestReservationCanBeUsedAgain(t *testing.T) {
	w := newWorld(t, limits.Limit{Name: "l", Max: 5, Window: time.Hour, Scope: []int{key}})
	var r limits.Reservation
	for i := range 8 {
		d, err := w.Reserve(w.now, w.facts, w.demand, &r)
		if err != nil || d.Refused() != (i >= 5) {
			t.Fatalf("request %d: %+v, %v", i, d, err)
		}
	}
	w.settle(&r, void) // the last was refused, and has nothing to give back
	w.used("l", 5)
}

// failing is a store that breaks at the n-th write.
type failing struct {
	limits.Store
	left *int
}

var errBroken = errors.New("broken")

func (f failing) write(write func() error) error {
	if *f.left--; *f.left == 0 {
		return errBroken
	}
	return write()
}

func (f failing) Create(key, value []byte) error {
	return f.write(func() error { return f.Store.Create(key, value) })
}

func (f failing) Swap(key, value []byte, version uint32) error {
	return f.write(func() error { return f.Store.Swap(key, value, version) })
}

func TestErrorOfTheStoreLeavesNoCharge(t *testing.T) {
	configured := []limits.Limit{
		{Name: "a", Max: 10, Window: time.Minute},
		{Name: "b", Max: 10, Window: time.Minute, Scope: []int{key}},
		{Name: "c", Max: 10, Window: time.Minute, Scope: []int{org}},
	}
	for n := 1; n <= 3; n++ {
		w := newWorld(t, configured...)
		w.admit()
		left := n
		w.options.Store = failing{w.store, &left}
		var r limits.Reservation
		if _, err := w.engine().Reserve(w.now, w.facts, w.demand, &r); !errors.Is(err, errBroken) {
			t.Fatalf("write %d: %v", n, err)
		}
		if r.Len() != 0 {
			t.Errorf("write %d: the reservation says something of %d limits", n, r.Len())
		}
		w.settle(&r, void)
		for _, l := range configured {
			w.used(l.Name, 1)
		}
	}
}

func TestFailedSettlementCanBeRepeated(t *testing.T) {
	w := newWorld(t, limits.Limit{Name: "a", Max: 10, Window: time.Minute}, limits.Limit{Name: "b", Max: 10, Window: time.Minute, Scope: []int{key}})
	left := 4 // the depth of the tables, two charges, and the first refund
	w.options.Store = failing{w.store, &left}
	e := w.engine()
	var r limits.Reservation
	if _, err := e.Reserve(w.now, w.facts, w.demand, &r); err != nil {
		t.Fatal(err)
	}
	if err := e.Settle(w.now, void, &r); !errors.Is(err, errBroken) {
		t.Fatal(err)
	}
	w.used("b", 0) // one subject's failure is not another's
	if err := e.Settle(w.now, void, &r); err != nil {
		t.Fatal(err)
	}
	w.used("a", 0)
	w.used("b", 0)
}

// A store that another worker has always just changed.
func (w *world) contend() {
	busy := false
	w.store.BeforeSet = func(key string) {
		if !busy {
			busy = true
			value, version, err := w.store.Get([]byte(key))
			if err == nil {
				err = w.store.Swap([]byte(key), value, version)
			}
			busy = false
			if err != nil && !errors.Is(err, limits.ErrNotFound) {
				w.Error(err)
			}
		}
	}
}

func TestContentionRefusesAndChargesNothing(t *testing.T) {
	w := newWorld(t, limits.Limit{Name: "l", Max: 10, Window: time.Minute})
	w.admit()
	w.contend()
	d, r := w.reserve()
	if d.Outcome != limits.Contended || !d.Refused() || d.Wait != time.Second || d.Limit != nil {
		t.Errorf("%+v", d)
	}
	if w.Conflicts == 0 {
		t.Error("no conflict was counted")
	}
	w.store.BeforeSet = nil
	w.settle(r, void)
	w.used("l", 1)
}

func TestContentionRefusesNothingThatIsOnlyObserved(t *testing.T) {
	l := limits.Limit{Name: "l", Max: 10, Window: time.Minute}
	w := newWorldWith(t, limits.Options{Observe: true}, l)
	w.admit()
	w.contend()
	if d, _ := w.reserve(); d.Refused() || d.Outcome != limits.Contended {
		t.Errorf("observing: %+v", d)
	}
	l.Shadow = true
	w = newWorld(t, l)
	w.admit()
	w.contend()
	if d, _ := w.reserve(); d.Refused() || d.Outcome != limits.Contended {
		t.Errorf("shadow: %+v", d)
	}
}

func TestSettlementOutlastsContention(t *testing.T) {
	w := newWorld(t, limits.Limit{Name: "l", Max: 10, Window: time.Minute})
	r := w.admit()
	w.contend()
	others, left := w.store.BeforeSet, 5000
	w.store.BeforeSet = func(key string) {
		if left--; left > 0 {
			others(key)
		}
	}
	w.settle(r, void)
	w.used("l", 0)

	r = w.admit()
	left = 1 << 30
	if err := w.Settle(w.now, void, r); !errors.Is(err, limits.ErrContention) {
		t.Errorf("without an end: %v", err)
	}
}

// Of several subjects the first is charged before the last is: while another
// worker changes that, the first is taken back again, and no count is lost.
func TestConflictAtALaterSubjectTakesBackTheEarlier(t *testing.T) {
	w := newWorld(t,
		limits.Limit{Name: "a", Max: 10, Window: time.Minute},
		limits.Limit{Name: "b", Max: 2, Window: time.Minute, Scope: []int{key}})
	w.admit()
	other := w.engine()
	busy := false
	writes := 0
	w.store.BeforeSet = func(string) {
		if busy {
			return
		}
		if writes++; writes == 2 { // the charge of b
			busy = true
			if d, err := other.Reserve(w.now, w.facts, w.demand, new(limits.Reservation)); err != nil || d.Refused() {
				t.Errorf("%+v, %v", d, err)
			}
			busy = false
		}
	}
	if d := w.refuse(limits.Throttled); d.Limit.Name != "b" {
		t.Errorf("%+v", d)
	}
	w.used("a", 2)
	w.used("b", 2)
}
