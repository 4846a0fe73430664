package limits_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"sluice/limits"
	"sluice/limits/limitstest"
)

func TestSubjectsDoNotShareACount(t *testing.T) {
	w := newWorld(t, limits.Limit{Name: "l", Max: 1, Window: time.Minute, Scope: []int{key, org}})
	for _, f := range [][]limits.Fact{known("a", "b"), known("ab", ""), known("", "ab"), known("a"), known("", "a"), known("b", "a"),
		known("a\x01b", "c"), known("a", "b\x01c"), known("a\x01\x01\x00\x00\x00b"), known("a\x00"), known("a", "\x00")} {
		w.facts = f
		w.admit()
		w.refuse(limits.Throttled)
	}
}

func TestNamespacesScopesAndLimitsDoNotShareACount(t *testing.T) {
	configured := []limits.Limit{
		{Name: "a", Max: 5, Window: time.Minute, Scope: []int{key}},
		{Name: "b", Max: 5, Window: time.Minute, Scope: []int{key}, Algorithm: limits.SlidingWindow},
		{Name: "a2", Max: 5, Window: time.Minute, Scope: []int{org}},
	}
	w := newWorld(t, configured...)
	w.facts = known("same", "same")
	w.admit()
	w.limits = configured[:1]
	w.Engine = w.engine()
	w.admit()
	w.limits = configured
	w.Engine = w.engine()
	w.used("a", 2)
	w.used("b", 1)
	w.used("a2", 1)
	w.options.Namespace = "another"
	w.Engine = w.engine()
	w.used("a", 0)
}

func TestLimitWhoseMeaningChangesStartsAnew(t *testing.T) {
	base := limits.Limit{Name: "l", Max: 5, Window: time.Hour, Scope: []int{key}}
	for _, test := range []struct {
		name   string
		change func(*limits.Limit)
		used   int64
	}{
		{"nothing", func(*limits.Limit) {}, 1},
		{"ceiling", func(l *limits.Limit) { l.Max = 3 }, 1},
		{"overrides", func(l *limits.Limit) { l.Overrides = []limits.Override{{Max: 9}} }, 1},
		{"shadow", func(l *limits.Limit) { l.Shadow = true }, 1},
		{"name", func(l *limits.Limit) { l.Name = "other" }, 0},
		{"window", func(l *limits.Limit) { l.Window = time.Minute }, 0},
		{"algorithm", func(l *limits.Limit) { l.Algorithm = limits.SlidingWindow }, 0},
		{"calendar", func(l *limits.Limit) { l.Calendar = limits.Hour }, 0},
		{"never", func(l *limits.Limit) { l.Never = true }, 0},
		{"dimension", func(l *limits.Limit) { l.Dimension = limits.Concurrency }, 0},
	} {
		w := newWorld(t, base)
		w.admit()
		l := base
		test.change(&l)
		w.limits = []limits.Limit{l}
		w.Engine = w.engine()
		if s := w.state(l.Name); s.Used != test.used {
			t.Errorf("%s: %d used", test.name, s.Used)
		}
	}
}

// Of a window that never ends, or that the calendar sets, the length says
// nothing.
func TestLengthThatSaysNothingChangesNothing(t *testing.T) {
	for _, l := range []limits.Limit{{Never: true}, {Calendar: limits.Month}} {
		l.Name, l.Max = "l", 5
		w := newWorld(t, l)
		w.admit()
		w.limits[0].Window = time.Hour
		w.Engine = w.engine()
		w.used("l", 1)
	}
}

func TestRefundOfWhatIsGoneWritesNothing(t *testing.T) {
	w := newWorld(t, limits.Limit{Name: "l", Max: 5, Window: time.Minute})
	r := w.admit()
	for _, k := range w.store.Keys() {
		_ = w.store.Swap([]byte(k), []byte("garbage"), 0)
	}
	w.store.BeforeSet = func(k string) { t.Errorf("%s is written", k) }
	w.settle(r, void)
}

// Each change of a window leaves a cell behind, which goes when it is idle.
func TestCellsOfFormerLimitsDoNotPileUp(t *testing.T) {
	w := newWorld(t)
	size := 0
	for i := range 300 {
		w.limits = []limits.Limit{
			{Name: "stays", Max: 1000, Never: true, Scope: []int{key}},
			{Name: "l", Max: 1000, Window: time.Second + time.Duration(i)*time.Millisecond, Scope: []int{key}, Algorithm: limits.SlidingWindow},
		}
		w.Engine = w.engine()
		w.after(2 * time.Second).admit()
		if n := w.bytes(); i == 2 {
			size = n
		} else if i > 2 && n > size {
			t.Fatalf("after %d changes the counters have %d bytes, %d at first", i, n, size)
		}
	}
	w.used("stays", 300)
}

func (w *world) bytes() (n int) {
	for _, k := range w.store.Keys() {
		value, _, _ := w.store.Get([]byte(k))
		n += len(value)
	}
	return n
}

// as makes w's requests those of another key.
func (w *world) as(format string, args ...any) *world {
	w.facts = known(fmt.Sprintf(format, args...), "o", "m", "1.2.3.4")
	return w
}

func TestFreshSubjectsBeyondTheRoomShareTheOverflow(t *testing.T) {
	w := newWorldWith(t, limits.Options{MaxSubjects: 20}, limits.Limit{Name: "l", Max: 3, Window: time.Minute, Scope: []int{key}})
	for i := range 20 {
		if r := w.as("own-%d", i).admit(); r.State(0).Overflow {
			t.Fatalf("subject %d has no room", i)
		}
	}
	for i := range 3 {
		if r := w.as("fresh-%d", i).admit(); !r.State(0).Overflow {
			t.Fatalf("fresh subject %d has room", i)
		}
	}
	w.as("fresh-3").throttle(time.Minute)
	w.as("fresh-0").throttle(time.Minute)
	// Those with a counter of their own are not concerned.
	for i := range 20 {
		w.as("own-%d", i).used("l", 1)
		w.admit()
		w.admit()
		w.refuse(limits.Throttled)
	}
}

func TestOverflowTakesRefunds(t *testing.T) {
	w := newWorldWith(t, limits.Options{MaxSubjects: 1}, limits.Limit{Name: "l", Max: 5, Window: time.Minute, Scope: []int{key}})
	w.admit()
	a, b := w.as("a").admit(), w.as("b").admit()
	w.used("l", 2)
	w.settle(a, void)
	w.used("l", 1)
	w.settle(b, void)
	w.used("l", 0)
	w.as("k").used("l", 1)
}

func TestRoomOfWhatHasExpiredIsUsedAgain(t *testing.T) {
	w := newWorldWith(t, limits.Options{MaxSubjects: 10}, limits.Limit{Name: "l", Max: 3, Window: time.Minute, Scope: []int{key}})
	w.as("lives on").admit()
	keys, size := 0, 0
	for round := range 50 {
		for i := range 9 {
			if r := w.as("%d-%d", round, i).admit(); r.State(0).Overflow {
				t.Fatalf("round %d: subject %d has no room", round, i)
			}
		}
		if round == 0 {
			keys, size = w.store.Len(), w.bytes()
		} else if w.store.Len() > keys || w.bytes() > size {
			t.Fatalf("round %d: %d keys, %d bytes; %d, %d at first", round, w.store.Len(), w.bytes(), keys, size)
		}
		w.after(time.Minute)
		w.as("lives on").admit()
	}
}

// A record that is gone had nothing left to give back; the overflow, to which a
// late refund of it would come, is others'.
func TestLateRefundTakesNothingFromTheOverflow(t *testing.T) {
	for _, a := range []limits.Algorithm{limits.FixedWindow, limits.SlidingWindow, limits.TokenBucket} {
		l := limits.Limit{Name: "l", Dimension: limits.Tokens, Max: 60, Window: time.Minute, Scope: []int{key}, Algorithm: a, Accounting: limits.Total()}
		if a == limits.FixedWindow {
			l.Calendar = limits.Minute
		}
		w := newWorldWith(t, limits.Options{MaxSubjects: 1}, l)
		r := w.as("old").tokens(30, 0).admit()
		w.after(90 * time.Second)
		w.as("heir").tokens(60, 0).admit()
		w.as("overflowing").tokens(50, 0).admit()
		w.settle(r, void)
		w.used("l", 50)
		w.as("heir").used("l", 60)
	}
}

func TestLateRefundTakesNothingFromAnOverflowThatHasLongBeenInUse(t *testing.T) {
	w := newWorldWith(t, limits.Options{MaxSubjects: 1}, limits.Limit{Name: "l", Dimension: limits.Tokens, Max: 60, Window: time.Minute,
		Scope: []int{key}, Algorithm: limits.TokenBucket, Accounting: limits.Total()})
	r := w.as("old").tokens(10, 0).admit()
	w.as("overflowing").tokens(60, 0).admit()
	w.after(15 * time.Second)
	w.as("heir").tokens(60, 0).admit()
	w.as("overflowing").tokens(10, 0).admit()
	w.settle(r, void)
	w.used("l", 55)
}

func TestNumberOfKeysIsBounded(t *testing.T) {
	w := newWorldWith(t, limits.Options{MaxSubjects: 256}, limits.Limit{Name: "l", Max: 3, Window: time.Hour, Scope: []int{key}})
	w.as("victim").admit()
	w.admit()
	w.admit()
	overflowing := 0
	for i := range 20_000 {
		d, r := w.as("key-%d", i).reserve()
		if r.State(0).Overflow {
			overflowing++
		} else if d.Refused() {
			t.Fatalf("a subject with a counter of its own: %+v", d)
		}
	}
	if n := w.store.Len(); n > 256/16+2 { // the buckets, the overflow, and how many there are
		t.Errorf("%d keys", n)
	}
	if overflowing < 20_000-256*40/16 {
		t.Errorf("only %d subjects overflowed", overflowing)
	}
	w.as("victim").refuse(limits.Throttled)
}

// As many subjects as are allowed have a counter of their own each, however
// they are spread.
func TestAllowedSubjectsAreKeptApart(t *testing.T) {
	for _, n := range []int{1, 7, 40, 41, 100, 1024, 5000} {
		w := newWorldWith(t, limits.Options{MaxSubjects: n, Seed: limits.Seed{1, 2}},
			limits.Limit{Name: "l", Max: 3, Window: time.Hour, Scope: []int{key}})
		for i := range n {
			if r := w.as("key-%d", i).admit(); r.State(0).Overflow {
				t.Fatalf("subject %d of %d has no room", i, n)
			}
		}
	}
}

func TestExhaustedSubjectIsNeverPushedOut(t *testing.T) {
	w := newWorldWith(t, limits.Options{MaxSubjects: 100}, limits.Limit{Name: "l", Max: 1, Window: time.Hour, Scope: []int{key}})
	w.as("victim").admit()
	for i := range 10_000 {
		w.after(300*time.Millisecond).as("key-%d", i).reserve()
		if i%100 == 0 {
			w.as("victim").refuse(limits.Throttled)
		}
	}
}

// What a bucket hands over when it is split, it drops.
func TestSplitBucketsKeepNoCopies(t *testing.T) {
	w := newWorldWith(t, limits.Options{MaxSubjects: 40}, limits.Limit{Name: "l", Max: 9, Window: time.Hour, Scope: []int{key}})
	for i := range 40 {
		w.as("key-%d", i).admit()
	}
	before := w.bytes()
	w.options.MaxSubjects = 1000
	w.Engine = w.engine()
	for i := range 40 {
		w.as("key-%d", i).admit()
	}
	if after, most := w.bytes(), before+2*w.store.Len(); after > most {
		t.Errorf("%d bytes, where there were %d in one bucket", after, before)
	}
	if n := w.store.Len(); n > 64+1 {
		t.Errorf("%d keys", n)
	}
}

// Who knows the seed of one place can't tell which subjects collide elsewhere.
func TestPlacesDependOnTheSeed(t *testing.T) {
	place := func(seed limits.Seed) string {
		w := newWorldWith(t, limits.Options{MaxSubjects: 1 << 20, Seed: seed}, limits.Limit{Name: "l", Max: 1, Window: time.Hour, Scope: []int{key}})
		w.admit()
		return string(w.bucketKey())
	}
	first := place(limits.Seed{1, 2})
	if again := place(limits.Seed{1, 2}); again != first {
		t.Errorf("one seed, two places: %s, %s", first, again)
	}
	for _, seed := range []limits.Seed{{1, 3}, {2, 2}} {
		if place(seed) == first {
			t.Errorf("%v has the same place: %s", seed, first)
		}
	}
}

func TestSecretsAreInNoKeyAndNoValue(t *testing.T) {
	w := newWorld(t, limits.Limit{Name: "l", Max: 1, Window: time.Hour, Scope: []int{key}})
	w.as("sk-very-secret").admit()
	for _, k := range w.store.Keys() {
		value, _, _ := w.store.Get([]byte(k))
		if strings.Contains(k+string(value), "sk-very-secret") {
			t.Errorf("%q = %q", k, value)
		}
	}
}

func TestSharedSeed(t *testing.T) {
	store := limitstest.NewMemory()
	a, err := limits.SharedSeed(store, "n")
	if err != nil || a == (limits.Seed{}) {
		t.Fatal(a, err)
	}
	if b, err := limits.SharedSeed(store, "n"); err != nil || b != a {
		t.Errorf("%v, %v; want %v again", b, err, a)
	}
	if b, err := limits.SharedSeed(store, "other"); err != nil || b == a {
		t.Errorf("another namespace has the same seed: %v, %v", b, err)
	}
	left := 1
	if _, err := limits.SharedSeed(failing{limitstest.NewMemory(), &left}, "n"); !errors.Is(err, errBroken) {
		t.Error(err)
	}
}

// A subject whose use was all given back makes room at once, however long its
// window is: else whoever is refused by the provider could fill the table.
func TestRefundedSubjectsHoldNoRoom(t *testing.T) {
	for _, l := range []limits.Limit{
		{Name: "never", Never: true},
		{Name: "month", Calendar: limits.Month},
		{Name: "fixed", Window: 24 * time.Hour},
		{Name: "sliding", Window: 24 * time.Hour, Algorithm: limits.SlidingWindow},
		{Name: "bucket", Window: 24 * time.Hour, Algorithm: limits.TokenBucket},
	} {
		t.Run(l.Name, func(t *testing.T) {
			l.Max, l.Scope = 1, []int{0}
			e := limits.New([]limits.Attribute{{Name: "key"}}, []limits.Limit{l}, limits.Options{
				Namespace: "n", MaxSubjects: 1, Store: limitstest.NewMemory()})
			now := time.UnixMilli(1_800_000_000_000)
			for _, key := range []string{"bad", "good"} {
				var r limits.Reservation
				d, err := e.Reserve(now, []limits.Fact{{Value: key, Status: limits.Known}}, limits.Demand{}, &r)
				if err != nil || d.Outcome != limits.Admitted {
					t.Fatalf("%s: %+v, %v", key, d, err)
				}
				if r.State(0).Overflow {
					t.Errorf("%s found no room", key)
				}
				if key == "bad" {
					if err := e.Settle(now, limits.Actual{Void: true, VoidExcept: -1}, &r); err != nil {
						t.Fatal(err)
					}
				}
			}
		})
	}
}
