package limits_test

import (
	"testing"
	"time"

	"sluice/limits"
)

func slots(n int64, lease time.Duration) limits.Limit {
	return limits.Limit{Name: "l", Dimension: limits.Concurrency, Max: n, Window: lease}
}

func (w *world) renew(r *limits.Reservation) {
	w.Helper()
	if err := w.Renew(w.now, r); err != nil {
		w.Fatal(err)
	}
}

func TestSlotIsHeldUntilTheEnd(t *testing.T) {
	w := newWorld(t, slots(2, 10*time.Minute))
	a, b := w.admit(), w.admit()
	w.throttle(time.Second)
	w.after(time.Minute).charge(a, 0)
	w.throttle(time.Second)
	w.settle(a, limits.Actual{VoidExcept: -1})
	w.used("l", 1)
	w.settle(a, limits.Actual{VoidExcept: -1}) // once is enough
	w.used("l", 1)
	w.settle(b, void)
	w.used("l", 0)
}

func TestSlotThatIsNotRenewedIsFreeAfterItsLease(t *testing.T) {
	w := newWorld(t, slots(1, 10*time.Minute))
	w.admit()
	w.after(10 * time.Minute).throttle(time.Second)
	w.after(10 * time.Minute / 32).admit()
}

func TestRenewedSlotStaysTaken(t *testing.T) {
	w := newWorld(t, slots(1, 10*time.Minute))
	r := w.admit()
	for range 100 {
		w.after(5 * time.Minute).renew(r)
		w.throttle(time.Second)
	}
	w.after(9 * time.Minute).throttle(time.Second)
	w.settle(r, void)
	w.used("l", 0)
}

func TestRenewalIsFreeWhileThereIsNothingToDo(t *testing.T) {
	w := newWorld(t, slots(1, 10*time.Minute))
	r := w.admit()
	writes := 0
	w.store.BeforeSet = func(string) { writes++ }
	for range 640 {
		w.after(time.Second).renew(r)
	}
	if writes > 35 {
		t.Errorf("%d writes in 10 minutes", writes)
	}
}

func TestReleaseAfterTheLeaseTakesNobodysSlot(t *testing.T) {
	w := newWorld(t, slots(2, time.Minute))
	lost := w.admit()
	for range 3 { // until the slot's place in the ring is another's
		w.after(61 * time.Second)
		r := w.admit()
		w.settle(lost, limits.Actual{VoidExcept: -1})
		w.used("l", 1)
		w.settle(r, void)
		w.used("l", 0)
		lost = w.admit()
	}
}

func TestStreamThatComesBackAfterItsLeaseIsCountedAgain(t *testing.T) {
	w := newWorld(t, slots(1, time.Minute))
	r := w.admit()
	w.after(2 * time.Minute)
	other := w.admit()
	w.renew(r)
	w.used("l", 2)
	w.settle(r, void)
	w.used("l", 1)
	w.settle(other, void)
	w.used("l", 0)
}

// A worker whose clock is ahead has begun the next slice of time; the slot of
// one that is behind goes there too, and has to be found there again.
func TestSlotIsFoundAgainWhereAnotherClockPutIt(t *testing.T) {
	w := newWorld(t, slots(10, 32*time.Second))
	w.now = time.Unix(1_800_000_000, 0)
	r := w.admit()
	w.after(1900 * time.Millisecond)
	other := w.admit() // a slice later
	w.now = w.now.Add(-900 * time.Millisecond)
	w.renew(r)
	w.after(2*time.Second).settle(other, void)
	w.used("l", 1)
	w.settle(r, void)
	w.used("l", 0)
}

func TestThousandsOfSlots(t *testing.T) {
	w := newWorld(t, slots(5000, time.Minute))
	var held []*limits.Reservation
	for range 5000 {
		held = append(held, w.after(2*time.Millisecond).admit())
	}
	w.throttle(time.Second)
	for _, r := range held {
		w.settle(r, limits.Actual{VoidExcept: -1})
	}
	w.used("l", 0)
}
