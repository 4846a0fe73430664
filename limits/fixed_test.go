package limits_test

import (
	"testing"
	"time"

	"sluice/limits"
)

func TestFixedWindowRunsFromTheFirstRequest(t *testing.T) {
	w := newWorld(t, limits.Limit{Name: "l", Max: 2, Window: time.Minute})
	w.admit()
	if s := w.state("l"); s.Used != 1 || s.Remaining != 1 || !s.Reset.Equal(start.Add(time.Minute)) {
		t.Errorf("%+v", s)
	}
	w.after(59 * time.Second).admit()
	w.throttle(time.Second)
	w.after(time.Second).admit()
	if s := w.state("l"); s.Used != 1 || !s.Reset.Equal(start.Add(2*time.Minute)) {
		t.Errorf("%+v", s)
	}
}

func TestStateOfAReservationIncludesItsOwnCharge(t *testing.T) {
	w := newWorld(t, limits.Limit{Name: "l", Dimension: limits.Tokens, Max: 100, Window: time.Minute, Accounting: limits.Total()})
	if s := w.state("l"); s.Used != 0 || s.Remaining != 100 || !s.Reset.IsZero() {
		t.Errorf("before: %+v", s)
	}
	r := w.tokens(30, 0).admit()
	if s := r.State(0); s.Used != 30 || s.Remaining != 70 || !s.Reset.Equal(start.Add(time.Minute)) {
		t.Errorf("reserved: %+v", s)
	}
	w.settleTokens(r, 40, 0)
	if s := r.State(0); s.Used != 40 || s.Remaining != 60 {
		t.Errorf("settled: %+v", s)
	}
}

func TestWindowOfARefundedRequestHasNotBegun(t *testing.T) {
	w := newWorld(t, limits.Limit{Name: "l", Max: 1, Window: time.Minute})
	w.settle(w.admit(), void)
	if s := w.state("l"); !s.Reset.IsZero() {
		t.Errorf("nothing is used until %v", s.Reset)
	}
	w.after(50 * time.Second).admit()
	w.throttle(time.Minute)
}

func TestNeverWindowGivesNothingBack(t *testing.T) {
	w := newWorld(t, limits.Limit{Name: "l", Max: 2, Never: true})
	w.admit()
	w.admit()
	if s := w.state("l"); !s.Reset.IsZero() || s.Remaining != 0 {
		t.Errorf("%+v", s)
	}
	w.throttle(limits.Forever)
	w.after(200 * 365 * 24 * time.Hour).throttle(limits.Forever)
}

func TestNeverWindowTakesRefunds(t *testing.T) {
	w := newWorld(t, limits.Limit{Name: "l", Dimension: limits.Tokens, Max: 100, Never: true, Accounting: limits.Total()})
	r := w.tokens(50, 50).admit()
	w.after(1000*time.Hour).settleTokens(r, 50, 10)
	w.used("l", 60)
	w.settle(r, void)
	w.used("l", 0)
}

func TestCalendarWindowsEndInUTC(t *testing.T) {
	zone := time.FixedZone("", 5*3600+1800)
	for _, test := range []struct {
		period   limits.Period
		now, end string
	}{
		{limits.Second, "2026-11-30T12:00:00.999Z", "2026-11-30T12:00:01Z"},
		{limits.Second, "2026-11-30T12:00:01Z", "2026-11-30T12:00:02Z"},
		{limits.Minute, "2026-11-30T23:59:59.001Z", "2026-12-01T00:00:00Z"},
		{limits.Hour, "2026-11-30T12:30:00Z", "2026-11-30T13:00:00Z"},
		{limits.Day, "2026-12-31T00:00:00Z", "2027-01-01T00:00:00Z"},
		{limits.Day, "2028-02-28T13:00:00Z", "2028-02-29T00:00:00Z"},
		{limits.Day, "2028-02-29T13:00:00Z", "2028-03-01T00:00:00Z"},
		{limits.Week, "2026-11-30T00:00:00Z", "2026-12-07T00:00:00Z"}, // a Monday
		{limits.Week, "2026-12-06T23:59:59.999Z", "2026-12-07T00:00:00Z"},
		{limits.Week, "2026-12-31T12:00:00Z", "2027-01-04T00:00:00Z"},
		{limits.Month, "2026-11-30T12:00:00Z", "2026-12-01T00:00:00Z"},
		{limits.Month, "2027-01-31T12:00:00Z", "2027-02-01T00:00:00Z"},
		{limits.Month, "2027-02-01T00:00:00Z", "2027-03-01T00:00:00Z"},
		{limits.Month, "2028-02-29T12:00:00Z", "2028-03-01T00:00:00Z"},
		{limits.Month, "2026-12-31T23:59:59Z", "2027-01-01T00:00:00Z"},
		{limits.Year, "2028-02-29T12:00:00Z", "2029-01-01T00:00:00Z"},
		{limits.Year, "2026-01-01T00:00:00Z", "2027-01-01T00:00:00Z"},
	} {
		now, _ := time.Parse(time.RFC3339, test.now)
		end, _ := time.Parse(time.RFC3339, test.end)
		w := newWorld(t, limits.Limit{Name: "l", Max: 1, Calendar: test.period})
		w.now = now.In(zone)
		w.admit()
		if s := w.state("l"); !s.Reset.Equal(end) {
			t.Errorf("period %d at %s ends at %v; want %s", test.period, test.now, s.Reset.UTC(), test.end)
		}
		w.throttle(end.Sub(now))
	}
}

func TestRefundNeverTouchesALaterWindow(t *testing.T) {
	for _, l := range []limits.Limit{
		{Name: "l", Window: time.Minute},
		{Name: "l", Calendar: limits.Minute},
		{Name: "l", Window: time.Minute, Algorithm: limits.SlidingWindow},
		{Name: "l", Window: time.Minute, Algorithm: limits.TokenBucket},
	} {
		l.Dimension, l.Max, l.Accounting = limits.Tokens, 100, limits.Total()
		w := newWorld(t, l)
		old := w.tokens(80, 0).admit()
		w.after(2 * time.Minute)
		w.tokens(70, 0).admit()
		w.settle(old, void)
		w.used("l", 70)
	}
}

func TestUnderestimateCountsInTheWindowOfItsSettlement(t *testing.T) {
	w := newWorld(t, limits.Limit{Name: "l", Dimension: limits.Tokens, Max: 100, Window: time.Minute, Accounting: limits.Total()})
	r := w.tokens(30, 0).admit()
	w.after(2*time.Minute).settleTokens(r, 30, 20)
	w.used("l", 20)
	w.tokens(30, 0).admit()
	// Of what is given back after that only the 20 were in this window.
	w.settle(r, void)
	w.used("l", 30)
}

func TestTopUpDoesNotProlongAWindow(t *testing.T) {
	w := newWorld(t, limits.Limit{Name: "l", Dimension: limits.Tokens, Max: 100, Window: time.Minute, Accounting: limits.Total()})
	r := w.tokens(30, 0).admit()
	w.after(40*time.Second).settleTokens(r, 100, 0)
	w.tokens(1, 0).throttle(20 * time.Second)
}
