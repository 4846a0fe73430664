package headers

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// none marks what cannot be read as a time to wait.
const none = time.Duration(-1)

var noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

func TestWaits(t *testing.T) {
	const (
		ms   = time.Millisecond
		hour = time.Hour
		day  = 24 * hour
	)
	for s, want := range map[string]time.Duration{
		// Go durations
		"6m0s": 6 * time.Minute, "20m52.666s": 20*time.Minute + 52666*ms, "120ms": 120 * ms, "1ms": ms, "0s": 0,
		"17.399999999s": 17399999999, "2m59.56s": 2*time.Minute + 59560*ms, "1h0m0.5s": hour + 500*ms, "1d2h": 26 * hour,
		"250us": 250 * time.Microsecond, "250µs": 250 * time.Microsecond, "250μs": 250 * time.Microsecond, "7ns": 7,
		"0.0000000001s": 1, "1.5h": 90 * time.Minute, "0.1ns": 1, " 3s\t": 3 * time.Second,
		// seconds
		"0": 0, "7": 7 * time.Second, "007": 7 * time.Second, "33011.382867": 33011382867 * time.Microsecond, "0.075": 75 * ms,
		"1.0000000001": time.Second + 1, "86400": day, "31622400": 366 * day, "9.5e-05": 95 * time.Microsecond, "1e2": 100 * time.Second,
		// moments, against noon
		"2026-11-30T12:00:30Z": 30 * time.Second, "2026-11-30T13:00:30+01:00": 30 * time.Second, "2026-11-30T12:00:00.25Z": 250 * ms,
		"2026-11-30T11:59:00Z": 0, "1796040030": 30 * time.Second, "1796040030000": 30 * time.Second,
		"1796040030250000": 30*time.Second + 250*ms, "1796040030000000001": 30*time.Second + 1, "1796039999": 0,
		"Mon, 30 Nov 2026 12:01:00 GMT": time.Minute, "Monday, 30-Nov-26 12:01:00 GMT": time.Minute, "Mon Nov 30 12:01:00 2026": time.Minute,
		"Mon, 30 Nov 2026 11:59:59 GMT": 0,
		// junk
		"": none, " ": none, "-1": none, "-0": none, "-3s": none, "+3": none, "3 s": none, "s": none, "soon": none, "3x": none, "3s4": none,
		"1,5": none, ".": none, ".5": none, "5.": none, "1.2.3": none, "0x10": none, "1_000": none, "NaN": none, "Inf": none, "inf": none,
		"1e": none, "1e-": none, "1e400": none, "1e9": none, "1e5s": none, "null": none, "true": none, "3s ago": none, "S": none,
		"2026-11-30": none, "2026-13-30T12:00:00Z": none, "2026-11-30T12:00:00": none, "Mon, 30 Nov 2026": none, "Monsoon is a season of rain": none,
		// zeros, overflows, absurd ones
		"0001-01-01T00:00:00Z": none, "1970-01-01T00:00:00Z": none, "Thu, 01 Jan 1970 00:00:00 GMT": none,
		"31622401": none, "999999999": none, "9000000001": none, "99999999999": none, "2036-11-30T12:00:00Z": none, "9999-12-31T23:59:59Z": none,
		"18446744073709551615": none, "18446744073709551616": none, "99999999999999999999999999": none, "9223372036854775807": none,
		"8785h": none, "366d": 366 * day, "366d1ns": none, "99999999999999999999h": none, "200d200d": none,
		strings.Repeat("1", 65): none, strings.Repeat("0", 65): none,
	} {
		c := clock{now: noon}
		got, ok := c.wait(s, time.Second)
		if !ok {
			got = none
		}
		if got != want {
			t.Errorf("%q: %v, want %v", s, got, want)
		}
	}
}

func TestWaitsInMilliseconds(t *testing.T) {
	for s, want := range map[string]time.Duration{
		"500": 500 * time.Millisecond, "0": 0, "1500.5": 1500500 * time.Microsecond, "2s": 2 * time.Second,
		"31622400000": longest, "31622400001": none, "1796040030000": 30 * time.Second,
	} {
		c := clock{now: noon}
		got, ok := c.wait(s, time.Millisecond)
		if !ok {
			got = none
		}
		if got != want {
			t.Errorf("%q: %v, want %v", s, got, want)
		}
	}
}

// What is written of a time that was read never sends anybody back too early.
func TestWhatIsRenderedIsNeverEarlier(t *testing.T) {
	for name, one := range map[string]struct {
		text func(d time.Duration) string
		unit time.Duration
	}{
		"duration": {func(d time.Duration) string { return d.String() }, time.Second},
		"seconds":  {func(d time.Duration) string { return fmt.Sprintf("%d.%09d", d/time.Second, d%time.Second) }, time.Second},
		"ms":       {func(d time.Duration) string { return fmt.Sprintf("%d.%06d", d/time.Millisecond, d%time.Millisecond) }, time.Millisecond},
		"RFC 3339": {func(d time.Duration) string { return noon.Add(d).Format(time.RFC3339Nano) }, time.Second},
		"unix":     {func(d time.Duration) string { return strconv.FormatInt(noon.Add(d+time.Second-1).Unix(), 10) }, time.Second},
		"unix ms":  {func(d time.Duration) string { return strconv.FormatInt(noon.Add(d+time.Millisecond-1).UnixMilli(), 10) }, time.Second},
	} {
		t.Run(name, rapid.MakeCheck(func(t *rapid.T) {
			d := time.Duration(rapid.Int64Range(0, int64(30*24*time.Hour)).Draw(t, "d"))
			c := clock{now: noon}
			read, ok := c.wait(one.text(d), one.unit)
			if !ok || read < d || read > d+time.Second {
				t.Fatalf("%s is %v, want %v", one.text(d), read, d)
			}
			if s := Seconds(read); time.Duration(s)*time.Second < read {
				t.Fatalf("%ds is less than %v", s, read)
			}
			if at := time.Unix(unix(noon, read), 0); at.Before(noon.Add(read)) {
				t.Fatalf("%v is before %v", at, noon.Add(read))
			}
			if again, err := time.ParseDuration(AsDuration.text(read, noon)); err != nil || again < read {
				t.Fatalf("%v is less than %v (%v)", again, read, err)
			}
		}))
	}
}

// A decimal is exact, or rounded up, whatever its digits.
func TestDecimalsAreRoundedUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.StringMatching(`[0-9]{1,7}\.[0-9]{1,20}`).Draw(t, "s")
		unit := rapid.SampledFrom([]time.Duration{1, time.Microsecond, time.Millisecond, time.Second}).Draw(t, "unit")
		n, rest, ok := cutDecimal(s)
		got, fits := n.times(unit)
		if !ok || rest != "" || !fits {
			t.Fatalf("%q: %v, %q, %t", s, ok, rest, fits)
		}
		exact, _ := new(big.Rat).SetString(s)
		exact.Mul(exact, big.NewRat(int64(unit), 1))
		over := new(big.Rat).Sub(big.NewRat(int64(got), 1), exact)
		if over.Sign() < 0 || over.Cmp(big.NewRat(2, 1)) >= 0 {
			t.Fatalf("%q of %v: %d, want %s", s, unit, got, exact.FloatString(3))
		}
	})
}

func TestCounts(t *testing.T) {
	for s, want := range map[string]string{
		"0": "0", "7": "7", "007": "7", "000": "0", "1000.0": "1000", "99.9": "99", " 5 ": "5", "999999999999999": "999999999999999",
		"": "", "-1": "", "+1": "", "1e6": "", "1.": "", ".5": "", "1,000": "", "1000000000000000": "", "9223372036854775807": "",
		"unlimited": "", "yes": "", "0x1": "", "1 2": "", "٣": "",
	} {
		got, ok := count(s)
		if got.Text != want || ok != (want != "") || strconv.FormatInt(got.Value, 10) != want && ok {
			t.Errorf("%q: %v, %t, want %q", s, got, ok, want)
		}
	}
}

func TestMoney(t *testing.T) {
	for s, want := range map[string]Amount{
		"0": {0, "0"}, "2.50": {2_500_000_000, "2.5"}, "0.000000001": {1, "0.000000001"}, "1.000": {1_000_000_000, "1"},
		"0.9999999999": {999_999_999, "0.999999999"}, "999999999.999999999": {999_999_999_999_999_999, "999999999.999999999"}, "01.10": {1_100_000_000, "1.1"},
		"1000000000": {}, "-1": {}, "$5": {}, "": {}, "1.": {},
	} {
		if got, ok := money(s); got != want || ok != want.Stated() {
			t.Errorf("%q: %v, %t, want %v", s, got, ok, want)
		}
	}
}

func TestAmountsInLists(t *testing.T) {
	for s, want := range map[string]string{
		"5": "5", "9, 5, 7": "5", "100, 100;w=60": "100", "10;w=1": "10", "50, 10;w=1, 50;w=60": "50",
		"9, x": "", "x, 9": "", "9,5": "", ", ": "", ";": "",
	} {
		if got, ok := amount(tokens, s); ok != (want != "") || ok && got.Text != want {
			t.Errorf("%q: %q, %t, want %q", s, got.Text, ok, want)
		}
	}
}

func TestLongestIsWhatIsBelieved(t *testing.T) {
	if longest > Never/2 || latest > math.MaxInt64/uint64(time.Second) {
		t.Error("times that are read could overflow")
	}
}
