package limits_test

import (
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"sluice/limits"
)

// reference is what one limit should count, worked out from the list of all that
// was ever charged, without anything that the engine keeps.
type reference struct {
	limits.Limit
	charges []*charge
}

// charge is one amount that counts from some time on.
type charge struct {
	at     int64 // ms
	amount int64
	end    int64 // of the window that it is in, where there is one
}

func (m *reference) window() int64 { return m.Window.Milliseconds() }

// used is what counts at a time, which is not before any charge.
func (m *reference) used(now int64) (used int64) {
	if m.Algorithm == limits.TokenBucket {
		return m.missing(now)
	}
	for _, c := range m.charges {
		if now < c.end {
			used += c.amount
		}
	}
	return used
}

// missing replays the bucket in parts of a unit, of which a millisecond refills
// as many as the limit.
func (m *reference) missing(now int64) int64 {
	unit, missing, at := m.window(), int64(0), int64(0)
	refill := func(to int64) {
		missing, at = max(0, missing-(to-at)*m.Max), to
	}
	for _, c := range m.charges {
		refill(c.at)
		missing += c.amount * unit
	}
	refill(now)
	return (missing + unit - 1) / unit
}

func (m *reference) add(now, amount int64) *charge {
	c := &charge{at: now, amount: amount, end: now + m.window()}
	switch {
	case m.Dimension == limits.Concurrency || m.Algorithm == limits.SlidingWindow:
		slice := (m.window() + 31) / 32
		c.end = (now/slice+1)*slice + m.window()
	case m.Never:
		c.end = 1 << 62
	case m.Calendar == limits.Minute:
		c.end = now/60_000*60_000 + 60_000
	default:
		for _, other := range m.charges { // a window that runs goes on
			if other.amount > 0 && now < other.end {
				c.end = other.end
			}
		}
	}
	m.charges = append(m.charges, c)
	return c
}

// settle corrects a charge, and says how much more it is than was reserved.
func (m *reference) settle(c *charge, actual, now int64) (more int64) {
	if actual <= c.amount {
		c.amount = actual
		return 0
	}
	more = actual - c.amount
	if m.Algorithm == limits.SlidingWindow && now < c.end {
		// All of it counts from now on.
		m.add(now, actual)
		c.amount = 0
	} else {
		m.add(now, more)
	}
	return more
}

// most is what may be in use at once.
func (m *reference) most() int64 {
	if m.Algorithm == limits.TokenBucket && m.Burst > 0 {
		return m.Burst
	}
	return m.Max
}

func drawModels(t *rapid.T) (models []*reference) {
	for i := range rapid.IntRange(1, 3).Draw(t, "limits") {
		l := limits.Limit{
			Name: fmt.Sprint("limit-", i), Max: rapid.Int64Range(1, 200).Draw(t, "max"),
			Window:     rapid.SampledFrom([]time.Duration{700 * time.Millisecond, 10 * time.Second, time.Minute}).Draw(t, "window"),
			Scope:      rapid.SampledFrom([][]int{nil, {key}, {key}, {key, org}}).Draw(t, "scope"),
			Accounting: limits.Total(),
		}
		switch rapid.IntRange(0, 6).Draw(t, "kind") {
		case 0, 1:
		case 2:
			l.Calendar = limits.Minute
		case 3:
			l.Never = true
		case 4:
			l.Algorithm = limits.SlidingWindow
		case 5:
			l.Algorithm = limits.TokenBucket
			l.Burst = rapid.Int64Range(0, 200).Draw(t, "burst")
		case 6:
			l.Dimension = limits.Concurrency
		}
		if l.Dimension != limits.Concurrency && rapid.Bool().Draw(t, "tokens") {
			l.Dimension = limits.Tokens
		}
		models = append(models, &reference{Limit: l})
	}
	return models
}

func configured(models []*reference) (l []limits.Limit) {
	for _, m := range models {
		l = append(l, m.Limit)
	}
	return l
}

// held is a request in flight: its reservation, and what the models have of it.
type held struct {
	*limits.Reservation
	charges []*charge
}

// TestCountersAreReservationsAndSettledUse lets several engines reserve, settle
// and refund in any order and at any time, with conflicts, and holds what they
// count against the model.
func TestCountersAreReservationsAndSettledUse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		models := drawModels(t)
		w := newWorld(t, configured(models)...)
		w.now = start.Add(time.Duration(rapid.IntRange(0, 120_000).Draw(t, "start")) * time.Millisecond)
		w.facts = known("k")
		engines := []*limits.Engine{w.Engine, w.engine(), w.engine()}
		for i := range engines[1:] { // with room for other numbers of subjects
			w.options.MaxSubjects = rapid.SampledFrom([]int{10, 1000, 2000, 1 << 20}).Draw(t, "subjects")
			engines[1+i] = w.engine()
		}
		var open []held
		overrun := make([]int64, len(models)) // what settlements found too little was reserved

		reserve := func(e *limits.Engine, exact bool) {
			d := limits.Demand{
				Input: rapid.Int64Range(0, 60).Draw(t, "input"), Output: rapid.Int64Range(0, 60).Draw(t, "output"),
				Guessed: rapid.Bool().Draw(t, "guessed"), ModelCall: true,
			}
			now := w.now.UnixMilli()
			fits := true
			amounts := make([]int64, len(models))
			for i, m := range models {
				amounts[i] = 1
				if m.Dimension == limits.Tokens {
					amounts[i] = d.Input + d.Output
				}
				if d.Guessed && d.Input <= m.most() {
					amounts[i] = min(amounts[i], m.most())
				}
				fits = fits && m.used(now)+max(amounts[i], 1) <= m.most()
			}
			r := new(limits.Reservation)
			decision, err := e.Reserve(w.now, w.facts, d, r)
			if err != nil {
				t.Fatal(err)
			}
			if decision.Refused() {
				if exact && fits {
					t.Fatalf("refused what fits: %+v", decision)
				}
				return
			}
			h := held{r, make([]*charge, len(models))}
			for i, m := range models {
				if h.charges[i] = new(charge); amounts[i] > 0 {
					h.charges[i] = m.add(now, amounts[i])
				}
			}
			open = append(open, h)
		}
		settle := func(e *limits.Engine, h held) {
			a := limits.Actual{VoidExcept: -1, Void: rapid.IntRange(0, 3).Draw(t, "void") == 0}
			if !a.Void {
				a.Usage = limits.Usage{Input: rapid.Int64Range(0, 90).Draw(t, "used input"), Output: rapid.Int64Range(0, 90).Draw(t, "used output")}
			}
			now := w.now.UnixMilli()
			if err := e.Settle(w.now, a, h.Reservation); err != nil {
				t.Fatal(err)
			}
			for i, m := range models {
				actual := int64(1)
				switch {
				case a.Void || m.Dimension == limits.Concurrency:
					actual = 0
				case m.Dimension == limits.Tokens:
					actual = a.Usage.Input + a.Usage.Output
				}
				overrun[i] += m.settle(h.charges[i], actual, now)
			}
		}

		// Another engine comes between a look and its write, now and then; not
		// amid the writes of a settlement, which the reference does at once, nor
		// between the looks at several subjects.
		nested, settling, looking, writes := false, false, false, 0
		w.store.BeforeSet = func(string) {
			writes++
			if nested || looking || settling && writes > 1 || !rapid.Bool().Draw(t, "conflict") {
				return
			}
			nested = true
			reserve(engines[2], false)
			nested = false
		}

		exact := true
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			exact = true
			w.after(time.Duration(rapid.SampledFrom([]int{0, 0, 1, 10, 300, 2000, 20_000, 61_000}).Draw(t, "pause")) * time.Millisecond)
			e := engines[rapid.IntRange(0, 1).Draw(t, "engine")]
			if i := rapid.IntRange(0, 2*len(open)).Draw(t, "settle"); i < len(open) {
				h := open[i]
				open = append(open[:i], open[i+1:]...)
				settling, writes = true, 0
				settle(e, h)
				settling = false
			} else {
				reserve(e, false)
			}
			looking = true
			for i, m := range models {
				got, want := w.state(m.Name).Used, m.used(w.now.UnixMilli())
				// A bucket's refund may be a little too small, see mark.
				if got < want || got > want && m.Algorithm != limits.TokenBucket {
					t.Fatalf("%s: %d used; want %d", m.Name, got, want)
				}
				exact = exact && got == want
				if want > m.most()+overrun[i] {
					t.Fatalf("%s: %d of %d used, of which only %d were underestimated", m.Name, want, m.most(), overrun[i])
				}
			}
			looking = false
		}
		// In peace, the decision is exact too.
		w.store.BeforeSet = nil
		reserve(engines[0], exact)
	})
}

// taken is one admitted request, of which a part was given back later.
type taken struct {
	at  time.Time
	net int64
}

// play reserves and refunds at random, tokens of one limit.
func play(t *rapid.T, w *world, most int64, steps int, pauses []int) (all []taken) {
	open := map[int]*limits.Reservation{}
	var order []int
	for range steps {
		w.after(time.Duration(rapid.SampledFrom(pauses).Draw(t, "pause")) * time.Millisecond)
		if i := rapid.IntRange(0, 2*len(order)).Draw(t, "settle"); i < len(order) {
			n := order[i]
			order = append(order[:i], order[i+1:]...)
			all[n].net = rapid.Int64Range(0, all[n].net).Draw(t, "net")
			w.settleTokens(open[n], all[n].net, 0)
			continue
		}
		amount := rapid.Int64Range(1, most).Draw(t, "amount")
		if d, r := w.tokens(amount, 0).reserve(); !d.Refused() {
			open[len(all)] = r
			order = append(order, len(all))
			all = append(all, taken{w.now, amount})
		}
	}
	return all
}

func TestTokenBucketNeverLetsMoreThroughThanBurstAndRefill(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := bucket(rapid.Int64Range(1, 100).Draw(t, "limit"), rapid.Int64Range(1, 100).Draw(t, "burst"), 10*time.Second)
		w := newWorld(t, l)
		all := play(t, w, l.Burst, rapid.IntRange(1, 80).Draw(t, "steps"), []int{0, 0, 7, 333, 2000, 10_000})
		for i := range all {
			sum := int64(0)
			for _, c := range all[i:] {
				sum += c.net
				if ms := c.at.Sub(all[i].at).Milliseconds(); sum*10_000 > l.Burst*10_000+ms*l.Max {
					t.Fatalf("%d in %d ms, of a burst of %d and %d in 10 s", sum, ms, l.Burst, l.Max)
				}
			}
		}
	})
}

// A refund leaves the bucket as if the charge had been smaller from the first,
// but for parts of a unit: surely while there are few charges, or if all came at
// once.
func TestTokenBucketRefundIsExact(t *testing.T) {
	for _, test := range []struct {
		name   string
		most   int // charges
		pauses []int
	}{
		{"few", 8, []int{0, 0, 7, 333, 2000, 10_000}},
		{"at once", 1000, []int{0}},
	} {
		t.Run(test.name, rapid.MakeCheck(func(t *rapid.T) {
			m := reference{Limit: bucket(rapid.Int64Range(1, 100).Draw(t, "limit"), rapid.Int64Range(1, 100).Draw(t, "burst"), 10*time.Second)}
			w := newWorld(t, m.Limit)
			all := play(t, w, m.Burst, rapid.IntRange(1, 60).Draw(t, "steps"), test.pauses)
			refunds := int64(0)
			for _, c := range all {
				m.add(c.at.UnixMilli(), c.net)
				refunds++
			}
			got, want := w.state("l").Used, m.used(w.now.UnixMilli())
			if got < want || len(all) <= test.most && got > want+refunds {
				t.Fatalf("%d missing; want %d", got, want)
			}
		}))
	}
}

func TestSlidingWindowNeverHoldsMoreThanTheLimit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := limits.Limit{
			Name: "l", Dimension: limits.Tokens, Max: rapid.Int64Range(1, 100).Draw(t, "limit"), Accounting: limits.Total(),
			Window: time.Duration(rapid.IntRange(1, 20_000).Draw(t, "window")) * time.Millisecond, Algorithm: limits.SlidingWindow,
		}
		w := newWorld(t, l)
		all := play(t, w, l.Max, rapid.IntRange(1, 80).Draw(t, "steps"), []int{0, 0, 7, 333, 2000, 10_000})
		for i := range all {
			sum := int64(0)
			for _, c := range all[i:] {
				if c.at.Sub(all[i].at) >= l.Window {
					break
				}
				if sum += c.net; sum > l.Max {
					t.Fatalf("%d within %v, of %d", sum, l.Window, l.Max)
				}
			}
		}
	})
}

func TestGreedyClientNeverGetsMoreThanTheLimitInAnyWindow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		window := time.Duration(rapid.IntRange(1000, 10_000).Draw(t, "window")) * time.Millisecond
		most := rapid.Int64Range(1, 50).Draw(t, "limit")
		w := newWorld(t, limits.Limit{Name: "l", Max: most, Window: window, Algorithm: limits.SlidingWindow})
		w.after(time.Duration(rapid.IntRange(0, 10_000).Draw(t, "offset")) * time.Millisecond)
		var at []time.Time
		for range 400 {
			for range w.greedy() {
				at = append(at, w.now)
			}
			w.after(50 * time.Millisecond)
		}
		for i := range at {
			if last := i + int(most); last < len(at) && at[last].Sub(at[i]) < window {
				t.Fatalf("more than %d within %v", most, at[last].Sub(at[i]))
			}
		}
		// Nor does it get much less: a slice of a window longer is the price.
		windows := int64(20*time.Second) / int64(window+window/16)
		if int64(len(at)) < windows*most {
			t.Fatalf("%d admitted in 20 s, at %d in %v", len(at), most, window)
		}
	})
}

// TestWaitIsExact fills limits in any way, and holds the engine to the wait that
// it names: see throttle.
func TestWaitIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		models := drawModels(t)
		for _, m := range models {
			if m.Dimension == limits.Concurrency { // nobody knows when a stream ends
				m.Dimension = limits.Requests
			}
		}
		w := newWorld(t, configured(models)...)
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			w.after(time.Duration(rapid.SampledFrom([]int{0, 0, 1, 33, 300, 2000}).Draw(t, "pause")) * time.Millisecond)
			w.tokens(rapid.Int64Range(0, 60).Draw(t, "input"), rapid.Int64Range(0, 60).Draw(t, "output"))
			d, r := w.reserve()
			switch {
			case d.Outcome == limits.Throttled:
				w.throttle(d.Wait)
			case !d.Refused() && rapid.Bool().Draw(t, "settle"):
				w.settleTokens(r, rapid.Int64Range(0, 300).Draw(t, "used"), 0)
			}
		}
	})
}

func TestLargeNumbersDoNotOverflow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		large := rapid.OneOf(rapid.Int64Range(1, 1<<53), rapid.Just(int64(1)<<53), rapid.Just(int64(1)))
		l := limits.Limit{
			Name: "l", Dimension: limits.Tokens, Accounting: limits.Total(), Max: large.Draw(t, "limit"),
			Window:    time.Duration(rapid.Int64Range(1, 366*24*3600*1000).Draw(t, "window")) * time.Millisecond,
			Algorithm: rapid.SampledFrom([]limits.Algorithm{limits.FixedWindow, limits.SlidingWindow, limits.TokenBucket}).Draw(t, "algorithm"),
		}
		if l.Algorithm == limits.TokenBucket {
			l.Burst = large.Draw(t, "burst")
		}
		most := (&reference{Limit: l}).most()
		w := newWorld(t, l)
		for range rapid.IntRange(1, 20).Draw(t, "steps") {
			w.after(time.Duration(rapid.Int64Range(0, 400*24*3600*1000).Draw(t, "pause")) * time.Millisecond)
			w.tokens(min(most, large.Draw(t, "amount")), 0)
			d, r := w.reserve()
			if d.Outcome == limits.TooLarge || d.Wait < 0 {
				t.Fatalf("%+v", d)
			}
			if d.Outcome == limits.Throttled {
				w.throttle(d.Wait)
			} else if rapid.Bool().Draw(t, "settle") {
				w.settleTokens(r, large.Draw(t, "used"), 0)
			}
			if s := w.state("l"); s.Used < 0 || s.Remaining < 0 || s.Remaining > s.Max {
				t.Fatalf("%+v", s)
			}
		}
	})
}
