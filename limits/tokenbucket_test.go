package limits_test

import (
	"testing"
	"time"

	"sluice/limits"
)

func bucket(limit, burst int64, window time.Duration) limits.Limit {
	return limits.Limit{Name: "l", Dimension: limits.Tokens, Max: limit, Burst: burst, Window: window,
		Algorithm: limits.TokenBucket, Accounting: limits.Total()}
}

func TestTokenBucketRefillsContinuously(t *testing.T) {
	w := newWorld(t, bucket(60, 0, time.Minute))
	w.tokens(60, 0).admit()
	if s := w.state("l"); s.Max != 60 || !s.Reset.Equal(w.now.Add(time.Minute)) {
		t.Errorf("%+v", s)
	}
	w.tokens(1, 0).throttle(time.Second)
	w.tokens(10, 0).throttle(10 * time.Second)
	w.after(10*time.Second).used("l", 50)
	w.tokens(10, 0).admit()
	w.after(time.Hour).used("l", 0)
}

func TestTokenBucketHoldsUpToItsBurst(t *testing.T) {
	for _, test := range []struct{ limit, burst int64 }{{60, 10}, {60, 600}} {
		w := newWorld(t, bucket(test.limit, test.burst, time.Minute))
		w.demand.Output = test.burst + 1
		if d := w.refuse(limits.TooLarge); d.Max != test.burst || d.Requested != test.burst+1 || d.Wait != 0 {
			t.Errorf("%+v", d)
		}
		w.tokens(0, test.burst).admit()
		w.tokens(1, 0).throttle(time.Second)
		w.after(24 * time.Hour)
		w.tokens(test.burst, 0).admit()
		w.tokens(1, 0).throttle(time.Second)
	}
}

// Seven units a second do not come at whole milliseconds: what is rounded at
// one look must not be lost, nor won, at thousands.
func TestTokenBucketRefillDoesNotDrift(t *testing.T) {
	w := newWorld(t, bucket(7, 7, time.Second))
	w.tokens(7, 0).admit()
	w.tokens(1, 0)
	admitted := int64(0)
	for range 100_000 {
		w.after(time.Millisecond)
		if d, _ := w.reserve(); !d.Refused() {
			admitted++
		}
	}
	if admitted != 700 {
		t.Errorf("%d admitted in 100 s at 7/s", admitted)
	}
}

func TestTokenBucketOfCostKeepsWholeNanoDollars(t *testing.T) {
	w := newWorld(t, bucket(1, 5*limits.NanoDollars, 365*24*time.Hour)) // a billionth a year
	w.tokens(3*limits.NanoDollars, 0).admit()
	w.after(365*24*time.Hour).used("l", 3*limits.NanoDollars-1)
	w.after(364*24*time.Hour).used("l", 3*limits.NanoDollars-1)
	w.after(24*time.Hour).used("l", 3*limits.NanoDollars-2)
}

func TestTokenBucketRefundRestoresWhatOthersLeft(t *testing.T) {
	w := newWorld(t, bucket(60, 120, time.Minute))
	r := w.tokens(100, 0).admit()
	w.after(10 * time.Second) // 90 are missing
	w.tokens(20, 0).admit()   // 110
	w.after(10 * time.Second) // 100
	w.settleTokens(r, 10, 0)
	w.used("l", 10) // as if 10 and 20 had been charged: 0 missing at 10 s, 20 of which 10 are back
}

// A refund gives back what the bucket would hold without the charge. Where it
// would have been full for a while, that is less than was charged.
func TestTokenBucketRefundsDoNotSaveUpMoreThanABurst(t *testing.T) {
	w := newWorld(t, bucket(60, 60, time.Minute))
	var held []*limits.Reservation
	for range 5 {
		held = append(held, w.tokens(60, 0).admit())
		w.after(time.Minute)
	}
	w.tokens(60, 0).admit()
	for _, r := range held {
		w.settle(r, void)
		w.used("l", 60)
	}

	w = newWorld(t, bucket(60, 60, time.Minute))
	r := w.tokens(60, 0).admit()
	w.after(45 * time.Second) // 15 are missing
	w.tokens(40, 0).admit()   // 55
	w.settle(r, void)
	w.used("l", 40)
}

// A refund lowers what was missing all along, for later refunds too.
func TestTokenBucketRefundsInAnyOrder(t *testing.T) {
	for _, order := range [][2]int{{0, 1}, {1, 0}} {
		w := newWorld(t, bucket(60, 100, time.Minute))
		held := []*limits.Reservation{w.tokens(50, 0).admit(), w.tokens(20, 0).admit()}
		w.after(15 * time.Second) // 55 are missing
		w.tokens(10, 0).admit()
		w.tokens(35, 0).admit()
		for _, i := range order {
			w.settle(held[i], void)
		}
		w.used("l", 45)
	}
}

func TestTokenBucketThatIsAnotherTakesNoRefund(t *testing.T) {
	w := newWorld(t, bucket(60, 100, time.Minute))
	r := w.tokens(50, 0).admit()
	for _, k := range w.store.Keys() {
		_ = w.store.Swap([]byte(k), []byte("garbage"), 0)
	}
	w.after(-time.Hour).tokens(80, 0).admit()
	w.settle(r, void)
	w.used("l", 80)
}

func TestTokenBucketTopUpIsRefundedWhole(t *testing.T) {
	w := newWorld(t, bucket(60, 600, time.Minute))
	w.tokens(300, 0).admit()
	r := w.tokens(100, 0).admit()
	w.after(10*time.Second).charge(r, 200)
	w.used("l", 490)
	w.after(10*time.Second).settle(r, void)
	w.used("l", 280)
}

// Of any number of requests that are in flight together all is given back but
// what the bucket refilled between some few of them.
func TestTokenBucketRefundsAFlood(t *testing.T) {
	const requests, each, net = 500, 1000, 100
	for name, order := range map[string]func(i int) int{
		"first in, first out": func(i int) int { return i },
		"last in, first out":  func(i int) int { return requests - 1 - i },
		"mixed":               func(i int) int { return i * 7 % requests },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, bucket(requests*each, 0, time.Minute)) // refills 8 a ms
			var held []*limits.Reservation
			for range requests {
				held = append(held, w.tokens(each, 0).admit())
				w.after(time.Millisecond)
			}
			for i := range held {
				w.settleTokens(held[order(i)], net, 0)
			}
			ideal := int64(requests*net - requests*requests*each/60_000)
			if s := w.state("l"); s.Used < ideal || s.Used > ideal+ideal/20 {
				t.Errorf("%d used; want %d", s.Used, ideal)
			}
			for _, r := range held {
				w.settle(r, void)
			}
			if s := w.state("l"); s.Used > requests*each/100 {
				t.Errorf("%d used of nothing", s.Used)
			}
		})
	}
}
