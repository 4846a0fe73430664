package limits_test

import (
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"sluice/limits"
	"sluice/limits/limitstest"
)

func TestInFlightIsTheSumOfAll(t *testing.T) {
	store := limitstest.NewMemory()
	now := start
	report := func(f *limits.InFlight, own, want int64) {
		t.Helper()
		if got, err := f.Report(now, own); err != nil || got != want {
			t.Fatalf("at %v: %d in flight, %v; want %d", now, got, err, want)
		}
	}
	a, b, c := limits.NewInFlight(store), limits.NewInFlight(store), limits.NewInFlight(store)
	report(c, 0, 0)
	if n := store.Len(); n != 0 {
		t.Errorf("nothing is in flight, but %d keys are written", n)
	}
	report(a, 3, 3)
	report(b, 4, 7)
	report(a, 1, 5)
	report(c, 0, 5)

	// What is renewed stays, what is not lapses.
	for range 10 {
		now = now.Add(time.Second)
		report(b, 4, b4(now, 1))
	}
	report(c, 0, 4)
	now = now.Add(limits.InFlightLease)
	report(c, 0, 0)
	report(a, 2, 2)
	report(a, 0, 0)
	if n := store.Len(); n != 1 {
		t.Errorf("%d keys", n)
	}

	// A clock that was ahead says nothing for long.
	now = now.Add(time.Hour)
	report(a, 9, 9)
	now = now.Add(-time.Hour)
	report(b, 1, 1)
}

// b4 is what b sees: its own four, and a's one as long as that counts.
func b4(now time.Time, a int64) int64 {
	if now.Sub(start) < limits.InFlightLease {
		return 4 + a
	}
	return 4
}

func TestInFlightOfParallelWorkers(t *testing.T) {
	const workers = 8
	store := limitstest.NewMemory()
	var all sync.WaitGroup
	for w := range workers {
		all.Go(func() {
			f := limits.NewInFlight(store)
			for i := range 50 {
				if _, err := f.Report(start.Add(time.Duration(i)*10*time.Millisecond), int64(w+i)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	got, err := limits.NewInFlight(store).Report(start.Add(500*time.Millisecond), 0)
	if want := int64(workers*49 + workers*(workers-1)/2); err != nil || got != want {
		t.Errorf("%d in flight, %v; want %d", got, err, want)
	}
}

func TestInFlightReplacesGarbage(t *testing.T) {
	for _, garbage := range []string{"", "\x00", "\x01", "\x01garbage", "\x01" + string(make([]byte, 24)), string(make([]byte, 1<<20))} {
		store := limitstest.NewMemory()
		f := limits.NewInFlight(store)
		if _, err := f.Report(start, 2); err != nil {
			t.Fatal(err)
		}
		for _, k := range store.Keys() {
			_ = store.Swap([]byte(k), []byte(garbage), 0)
		}
		if got, err := limits.NewInFlight(store).Report(start, 3); err != nil || got != 3 {
			t.Errorf("over %.10q: %d, %v", garbage, got, err)
		}
		if got, err := f.Report(start, 2); err != nil || got != 5 {
			t.Errorf("after %.10q: %d, %v", garbage, got, err)
		}
	}
}

func TestInFlightTellsOfABrokenStore(t *testing.T) {
	left := 1
	f := limits.NewInFlight(failing{limitstest.NewMemory(), &left})
	if _, err := f.Report(start, 1); !errors.Is(err, errBroken) {
		t.Error(err)
	}
	w := newWorld(t)
	f = limits.NewInFlight(w.store)
	if _, err := f.Report(start, 1); err != nil {
		t.Fatal(err)
	}
	w.contend()
	if _, err := f.Report(start, 1); !errors.Is(err, limits.ErrContention) {
		t.Error(err)
	}
}

// FuzzInFlight puts any bytes where the shares, or the depths of the tables, are
// expected: no more comes of them than a number that is not negative.
func FuzzInFlight(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte("\x01garbage"))
	f.Add(append([]byte{1}, make([]byte, 48)...))
	f.Add([]byte{1, 255, 255, 255, 255})
	f.Fuzz(func(t *testing.T, b []byte) {
		w := newWorld(t, limits.Limit{Name: "l", Max: 10, Window: time.Minute, Scope: []int{key}})
		w.admit()
		inFlight := limits.NewInFlight(w.store)
		if _, err := inFlight.Report(start, 1); err != nil {
			t.Fatal(err)
		}
		for _, k := range w.store.Keys() {
			if strings.HasSuffix(k, "/depths") || strings.HasSuffix(k, "/in-flight") {
				if err := w.store.Swap([]byte(k), b, 0); err != nil {
					t.Fatal(err)
				}
			}
		}
		if n, err := inFlight.Report(start, 2); err != nil || n < 2 {
			t.Errorf("%d in flight, %v", n, err)
		}
		w.Engine = w.engine()
		w.admit()
	})
}
