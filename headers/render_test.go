package headers

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// collect gathers what is set, as "name: value" lines.
func collect(f func(set func(name, value string))) string {
	var lines []string
	f(func(name, value string) { lines = append(lines, name+": "+value) })
	return strings.Join(lines, "\n")
}

func (f Format) lines(now time.Time, quotas ...Quota) string {
	return collect(func(set func(name, value string)) { f.Render(quotas, now, set) })
}

func whole(n int64) Amount { return Amount{n, strconv.FormatInt(n, 10)} }

func TestRenderDimensions(t *testing.T) {
	q := Quota{Limit: whole(5), Remaining: whole(4), Reset: 1500 * time.Millisecond}
	for dimension, want := range map[string]string{
		"tokens":        "x-ratelimit-limit-tokens: 5\nx-ratelimit-remaining-tokens: 4\nx-ratelimit-reset-tokens: 2",
		"input_tokens":  "x-ratelimit-limit-input-tokens: 5\nx-ratelimit-remaining-input-tokens: 4\nx-ratelimit-reset-input-tokens: 2",
		"output_tokens": "x-ratelimit-limit-output-tokens: 5\nx-ratelimit-remaining-output-tokens: 4\nx-ratelimit-reset-output-tokens: 2",
		"cost_usd":      "x-ratelimit-limit-cost: 5\nx-ratelimit-remaining-cost: 4\nx-ratelimit-reset-cost: 2",
		"concurrency":   "x-ratelimit-limit-concurrency: 5\nx-ratelimit-remaining-concurrency: 4",
		"requests": "x-ratelimit-limit-requests: 5\nx-ratelimit-remaining-requests: 4\nx-ratelimit-reset-requests: 2\n" +
			"x-ratelimit-limit: 5\nx-ratelimit-remaining: 4\nx-ratelimit-reset: 2",
		"input-images": "",
		"":             "",
	} {
		q.Dimension = dimension
		if got := (Format{}).lines(time.Now(), q); got != want {
			t.Errorf("%s:\n%s\nwant\n%s", dimension, got, want)
		}
	}
}

func TestRenderOnlyWhatIsKnown(t *testing.T) {
	for name, c := range map[string]struct {
		q    Quota
		want string
	}{
		"never free again": {Quota{Limit: whole(5), Remaining: whole(4), Reset: Never}, "x-ratelimit-limit-tokens: 5\nx-ratelimit-remaining-tokens: 4"},
		"no reset":         {Quota{Limit: whole(5), Remaining: whole(4), Reset: Unstated}, "x-ratelimit-limit-tokens: 5\nx-ratelimit-remaining-tokens: 4"},
		"no limit":         {Quota{Remaining: whole(0), Reset: 0}, "x-ratelimit-remaining-tokens: 0\nx-ratelimit-reset-tokens: 0"},
		"no remaining":     {Quota{Limit: whole(5), Reset: Unstated}, "x-ratelimit-limit-tokens: 5"},
	} {
		c.q.Dimension = tokens
		if got := (Format{}).lines(time.Now(), c.q); got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", name, got, c.want)
		}
	}
}

func TestResetFormats(t *testing.T) {
	now := time.Unix(1_764_504_000, 250_000_000)
	for d, want := range map[time.Duration][3]string{
		0:                             {"0", "0s", "1764504001"},
		1:                             {"1", "1s", "1764504001"},
		750 * time.Millisecond:        {"1", "1s", "1764504001"},
		751 * time.Millisecond:        {"1", "1s", "1764504002"},
		59*time.Second + 1:            {"60", "1m0s", "1764504060"},
		6 * time.Minute:               {"360", "6m0s", "1764504361"},
		20*time.Minute + 52666666666:  {"1253", "20m53s", "1764505253"},
		time.Hour:                     {"3600", "1h0m0s", "1764507601"},
		31*24*time.Hour + time.Second: {"2678401", "744h0m1s", "1767182402"},
		Never - 1:                     {"9223372037", "2562047h47m17s", "10987876038"},
	} {
		for f, want := range want {
			if got := ResetFormat(f).text(d, now); got != want {
				t.Errorf("%v in format %d: %s, want %s", d, f, got, want)
			}
		}
	}
}

func TestDurationsAreGoDurations(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := time.Duration(rapid.Int64Range(0, int64(Never/time.Second)).Draw(t, "seconds")) * time.Second
		if got := AsDuration.text(d, time.Time{}); got != d.String() {
			t.Fatalf("%s, want %s", got, d)
		}
	})
}

func TestRenderIETF(t *testing.T) {
	f := Format{IETF: true}
	for name, c := range map[string]struct {
		quotas []Quota
		want   []string
	}{
		"all that is known": {[]Quota{
			{Dimension: requests, Limit: whole(100), Remaining: whole(99), Reset: 1500 * time.Millisecond, Window: time.Minute},
			{Dimension: inputTokens, Limit: whole(5), Remaining: whole(4), Reset: 0, Window: 90 * time.Second},
		}, []string{
			`ratelimit: "requests";r=99;t=2, "input-tokens";r=4;t=0`,
			`ratelimit-policy: "requests";q=100;w=60, "input-tokens";q=5;qu="tokens";w=90`,
		}},
		"money, in flight": {[]Quota{
			{Dimension: cost, Limit: Amount{2_500_000_999, "2.500000999"}, Remaining: Amount{999, "0.000000999"}, Reset: Never, Window: Never},
			{Dimension: concurrency, Limit: whole(8), Remaining: whole(7)},
		}, []string{
			`ratelimit: "cost";r=0, "concurrency";r=7`,
			`ratelimit-policy: "cost";q=2500000;qu="microusd", "concurrency";q=8;qu="concurrent-requests"`,
		}},
		"no limit":      {[]Quota{{Dimension: tokens, Remaining: whole(3), Reset: Unstated}}, []string{`ratelimit: "tokens";r=3`}},
		"no remaining":  {[]Quota{{Dimension: tokens, Limit: whole(3), Reset: time.Second}}, nil},
		"too large":     {[]Quota{{Dimension: tokens, Remaining: whole(1 << 62), Reset: Unstated}}, []string{`ratelimit: "tokens";r=999999999999999`}},
		"not of ours":   {[]Quota{{Dimension: "input-images", Limit: whole(3), Remaining: whole(3)}}, nil},
		"none of all":   {nil, nil},
		"an empty slot": {[]Quota{{}}, nil},
	} {
		var got []string
		for line := range strings.Lines(f.lines(time.Now(), c.quotas...)) {
			if strings.HasPrefix(line, "ratelimit") {
				got = append(got, strings.TrimSpace(line))
			}
		}
		if strings.Join(got, "\n") != strings.Join(c.want, "\n") {
			t.Errorf("%s:\n%s\nwant\n%s", name, strings.Join(got, "\n"), strings.Join(c.want, "\n"))
		}
	}
}
