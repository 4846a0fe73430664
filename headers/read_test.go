package headers

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// pairs are headers of lines as in "name: value".
func pairs(lines string) [][2]string {
	var list [][2]string
	for line := range strings.Lines(lines) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		if name != "" {
			list = append(list, [2]string{name, value})
		}
	}
	return list
}

// describe writes a quota as in "tokens 5/10 in 1s of 1m0s", "-" for what is not
// stated.
func describe(q Quota) string {
	text := func(a Amount) string {
		if !a.Stated() {
			return "-"
		}
		return a.Text
	}
	s := q.Dimension + " " + text(q.Remaining) + "/" + text(q.Limit)
	if q.Reset != Unstated {
		s += " in " + q.Reset.String()
	}
	if q.Window != 0 {
		s += " of " + q.Window.String()
	}
	return s
}

func TestReadQuotas(t *testing.T) {
	for name, c := range map[string]struct {
		provider, headers string
		want              []string
	}{
		"openai": {"openai", `
			x-ratelimit-limit-requests: 600
			x-ratelimit-limit-tokens: 90000
			x-ratelimit-remaining-requests: 599
			x-ratelimit-remaining-tokens: 89200
			x-ratelimit-reset-requests: 100ms
			x-ratelimit-reset-tokens: 6m0s
			x-ratelimit-limit-input-images: 50
			x-ratelimit-remaining-input-images: 49
			x-ratelimit-reset-input-images: 1.2s
			x-ratelimit-limit-project-tokens: 70
			x-ratelimit-remaining-project-tokens: 0
			x-ratelimit-limit-tokens_usage_based: 3`, []string{
			"requests 599/600 in 100ms", "tokens 89200/90000 in 6m0s", "input-images 49/50 in 1.2s", "project-tokens 0/70", "tokens_usage_based -/3"}},
		"azure with a period": {"azure_openai", `
			x-ratelimit-reset-requests: 250
			x-ratelimit-limit-requests: 240
			x-ratelimit-remaining-requests: 239
			x-ratelimit-renewalperiod-requests: 60
			x-ratelimit-reset-tokens: 9
			x-ratelimit-abusepenalty-active: False
			x-ratelimit-key: some-deployment`, []string{"requests 239/240 in 250ms of 1m0s", "tokens -/- in 9ms"}},
		"azure before it": {"azure_openai", `
			x-ratelimit-remaining-requests: 7
			x-rate-limit-reset-tokens: 9
			x-ratelimit-reset-requests: 86400`, []string{"requests 7/- in 24h0m0s", "tokens -/- in 9s"}},
		"both": {"azure_openai", `
			x-rate-limit-reset-tokens: 9
			x-ratelimit-renewalperiod-tokens: 60`, []string{"tokens -/- in 9s of 1m0s"}},
		"azure knows nothing": {"azure_openai", `
			x-ratelimit-limit-tokens: -1
			x-ratelimit-remaining-tokens: -1
			x-ratelimit-reset-tokens: 86400
			x-ratelimit-limit-requests: -1
			x-ratelimit-remaining-requests: 3
			x-ratelimit-reset-requests: 2`, []string{"requests 3/- in 2s"}},
		"a period alone": {"azure_openai", "x-ratelimit-renewalperiod-tokens: 60", nil},
		"anthropic": {"anthropic", `
			anthropic-ratelimit-requests-limit: 50
			anthropic-ratelimit-requests-remaining: 49
			anthropic-ratelimit-requests-reset: 2026-11-30T12:00:01Z
			anthropic-ratelimit-tokens-limit: 30000
			anthropic-ratelimit-tokens-remaining: 12000
			anthropic-ratelimit-tokens-reset: 2026-11-30T12:00:20Z
			anthropic-ratelimit-input-tokens-limit: 20000
			anthropic-ratelimit-input-tokens-remaining: 2000
			anthropic-ratelimit-input-tokens-reset: 2026-11-30T12:00:30Z
			anthropic-ratelimit-output-tokens-limit: 10000
			anthropic-ratelimit-output-tokens-remaining: 10000
			anthropic-ratelimit-output-tokens-reset: 2026-11-30T11:59:59Z
			anthropic-priority-input-tokens-limit: 9000
			anthropic-priority-input-tokens-remaining: 0
			anthropic-priority-input-tokens-reset: 2026-11-30T12:00:50Z
			anthropic-ratelimit-priority-input-tokens-remaining: 0
			anthropic-fast-input-tokens-limit: 7000
			anthropic-fast-input-tokens-remaining: 6000
			anthropic-organization-id: x`, []string{
			"requests 49/50 in 1s", "tokens 12000/30000 in 20s", "input_tokens 2000/20000 in 30s", "output_tokens 10000/10000 in 0s", "fast-input-tokens 6000/7000"}},
		"groq": {"groq", `
			x-ratelimit-limit-requests: 1000
			x-ratelimit-remaining-requests: 999
			x-ratelimit-reset-requests: 1m26.4s
			x-ratelimit-limit-tokens: 6000
			x-ratelimit-remaining-tokens: 5900
			x-ratelimit-limit-tokens-day: 500000
			x-ratelimit-limit-audio-seconds: 7200`, []string{
			"requests 999/1000 in 1m26.4s of 24h0m0s", "tokens 5900/6000 of 1m0s", "tokens -/500000 of 24h0m0s", "audio-seconds -/7200"}},
		"mistral": {"mistral", `
			x-ratelimit-limit-req-minute: 30
			x-ratelimit-remaining-req-minute: 29
			x-ratelimit-limit-req-10-second: 6
			x-ratelimit-remaining-req-10-second: 5
			x-ratelimit-remaining-tokens-month: 4000
			x-ratelimit-tokens-query-cost: 52
			x-ratelimitbysize-limit-minute: 500
			x-ratelimitbysize-remaining-minute: 400
			ratelimitbysize-reset: 35
			ratelimitbysize-query-cost: 9`, []string{
			"requests 29/30 of 1m0s", "requests 5/6 of 10s", "tokens 4000/- of 720h0m0s", "tokens 400/500 of 1m0s", "tokens -/- in 35s"}},
		"mistral, once": {"mistral", "x-ratelimit-remaining: 4", []string{"requests 4/-"}},
		"cerebras": {"cerebras", `
			x-ratelimit-limit-requests-day: 900
			x-ratelimit-reset-requests-day: 3600.25
			x-ratelimit-remaining-tokens-minute: 50`, []string{"requests -/900 in 1h0m0.25s of 24h0m0s", "tokens 50/- of 1m0s"}},
		"together": {"together", `
			x-ratelimit-limit: 10
			x-ratelimit-remaining: 9
			x-ratelimit-reset: 0.075
			x-tokenlimit-limit: 300
			x-tokenlimit-remaining: 200`, []string{"requests 9/10 in 75ms", "tokens 200/300"}},
		"openrouter": {"openrouter", `
			x-ratelimit-limit: 20
			x-ratelimit-remaining: 0
			x-ratelimit-reset: 1796040060000`, []string{"requests 0/20 in 1m0s"}},
		"fireworks": {"fireworks", `
			x-ratelimit-limit-requests: 60
			x-ratelimit-limit-tokens-prompt: 900
			x-ratelimit-remaining-tokens-generated: 80
			x-ratelimit-limit-tokens-cache-adjusted-prompt: 1
			x-ratelimit-over-limit: no`, []string{"requests -/60", "input_tokens -/900", "output_tokens 80/-", "tokens-cache-adjusted-prompt -/1"}},
		"cohere": {"cohere", `
			x-trial-endpoint-call-limit: 40
			x-trial-endpoint-call-remaining: 38
			x-endpoint-monthly-call-limit: 1000
			num_tokens: 7`, []string{"requests 38/40 of 1m0s", "requests -/1000 of 720h0m0s"}},
		"litellm": {"openai_compatible", `
			x-ratelimit-remaining-tokens: 80
			llm_provider-x-ratelimit-remaining-tokens: 80
			llm_provider-x-ratelimit-reset-tokens: 3ms
			llm_provider-llm_provider-x-ratelimit-remaining-tokens: 1`, []string{"tokens 80/-", "tokens 80/- in 3ms"}},
		"kong": {"openai_compatible", `
			ratelimit-limit: 10, 10;w=60
			ratelimit-remaining: 4
			ratelimit-reset: 30
			x-ratelimit-limit-minute: 10
			x-ratelimit-remaining-minute: 4
			x-ratelimit-remaining-requests-per-hour: 3`, []string{"requests 4/10 in 30s", "requests 4/10 of 1m0s", "requests 3/- of 1h0m0s"}},
		"sluice": {"openai_compatible", `
			x-ratelimit-limit-cost: 2.50
			x-ratelimit-remaining-cost: 0.000001
			x-ratelimit-reset-cost: 60
			x-ratelimit-limit-concurrency: 8
			x-ratelimit-remaining-concurrency: 7`, []string{"cost_usd 0.000001/2.5 in 1m0s", "concurrency 7/8"}},
		"IETF": {"openai_compatible", `
			ratelimit-policy: "permin";q=50;w=60, "perday";q=1000;w=86400;pk=:cHsdsRa894==:
			ratelimit-policy: "a \"b, c";q=7;qu="tokens";w=1
			ratelimit: "permin";r=20;t=5,"perday";r=900, "a \"b, c";r=3`, []string{
			"requests 20/50 in 5s of 1m0s", "requests 900/1000 of 24h0m0s", "tokens 3/7 of 1s"}},
		"IETF, other units": {"openai_compatible", `
			ratelimit: "bytes";r=20, "slots";r=1;t=3, "tokens-per-day";r=4, "itpm";r=5
			ratelimit-policy: "bytes";q=50;qu="content-bytes", "slots";q=2;qu="concurrent-requests"`, []string{
			"content-bytes 20/50", "concurrency 1/2 in 3s", "tokens 4/- of 24h0m0s", "input_tokens 5/- of 1m0s"}},
		"IETF, as Hugging Face": {"openai_compatible", `
			ratelimit: "api";r=99;t=29
			ratelimit-policy: "fixed window";"api";q=100;w=300`, []string{"requests 99/100 in 29s of 5m0s"}},
		"IETF, version 7": {"openai_compatible", `
			ratelimit: limit=100, remaining=50, reset=5
			ratelimit-policy: 100;w=60`, []string{"requests 50/100 in 5s"}},
		"repeated": {"openai", `
			x-ratelimit-limit-tokens: 100
			x-ratelimit-limit-tokens: 300
			x-ratelimit-remaining-tokens: 80
			x-ratelimit-remaining-tokens: 20, 30
			x-ratelimit-remaining-tokens: junk
			x-ratelimit-reset-tokens: 1s
			x-ratelimit-reset-tokens: 9s
			x-ratelimit-reset-tokens: 3s`, []string{"tokens 20/100 in 9s"}},
		"a limit that is none": {"openai_compatible", "x-ratelimit-limit-tokens: 9223372036854775807", nil},
		"junk": {"openai", `
			x-ratelimit-limit-requests: many
			x-ratelimit-remaining-requests: 
			x-ratelimit-reset-requests: later
			x-ratelimit-: 3
			x-ratelimit-limits: 3
			ratelimit: ;;;,,=,"
			ratelimit: "open;r=3
			anthropic-ratelimit-: 1
			x: 1`, nil},
	} {
		u := Read(pairs(c.headers), c.provider, noon)
		var got []string
		for _, q := range u.Quotas {
			got = append(got, describe(q))
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s:\n%s\nwant\n%s", name, strings.Join(got, "\n"), strings.Join(c.want, "\n"))
		}
		if u.HasWait || u.HasShouldRetry || u.Rejected {
			t.Errorf("%s: %+v", name, u)
		}
	}
}

func TestReadWaits(t *testing.T) {
	for headers, want := range map[string]time.Duration{
		"retry-after: 34":   34 * time.Second,
		"retry-after: 0":    0,
		"retry-after: 1.5":  1500 * time.Millisecond,
		"retry-after: 6m0s": 6 * time.Minute,
		"retry-after: Mon, 30 Nov 2026 12:00:09 GMT":           9 * time.Second,
		"retry-after-ms: 1500":                                 1500 * time.Millisecond,
		"retry-after: 2\nretry-after-ms: 1500":                 1500 * time.Millisecond,
		"retry-after-ms: junk\nretry-after: 2":                 2 * time.Second,
		"retry-after-ms: 0\nretry-after: 2":                    2 * time.Second,
		"retry-after-ms: 0":                                    0,
		"x-ms-retry-after-ms: 700":                             700 * time.Millisecond,
		"x-amz-retry-after: 900":                               900 * time.Millisecond,
		"retry-after: 3\nretry-after: 5\nretry-after: 4":       5 * time.Second,
		"retry-after: -1":                                      none,
		"retry-after: -1\nretry-after: 3":                      3 * time.Second,
		"retry-after: soon":                                    none,
		"retry-after: 99999999999999999999":                    none,
		"retry-after: 40000000":                                none,
		"retry-after-ms: -5\nretry-after: -5":                  none,
		"content-type: application/json":                       none,
		"anthropic-ratelimit-requests-reset: 2026-12-01T00:00": none,
		// against the clock of the upstream
		"date: Mon, 30 Nov 2026 11:00:00 GMT\nretry-after: Mon, 30 Nov 2026 11:00:09 GMT": 9 * time.Second,
		"retry-after: Mon, 30 Nov 2026 11:00:09 GMT\ndate: Mon, 30 Nov 2026 11:00:00 GMT": 9 * time.Second,
		"date: junk\nretry-after: Mon, 30 Nov 2026 12:00:09 GMT":                          9 * time.Second,
	} {
		u := Read(pairs(headers), "openai", noon)
		got := u.Wait
		if !u.HasWait {
			got = none
		}
		if got != want {
			t.Errorf("%s:\n%v, want %v", headers, got, want)
		}
	}
}

func TestReadShouldRetry(t *testing.T) {
	for headers, want := range map[string][2]bool{
		"x-should-retry: true":  {true, true},
		"x-should-retry: False": {false, true},
		"x-should-retry: maybe": {false, false},
		"":                      {false, false},
		"x-should-retry: true\nx-should-retry: false":  {false, true},
		"x-should-retry: false\nx-should-retry: true":  {false, true},
		"x-should-retry: junk\nx-should-retry: true\n": {true, true},
	} {
		if u := Read(pairs(headers), "anthropic", noon); u.ShouldRetry != want[0] || u.HasShouldRetry != want[1] {
			t.Errorf("%q: %t, %t", headers, u.ShouldRetry, u.HasShouldRetry)
		}
	}
}

func TestSubscriptions(t *testing.T) {
	const prefix = "anthropic-ratelimit-unified-"
	for name, c := range map[string]struct {
		headers  string
		rejected bool
		reset    string
	}{
		"rejected, no more":    {"status: rejected", true, ""},
		"rejected until":       {"status: rejected\nreset: 1796040060", true, "1m0s unified"},
		"allowed":              {"status: allowed\nreset: 1796040060\n5h-status: allowed\n5h-reset: 1796040030", false, ""},
		"nearly used up":       {"status: allowed_warning\nreset: 1796040060", false, ""},
		"no overage is paid":   {"status: allowed\noverage-status: rejected\noverage-reset: 1796040060", false, ""},
		"overage is paid":      {"status: allowed\n5h-status: rejected\n5h-reset: 1796040060", false, ""},
		"one window":           {"5h-status: allowed\n5h-reset: 1796040030\n7d-status: rejected\n7d-reset: 1796126400", true, "24h0m0s unified"},
		"one model's":          {"7d_opus-status: rejected\n7d_opus-reset: 1796126400", true, "24h0m0s unified-7d_opus"},
		"a reset says nothing": {"reset: 1796040060", false, ""},
	} {
		var list [][2]string
		for _, p := range pairs(c.headers) {
			list = append(list, [2]string{prefix + p[0], p[1]})
		}
		u := Read(list, "anthropic", noon)
		reset := ""
		if d, dimension, ok := u.EmptyReset(); ok {
			reset = d.String() + " " + dimension
		}
		if u.Rejected != c.rejected || reset != c.reset {
			t.Errorf("%s: %t, %q, want %t, %q", name, u.Rejected, reset, c.rejected, c.reset)
		}
		if shown := Choose(nil, nil, u.Quotas, Merge); len(shown) > 0 {
			t.Errorf("%s: %v is shown", name, shown)
		}
	}
}

func TestEmptyReset(t *testing.T) {
	for name, c := range map[string]struct{ headers, want string }{
		"the empty one, not the other": {"x-ratelimit-remaining-requests: 0\nx-ratelimit-reset-requests: 3s\nx-ratelimit-remaining-tokens: 5\nx-ratelimit-reset-tokens: 9s", "3s requests"},
		"the last of two":              {"x-ratelimit-remaining-requests: 0\nx-ratelimit-reset-requests: 3s\nx-ratelimit-remaining-tokens: 0\nx-ratelimit-reset-tokens: 9s", "9s tokens"},
		"one that says nothing":        {"x-ratelimit-remaining-requests: 0\nx-ratelimit-remaining-tokens: 5\nx-ratelimit-reset-tokens: 9s", ""},
		"none is empty":                {"x-ratelimit-remaining-requests: 1\nx-ratelimit-reset-requests: 3s", ""},
		"another dimension":            {"x-ratelimit-remaining-input-images: 0\nx-ratelimit-reset-input-images: 3s\nx-ratelimit-remaining-tokens: 5", "3s input-images"},
		"full by now":                  {"x-ratelimit-remaining-requests: 0\nx-ratelimit-reset-requests: 0", "0s requests"},
		"one bucket only":              {"x-ratelimit-reset: 2", "2s requests"},
		"one of two unsaid":            {"x-ratelimit-reset: 2\nx-ratelimit-reset-tokens: 3", ""},
		"closed":                       {"anthropic-fast-input-tokens-limit: 0\nanthropic-fast-input-tokens-remaining: 0\nanthropic-fast-input-tokens-reset: 2026-11-30T12:10:00Z", ""},
		"unknown":                      {"x-ratelimit-limit-tokens: -1\nx-ratelimit-remaining-tokens: -1\nx-ratelimit-reset-tokens: 86400", ""},
		"nothing":                      {"date: Mon, 30 Nov 2026 11:00:00 GMT", ""},
		"by the upstream's clock":      {"date: Mon, 30 Nov 2026 11:00:00 GMT\nanthropic-ratelimit-requests-remaining: 0\nanthropic-ratelimit-requests-reset: 2026-11-30T11:00:05Z", "5s requests"},
	} {
		u := Read(pairs(c.headers), "openai_compatible", noon)
		got := ""
		if d, dimension, ok := u.EmptyReset(); ok {
			got = d.String() + " " + dimension
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestReadIsBounded(t *testing.T) {
	var list [][2]string
	for i := range 1000 {
		list = append(list, [2]string{fmt.Sprintf("x-ratelimit-limit-thing%d", i), "1"}, [2]string{fmt.Sprintf("x-ratelimit-limit-tokens-%d-minute", i+1), "1"})
	}
	list = append(list, [2]string{"ratelimit", strings.Repeat(`"a";r=1,"b";r=2,`, 1000)})
	u := Read(list, "openai", noon)
	others := 0
	for _, q := range u.Quotas {
		if !configured(q.Dimension) {
			others++
		}
	}
	if len(u.Quotas) != maxQuotas || others != maxOther {
		t.Errorf("%d quotas, %d of other dimensions", len(u.Quotas), others)
	}
}

// sound reports what no response, whatever it holds, may be read as.
func sound(u Upstream) error {
	if u.Wait < 0 || u.Wait > longest || u.Wait != 0 && !u.HasWait || u.ShouldRetry && !u.HasShouldRetry {
		return fmt.Errorf("%+v", u)
	}
	if len(u.Quotas) > maxQuotas {
		return fmt.Errorf("%d quotas", len(u.Quotas))
	}
	for _, q := range u.Quotas {
		for _, a := range []Amount{q.Limit, q.Remaining} {
			if a.Stated() && (!digits(strings.Replace(a.Text, ".", "", 1)) || a.Value < 0) || !a.Stated() && a.Value != 0 {
				return fmt.Errorf("an amount of %+v", a)
			}
		}
		if q.Reset < Unstated || q.Reset > longest || q.Window < 0 || q.Window > longest || q.Dimension == "" {
			return fmt.Errorf("%+v", q)
		}
		if !q.Limit.Stated() && !q.Remaining.Stated() && q.Reset == Unstated {
			return fmt.Errorf("%s states nothing", q.Dimension)
		}
	}
	if d, dimension, ok := u.EmptyReset(); ok && (d < 0 || dimension == "") || !ok && d != 0 {
		return fmt.Errorf("empty for %v, of %q", d, dimension)
	}
	for _, f := range []Format{{}, {Reset: AsDuration}, {Reset: AtUnix, IETF: true}} {
		f.Render(Choose(nil, nil, u.Quotas, Only), noon, func(name, value string) {
			if name == "" || value == "" || !Normalized(name) {
				panic(name + ": " + value)
			}
		})
	}
	return nil
}

// What Sluice writes it reads again as it was, whatever the format.
func TestOwnHeadersAreReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var quotas []Quota
		for _, d := range dimensions {
			if d == cost || !rapid.Bool().Draw(t, d) {
				continue
			}
			q := Quota{Dimension: d, Remaining: whole(rapid.Int64Range(0, maxInteger).Draw(t, "remaining")), Reset: Unstated}
			if rapid.Bool().Draw(t, "has a limit") {
				q.Limit = whole(rapid.Int64Range(0, maxInteger).Draw(t, "limit"))
			}
			if rapid.Bool().Draw(t, "has a reset") && d != concurrency {
				q.Reset = time.Duration(rapid.Int64Range(0, 30*24*3600).Draw(t, "reset")) * time.Second
			}
			quotas = append(quotas, q)
		}
		f := Format{Reset: ResetFormat(rapid.IntRange(0, 2).Draw(t, "format"))}
		var list [][2]string
		f.Render(quotas, noon, func(name, value string) { list = append(list, [2]string{name, value}) })
		got := Choose(nil, nil, Read(list, "openai_compatible", noon).Quotas, Merge)
		if !slices.Equal(got, quotas) {
			t.Fatalf("%v\nwant\n%v", got, quotas)
		}
	})
}

func FuzzRead(f *testing.F) {
	for _, seed := range []string{
		"x-ratelimit-limit-requests: 5\nx-ratelimit-remaining-requests: 0\nx-ratelimit-reset-requests: 6m0.5s",
		"ratelimit: \"a\\\"b\";r=1;t=2, limit=5;x\nratelimit-policy: \"f w\";\"a\";q=5;qu=\"tokens\";w=60",
		"anthropic-ratelimit-unified-5h-status: rejected\nanthropic-ratelimit-unified-5h-reset: 1796040060",
		"date: Mon, 30 Nov 2026 11:00:00 GMT\nretry-after: Monday, 30-Nov-26 12:01:00 GMT\nretry-after-ms: 9.5e-05",
		"x-ratelimit-renewalperiod-requests: 60\nx-ratelimit-reset-req-10-second: 1796040060000\nllm_provider-x-ratelimit-remaining-cost: 0.50",
		"x-trial-endpoint-call-remaining: 3\nx-ratelimitbysize-limit-month: 5, 6\nratelimit-limit: 5, 5;w=1",
	} {
		f.Add(seed, "groq")
	}
	f.Fuzz(func(t *testing.T, lines, provider string) {
		list := pairs(lines)
		u := Read(list, provider, noon)
		if err := sound(u); err != nil {
			t.Fatal(err)
		}
		for i := range list {
			name := list[i][0]
			if Normalized(name) && Normalized(mirror+name) != (name[0] != 'l') {
				t.Fatalf("%s is normalized, and its copy is not", name)
			}
			if !strings.HasPrefix(name, mirror) && (Account(name) != Account(mirror+name) && strings.Contains(name, "-") || !Native(mirror+name)) {
				t.Fatalf("a copy of %s is told apart from it", name)
			}
		}
	})
}

// FuzzWait reads one value in both units.
func FuzzWait(f *testing.F) {
	for _, seed := range []string{"1m26.4s", "9.5e-05", "1796040060000", "2026-11-30T12:00:00.5+01:00", "Mon Nov 30 12:01:00 2026", "-1", "18446744073709551616"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		c := clock{now: noon}
		for _, unit := range []time.Duration{time.Millisecond, time.Second} {
			if d, ok := c.wait(s, unit); d < 0 || d > longest && ok {
				t.Fatalf("%q is %v", s, d)
			}
		}
		// Where Go reads a duration too, it is the same, up to what Go cuts off.
		if want, err := time.ParseDuration(s); err == nil && s != "0" && want >= 0 && !strings.ContainsAny(s, "+-") {
			if d, ok := c.wait(s, time.Second); ok && (d < want || d > want+time.Duration(len(s))) {
				t.Fatalf("%q is %v, want %v", s, d, want)
			}
		}
	})
}
