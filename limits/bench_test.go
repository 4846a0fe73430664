package limits_test

import (
	"testing"
	"time"

	"sluice/limits"
)

// constant is a store without a cost of its own, to measure the engine alone:
// it has one bucket for each of some keys, and forgets what is written.
type constant struct{ values map[string][]byte }

func (c constant) Get(k []byte) ([]byte, uint32, error) {
	v, ok := c.values[string(k)]
	if !ok {
		return nil, 0, limits.ErrNotFound
	}
	return v, 1, nil
}

func (c constant) Create(_, _ []byte) error         { return nil }
func (c constant) Swap(_, _ []byte, _ uint32) error { return nil }

func BenchmarkReserveAndSettle(b *testing.B) {
	rpm := limits.Limit{Name: "rpm", Max: 1 << 40, Window: time.Hour, Scope: []int{key}}
	tpm := limits.Limit{Name: "tpm", Dimension: limits.Tokens, Max: 1 << 40, Window: time.Hour, Scope: []int{key}, Accounting: limits.Total()}
	with := func(l limits.Limit, a limits.Algorithm, scope ...int) limits.Limit {
		l.Algorithm, l.Scope = a, scope
		return l
	}
	for _, bench := range []struct {
		name     string
		limits   []limits.Limit
		subjects int
	}{
		{"two fixed, one key", []limits.Limit{rpm, tpm}, 1},
		{"two sliding, one key", []limits.Limit{with(rpm, limits.SlidingWindow, key), with(tpm, limits.SlidingWindow, key)}, 1},
		{"two buckets, one key", []limits.Limit{with(rpm, limits.TokenBucket, key), with(tpm, limits.TokenBucket, key)}, 1},
		{"two sliding, full of keys", []limits.Limit{with(rpm, limits.SlidingWindow, key), with(tpm, limits.SlidingWindow, key)}, 40},
		{"three scopes", []limits.Limit{rpm, with(tpm, limits.SlidingWindow, org), {Name: "slots", Dimension: limits.Concurrency, Max: 1 << 40, Window: time.Hour}}, 1},
	} {
		b.Run(bench.name, func(b *testing.B) {
			w := newWorldWith(b, limits.Options{MaxSubjects: 40}, bench.limits...)
			for i := range bench.subjects {
				w.as("key-%d", i).tokens(100, 1000).admit()
			}
			values := map[string][]byte{}
			for _, k := range w.store.Keys() {
				values[k], _, _ = w.store.Get([]byte(k))
			}
			w.options.Store = constant{values}
			e := w.engine()
			var r limits.Reservation
			b.ReportAllocs()
			for b.Loop() {
				if d, err := e.Reserve(w.now, w.facts, w.demand, &r); err != nil || d.Refused() {
					b.Fatal(d, err)
				}
				if err := e.Settle(w.now, limits.Actual{Usage: limits.Usage{Input: 100, Output: 300}, VoidExcept: -1}, &r); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
