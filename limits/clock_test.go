package limits_test

import (
	"fmt"
	"testing"
	"time"

	"sluice/limits"
)

// timed are limits of 10 a minute, one of each kind.
func timed() map[string]limits.Limit {
	return map[string]limits.Limit{
		"fixed":    {Name: "l", Max: 10, Window: time.Minute},
		"calendar": {Name: "l", Max: 10, Calendar: limits.Minute},
		"sliding":  {Name: "l", Max: 10, Window: time.Minute, Algorithm: limits.SlidingWindow},
		"bucket":   {Name: "l", Max: 10, Window: time.Minute, Algorithm: limits.TokenBucket},
		"slots":    {Name: "l", Dimension: limits.Concurrency, Max: 10, Window: time.Minute},
	}
}

// greedy takes what it can get, and says how much that was.
func (w *world) greedy() (n int) {
	w.Helper()
	for {
		if d, _ := w.reserve(); d.Refused() {
			return n
		}
		n++
	}
}

func TestClockThatJumpsLocksNobodyOutAndOpensAtMostOneWindow(t *testing.T) {
	for name, l := range timed() {
		for _, jump := range []time.Duration{-time.Second, -30 * time.Second, -time.Minute, -time.Hour, -10_000 * time.Hour,
			time.Second, time.Minute, time.Hour, 10_000 * time.Hour} {
			t.Run(fmt.Sprint(name, jump), func(t *testing.T) {
				w := newWorld(t, l)
				w.greedy()
				total := w.after(jump).greedy()
				if total > 10 {
					t.Errorf("%d admitted after the jump", total)
				}
				// A window, a slice of it, and what clocks may differ by.
				w.after(time.Minute + time.Minute/32 + time.Second)
				if n := w.greedy(); n != 10 {
					t.Errorf("%d admitted a window after the jump", n)
				}
			})
		}
	}
}

func TestClockThatJumpsAheadAndBackLocksNobodyOut(t *testing.T) {
	for name, l := range timed() {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, l)
			w.greedy()
			if n := w.after(1000 * time.Hour).greedy(); n != 10 {
				t.Errorf("%d admitted ahead", n)
			}
			if n := w.after(-1000 * time.Hour).greedy(); n != 0 {
				t.Errorf("%d admitted when the clock is right again", n)
			}
			w.after(30 * time.Second)
			refused := 0
			for range 100 { // looks that are refused do not prolong it
				if d, _ := w.after(400 * time.Millisecond).reserve(); d.Refused() {
					refused++
				}
			}
			if refused == 100 {
				t.Error("still locked out")
			}
		})
	}
}

// Subjects of which nobody asks any more, and which were counted while the
// clock was ahead, must not keep their room until then.
func TestClockThatWasAheadFillsNoTable(t *testing.T) {
	for name, l := range timed() {
		t.Run(name, func(t *testing.T) {
			l.Scope = []int{key}
			w := newWorldWith(t, limits.Options{MaxSubjects: 5}, l)
			w.after(1000 * time.Hour)
			for i := range 5 {
				w.as("ahead-%d", i).admit()
			}
			w.after(-1000 * time.Hour)
			if r := w.as("first").admit(); !r.State(0).Overflow {
				t.Error("a live subject has lost its room")
			}
			w.after(2 * time.Minute)
			for i := range 5 {
				if r := w.as("now-%d", i).admit(); r.State(0).Overflow {
					t.Errorf("subject %d has no room", i)
				}
			}
		})
	}
}

// Two workers look at one clock, but one is late to write: what it counts and
// gives back is counted once, wherever a window ends.
func TestWorkersThatAreASecondApartLoseNothing(t *testing.T) {
	for name, l := range timed() {
		t.Run(name, func(t *testing.T) {
			l.Max = 1000
			if name == "bucket" {
				l.Window = 10_000 * time.Hour // refills nothing meanwhile
			}
			w := newWorld(t, l)
			w.now = time.Date(2026, time.November, 30, 12, 0, 59, 100e6, time.UTC)
			late := w.engine()
			lateNow := func() time.Time { return w.now.Add(-time.Second) }
			reserveLate := func() *limits.Reservation {
				r := new(limits.Reservation)
				if d, err := late.Reserve(lateNow(), w.facts, w.demand, r); err != nil || d.Refused() {
					t.Fatalf("%+v, %v", d, err)
				}
				return r
			}
			for range 40 { // over the end of the calendar's minute
				before := w.state("l").Used
				a := w.admit()
				reserveLate()
				c := reserveLate()
				if s := w.state("l"); s.Used < before+3 && s.Used != 3 {
					t.Fatalf("at %v: %d used after 3 more than %d", w.now, s.Used, before)
				}
				if err := late.Settle(lateNow(), void, c); err != nil {
					t.Fatal(err)
				}
				w.settle(a, void)
				w.after(50 * time.Millisecond)
			}
			want := int64(40)
			if name == "calendar" {
				want = 22 // those of this minute, in which the late worker's are too
			}
			w.used("l", want)
		})
	}
}
