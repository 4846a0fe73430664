package tokens

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestLearnedOfNothing(t *testing.T) {
	var l Learned
	if l.Input(100) != 100 || l.Output(1024) != 1024 || l.Hidden() != 1 {
		t.Errorf("%d %d %v", l.Input(100), l.Output(1024), l.Hidden())
	}
	if l.Input(0) != 0 || l.Input(-5) != 0 || l.Output(-5) != 0 {
		t.Error("below 0")
	}
	l.Observe(100, 0, 0, 0)
	l.Observe(0, 100, -1, 5)
	if l != (Learned{}) {
		t.Error("learned from nothing")
	}
}

// TestLearnedConverges draws answers that stay the same in kind.
func TestLearnedConverges(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		ratio := rapid.Float64Range(0.4, 2.5).Draw(t, "ratio")
		hidden := rapid.Float64Range(1, 3).Draw(t, "hidden")
		median := rapid.Float64Range(30, 3000).Draw(t, "median")
		spread := rapid.Float64Range(0.2, 0.6).Draw(t, "spread")
		var l Learned
		var outputs []int64
		for range 900 {
			estimate := 50 + random.Int64N(2000)
			output := int64(median*math.Exp(random.NormFloat64()*spread)) + 1
			outputs = append(outputs, output)
			actual := float64(estimate) * ratio * math.Exp(random.NormFloat64()*0.1)
			l.Observe(estimate, int64(math.Round(actual)), output, int64(math.Round(float64(output)/hidden)))
		}
		if got := float64(l.Input(100_000)) / 100_000; math.Abs(got/ratio-1) > 0.05 {
			t.Fatalf("a ratio of %.3f, not %.3f", got, ratio)
		}
		if got := l.Hidden(); math.Abs(got/hidden-1) > 0.05 {
			t.Fatalf("a hidden ratio of %.3f, not %.3f", got, hidden)
		}
		slices.Sort(outputs)
		want, seen := median*math.Exp(1.6449*spread), float64(outputs[len(outputs)*95/100])
		if got := float64(l.Output(int64(want))); math.Abs(got/want-1) > 0.2 || math.Abs(got/seen-1) > 0.12 {
			t.Fatalf("a 95th percentile of %.0f, not %.0f, and %.0f of what it saw", got, want, seen)
		}
	})
}

// TestLearnedForgets changes the kind of the answers.
func TestLearnedForgets(t *testing.T) {
	var l Learned
	for range 5000 {
		l.Observe(100, 200, 4000, 4000)
	}
	for range 5000 {
		l.Observe(100, 80, 300, 100)
	}
	if got := l.Input(1000); got < 780 || got > 830 {
		t.Errorf("input %d", got)
	}
	if got := l.Output(500); got < 250 || got > 360 {
		t.Errorf("output %d", got)
	}
	if got := l.Hidden(); got < 2.8 || got > 3.1 {
		t.Errorf("hidden %v", got)
	}
}

// anyCount draws what an upstream may report, absurd numbers too.
var anyCount = rapid.OneOf(rapid.Int64(), rapid.Int64Range(0, 5000), rapid.SampledFrom([]int64{0, -1, 1, math.MaxInt64, math.MinInt64}))

// TestLearnedBounds reports anything.
func TestLearnedBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var l Learned
		for range rapid.IntRange(0, 60).Draw(t, "answers") {
			a, b, c, d := anyCount.Draw(t, "estimate"), anyCount.Draw(t, "actual"), anyCount.Draw(t, "output"), anyCount.Draw(t, "visible")
			for range rapid.IntRange(1, 40).Draw(t, "times") {
				l.Observe(a, b, c, d)
			}
			if rapid.Bool().Draw(t, "merge") {
				l.Merge(l)
			}
		}
		holds(t, l)
		back, ok := DecodeLearned(l.AppendBinary(nil))
		if !ok || back != l {
			t.Fatalf("decoded %v: %+v, not %+v", ok, back, l)
		}
	})
}

// holds checks what a Learned promises.
func holds(t interface{ Fatalf(string, ...any) }, l Learned) {
	for _, n := range []int64{0, 1, 3, 4, 100, 1024, MaxCount} {
		low, high := int64(math.Round(float64(n)/4)), 4*n
		if got := l.Input(n); got < low || got > high {
			t.Fatalf("an input of %d becomes %d: %+v", n, got, l)
		}
		if got := l.Output(n); got < low || got > high {
			t.Fatalf("an output of %d becomes %d: %+v", n, got, l)
		}
	}
	if got := l.Hidden(); !(got >= 1 && got <= 4) {
		t.Fatalf("hidden %v: %+v", got, l)
	}
}

// TestOneReportMovesLittle is about poison: one answer among many, or the first.
func TestOneReportMovesLittle(t *testing.T) {
	var first Learned
	first.Observe(1, math.MaxInt64, math.MaxInt64, 1)
	if got := first.Input(100); got > 130 || first.Output(100) != 100 || first.Hidden() > 1.3 {
		t.Errorf("the first: %d %d %v", got, first.Output(100), first.Hidden())
	}
	var l Learned
	for range 200 {
		l.Observe(100, 100, 100, 100)
	}
	before := l.Output(100)
	l.Observe(1, math.MaxInt64, math.MaxInt64, 1)
	if got := l.Input(1000); got > 1010 || l.Output(100) != before || l.Hidden() > 1.01 {
		t.Errorf("one of many: %d, %d after %d, %v", got, l.Output(100), before, l.Hidden())
	}
}

// TestMergedBatches has several workers see what one could have seen alone.
func TestMergedBatches(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 2))
		workers := rapid.IntRange(2, 8).Draw(t, "workers")
		batches := make([]Learned, workers)
		var alone, shared Learned
		for range 3000 {
			estimate := 50 + random.Int64N(2000)
			actual := int64(float64(estimate) * 1.3 * math.Exp(random.NormFloat64()*0.2))
			output := int64(300*math.Exp(random.NormFloat64()*0.7)) + 1
			alone.Observe(estimate, actual, output, output)
			w := random.IntN(workers)
			batches[w].Observe(estimate, actual, output, output)
			if random.IntN(20) == 0 {
				shared.Merge(batches[w])
				batches[w] = Learned{}
			}
		}
		for _, b := range batches {
			shared.Merge(b)
		}
		if got, want := float64(shared.Input(100_000)), float64(alone.Input(100_000)); math.Abs(got/want-1) > 0.03 {
			t.Fatalf("input %.0f, alone %.0f", got, want)
		}
		if got, want := float64(shared.Output(1000)), float64(alone.Output(1000)); math.Abs(got/want-1) > 0.1 {
			t.Fatalf("output %.0f, alone %.0f", got, want)
		}
	})
}

func FuzzDecodeLearned(f *testing.F) {
	var l Learned
	l.Observe(100, 120, 300, 100)
	f.Add(l.AppendBinary(nil))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, b []byte) {
		l, ok := DecodeLearned(b)
		if !ok && l != (Learned{}) {
			t.Fatalf("%+v", l)
		}
		holds(t, l)
		l.Observe(100, 120, 300, 100)
		holds(t, l)
	})
}
