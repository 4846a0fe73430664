package limits_test

import (
	"encoding/binary"
	"strings"
	"testing"
	"time"

	"sluice/limits"
)

// fuzzed are limits that all have a cell in one record.
var fuzzed = []limits.Limit{
	{Name: "fixed", Max: 10, Window: time.Minute, Scope: []int{key}},
	{Name: "month", Max: 10, Calendar: limits.Month, Scope: []int{key}},
	{Name: "never", Max: 10, Never: true, Scope: []int{key}},
	{Name: "sliding", Max: 10, Window: time.Minute, Algorithm: limits.SlidingWindow, Scope: []int{key}},
	{Name: "bucket", Max: 10, Window: time.Minute, Algorithm: limits.TokenBucket, Scope: []int{key}},
	{Name: "slots", Dimension: limits.Concurrency, Max: 10, Window: time.Minute, Scope: []int{key}},
}

// FuzzBucket puts any bytes where a bucket is expected. What is no bucket is
// counted and replaced; in what looks like one, whatever its numbers say, the
// engine goes on without a panic or a hang.
func FuzzBucket(f *testing.F) {
	w := newWorld(f, fuzzed...)
	w.admit()
	for range 3 {
		f.Add(w.bucket())
		w.as("k2").admit()
	}
	f.Add([]byte{})
	f.Add([]byte{2})
	f.Add([]byte{1, 6, 0})
	f.Add([]byte{2, 2})
	f.Add([]byte{2, 7})
	f.Add([]byte("\x02\x06\xff\xff\xff\xff0123456789abcdef"))
	f.Add([]byte("\x02\x06\x08\x00\x00\x000123456789abcdef\xff2345678"))
	f.Fuzz(func(t *testing.T, b []byte) {
		w := newWorld(t, fuzzed...)
		w.TB = t
		w.admit()
		w.overwrite(b)
		garbage := len(b) > 0 && !parses(b)

		d, r := w.reserve()
		if garbage != (w.Garbage > 0) {
			t.Errorf("garbage %v, counted %d", garbage, w.Garbage)
		}
		if garbage && d.Refused() {
			t.Errorf("garbage is as good as nothing: %+v", d)
		}
		for i := range r.Len() {
			if s := r.State(i); s.Used < 0 || s.Remaining < 0 || s.Remaining > s.Max {
				t.Errorf("%+v", s)
			}
		}
		if d.Wait < 0 {
			t.Errorf("%+v", d)
		}
		w.settle(r, limits.Actual{})
		w.after(time.Second)
		w.reserve()
		if _, err := w.Reserve(w.now, known("other"), w.demand, r); err != nil {
			t.Error(err)
		}
	})
}

// bucketKey is the key of the only bucket in the store.
func (w *world) bucketKey() []byte {
	for _, k := range w.store.Keys() {
		if !strings.HasSuffix(k, "/depths") {
			return []byte(k)
		}
	}
	w.Fatal("there is no bucket")
	return nil
}

func (w *world) bucket() []byte {
	value, _, _ := w.store.Get(w.bucketKey())
	return value
}

func (w *world) overwrite(b []byte) {
	if err := w.store.Swap(w.bucketKey(), b, 0); err != nil {
		w.Fatal(err)
	}
}

// parses says whether some bytes have the form of a bucket.
func parses(b []byte) bool {
	if len(b) < 2 || b[0] != 2 || b[1] > 6 { // the depth of a table for a thousand
		return false
	}
	for b = b[2:]; len(b) > 0; {
		if len(b) < 20 {
			return false
		}
		n := uint64(binary.LittleEndian.Uint32(b))
		if b = b[20:]; n > uint64(len(b)) {
			return false
		}
		for cells := b[:n]; len(cells) > 0; {
			size := 8 + 8*int(cells[0])
			if size == 8 || size > len(cells) {
				return false
			}
			cells = cells[size:]
		}
		b = b[n:]
	}
	return true
}
