package classify

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"
)

var update = flag.Bool("update", false, "write testdata/answers.txt anew")

var (
	dialects = []Dialect{OpenAI, Anthropic, Gemini, Bedrock, DashScope, GRPC}
	refusals = []Class{Throttle, Acceleration, Quota, Overload, TooLarge}
	noon     = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
)

// owns are refusals of the gateway itself.
func owns() map[string]*Error {
	limited := func(c Class, wait time.Duration) *Error {
		e := &Error{Class: c, Message: "Over limit key-tpm.", Limit: "key-tpm", Dimension: "tokens", ScopeKind: "key+model",
			ScopeTarget: "3f9a1c0b77de+gpt-4o", Max: "100000", Remaining: "1000", Requested: "4000"}
		if wait > 0 {
			e.WaitFrom(noon, wait)
		}
		return e
	}
	return map[string]*Error{
		"own throttle":        limited(Throttle, 1250*time.Millisecond),
		"own quota":           limited(Quota, 24*time.Hour),
		"own quota, for good": limited(Quota, 0),
		"own too_large":       limited(TooLarge, 0),
		"bad request":         {Status: 400, Type: "invalid_request_error", Code: "missing_identity", Message: "Who is it?"},
		"internal error":      {Status: 500, Type: "api_error", Code: "internal_error", Message: "The gateway could not handle the request."},
	}
}

// Everything that a client can get, as a file to read.
func TestAnswers(t *testing.T) {
	p := DefaultPolicy()
	var cases []string
	told := map[string]*Error{}
	for name, e := range owns() {
		cases, told[name] = append(cases, name), e
	}
	for _, c := range refusals {
		for name, r := range map[string]Refusal{
			"stated":   {Wait: 1500 * time.Millisecond, Stated: true, Dimension: "input_tokens", Limit: "30000", Remaining: "0", Requested: "300", Code: "c", Message: "m of org-abc", RequestID: "req_1"},
			"unstated": {},
		} {
			r.Class, r.Provider = c, "openai"
			e := p.FromUpstream(&r, 429, noon)
			name = "upstream " + c.String() + ", " + name
			cases, told[name] = append(cases, name), &e
		}
	}
	slices.Sort(cases)
	var b strings.Builder
	for _, name := range cases {
		for _, d := range dialects {
			a := p.Answer(told[name], d, 7, nil)
			b.WriteString("# " + name + ": " + d.String() + "\n" + strconv.Itoa(a.Status) + "\n")
			for _, h := range a.Headers {
				b.WriteString(h[0] + ": " + h[1] + "\n")
			}
			if d == GRPC {
				b.WriteString("grpc-status: " + strconv.Itoa(a.GRPCStatus) + "\ngrpc-message: " + a.GRPCMessage + "\n")
			}
			b.WriteString(string(a.Body) + "\n\n")
		}
	}
	file := filepath.Join("testdata", "answers.txt")
	if *update {
		if err := os.WriteFile(file, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	got := b.String()
	if got != string(want) {
		was, is := strings.Split(string(want), "\n\n"), strings.Split(got, "\n\n")
		for i := range is {
			if i >= len(was) || is[i] != was[i] {
				t.Fatalf("%s\n\nis not as in %s", is[i], file)
			}
		}
		t.Errorf("%s has more", file)
	}
}

func TestStatus(t *testing.T) {
	type key struct {
		class    Class
		dialect  Dialect
		upstream int // 0: the gateway's own
		quota    int
	}
	want := func(k key) int {
		switch k.class {
		case Overload:
			if k.dialect == Anthropic {
				return 529
			}
			return 503
		case TooLarge:
			if k.dialect == Bedrock {
				return 400
			}
			return 413
		case Quota:
			if k.dialect == Bedrock {
				return 400
			}
			if k.upstream == 400 || k.upstream == 402 || k.upstream == 403 {
				return k.upstream
			}
			return k.quota
		}
		return 429
	}
	for _, c := range refusals {
		for _, d := range dialects {
			for _, upstream := range []int{0, 200, 400, 402, 403, 413, 429, 500, 503, 529} {
				for _, quota := range []int{429, 402} {
					e := Error{Class: c}
					if upstream != 0 {
						e.Upstream = &Upstream{Status: upstream}
					}
					k := key{c, d, upstream, quota}
					if got := (&Policy{QuotaStatus: quota}).Answer(&e, d, 0, nil).Status; got != want(k) {
						t.Errorf("%v: %d, want %d", k, got, want(k))
					}
				}
			}
		}
	}
}

func TestOpenAIOnly(t *testing.T) {
	p := DefaultPolicy()
	p.OpenAIOnly = true
	for _, d := range dialects {
		a, plain := p.Answer(&Error{Class: Overload}, d, 0, nil), p.Answer(&Error{Class: Overload}, OpenAI, 0, nil)
		if d == GRPC {
			if a.GRPCStatus != 14 {
				t.Errorf("gRPC: %+v", a)
			}
		} else if a.Status != 503 || string(a.Body) != string(plain.Body) {
			t.Errorf("%v: %+v", d, a)
		}
	}
}

func TestWhatAnUpstreamStates(t *testing.T) {
	p := DefaultPolicy()
	for name, c := range map[string]struct {
		refusal Refusal
		wait    time.Duration
		source  string
		resetAt string
	}{
		"a stated wait":                {Refusal{Class: Throttle, Wait: 1500 * time.Millisecond, Stated: true}, 1500 * time.Millisecond, "", "2026-11-30T12:00:02Z"},
		"a throttle without":           {Refusal{Class: Throttle}, 2 * time.Second, "default", "2026-11-30T12:00:02Z"},
		"an overload without":          {Refusal{Class: Overload}, 2 * time.Second, "default", "2026-11-30T12:00:02Z"},
		"an acceleration without":      {Refusal{Class: Acceleration}, 10 * time.Second, "default", "2026-11-30T12:00:10Z"},
		"no wait at all, as it states": {Refusal{Class: Throttle, Stated: true}, time.Second, "", "2026-11-30T12:00:01Z"},
		"a wait in the past":           {Refusal{Class: Overload, Stated: true, Wait: -time.Hour}, time.Second, "", "2026-11-30T12:00:01Z"},
		"a quota that returns":         {Refusal{Class: Quota, Wait: time.Hour, Stated: true}, 0, "", "2026-11-30T13:00:00Z"},
		"a quota that does not":        {Refusal{Class: Quota}, 0, "", ""},
		"what never fits":              {Refusal{Class: TooLarge, Wait: time.Hour, Stated: true}, 0, "", ""},
		"the longest wait":             {Refusal{Class: Throttle, Wait: 1<<63 - 1, Stated: true}, 1<<63 - 1, "", "2319-03-12T11:47:17Z"},
	} {
		e := p.FromUpstream(&c.refusal, 429, noon)
		var body struct {
			Error struct {
				Message, Source, Class string
				RetryAfter             *int64 `json:"retry_after"`
				RetryAfterSource       string `json:"retry_after_source"`
				ResetAt                string `json:"reset_at"`
			}
		}
		a := p.Answer(&e, OpenAI, 0, nil)
		if err := json.Unmarshal(a.Body, &body); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		got := body.Error
		if e.Wait != c.wait || got.RetryAfterSource != c.source || got.ResetAt != c.resetAt || got.Source != "upstream" ||
			(got.RetryAfter != nil) != (c.wait > 0) || (told(a, "retry-after") != "") != (c.wait > 0) || !strings.HasSuffix(got.Message, c.resetAt) {
			t.Errorf("%s: wait %v, %s", name, e.Wait, a.Body)
		}
		if got.RetryAfter != nil && strconv.FormatInt(*got.RetryAfter, 10) != told(a, "retry-after") {
			t.Errorf("%s: retry-after %s, and %d", name, told(a, "retry-after"), *got.RetryAfter)
		}
	}
	p.DefaultWait = 0
	e := p.FromUpstream(&Refusal{Class: Throttle}, 429, noon)
	if a := p.Answer(&e, OpenAI, 0, nil); told(a, "retry-after") != "" || told(a, "x-should-retry") != "true" {
		t.Errorf("no default wait: %v", a.Headers)
	}
}

func TestNumbersThatAreNone(t *testing.T) {
	for number, want := range map[string]bool{
		"0": true, "10": true, "0.5": true, "123456789012.000001": true,
		"": false, "-1": false, "007": false, "1e3": false, "58,276": false, "1.": false, ".5": false, "NaN": false, "1.2.3": false, strings.Repeat("9", 33): false,
	} {
		b := (&Error{Class: Throttle, Max: number}).AppendJSON(nil)
		if got := strings.Contains(string(b), `"limit_value":`+number+"}"); got != want || !json.Valid(b) {
			t.Errorf("%q: %s", number, b)
		}
	}
}

func TestAnthropicsCauses(t *testing.T) {
	for name, c := range map[string]struct {
		class      Class
		code, want string
	}{
		"acceleration":   {Acceleration, "", "ramp_limit_exceeded"},
		"a spend limit":  {Quota, "enforced_spend_limit_reached", "enforced_spend_limit_reached"},
		"a contract's":   {Quota, "contract_spend_limit_reached", "contract_spend_limit_reached"},
		"another quota":  {Quota, "insufficient_quota", ""},
		"a throttle":     {Throttle, "enforced_spend_limit_reached", ""},
		"an own refusal": {Quota, "own", ""},
	} {
		e := Error{Class: c.class}
		if c.code != "own" {
			e.Upstream = &Upstream{Status: 429, Code: c.code}
		}
		var body struct {
			Error struct {
				Details struct {
					Code string `json:"error_code"`
				}
			}
		}
		p := DefaultPolicy()
		if err := json.Unmarshal(p.Answer(&e, Anthropic, 0, nil).Body, &body); err != nil || body.Error.Details.Code != c.want {
			t.Errorf("%s: %q, %v", name, body.Error.Details.Code, err)
		}
	}
}

// What an upstream says goes along where it does not mislead.
func TestWordsThatMislead(t *testing.T) {
	for said, left := range map[string][]Class{ // by whom it is left out
		"Rate limit reached": {Overload, TooLarge}, "rate_limit_error": {Overload, TooLarge}, "RATE-LIMIT": {Overload, TooLarge}, "rate \u00a0limit": {Overload, TooLarge},
		"check your Billing details": {Throttle, Acceleration}, "RateQuota": {Throttle, Acceleration}, "CREDITS": {Throttle, Acceleration},
		"Service tier capacity exceeded": {Overload}, "Request too large for gpt-4o": {TooLarge}, "slow down": nil,
	} {
		for _, c := range refusals {
			p := DefaultPolicy()
			e := p.FromUpstream(&Refusal{Class: c, Message: said, Code: said}, 429, noon)
			if got, want := e.Upstream.Message == "" && e.Upstream.Code == "", slices.Contains(left, c); got != want {
				t.Errorf("%q of %v: left out: %t", said, c, got)
			}
		}
	}
}

func TestWaitsAreNeverTooShort(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := Policy{
			QuotaStatus:   429,
			MaxClientWait: time.Duration(rapid.Int64Range(0, int64(time.Hour)).Draw(t, "max")),
			RetryJitter:   time.Duration(rapid.Int64Range(0, int64(time.Minute)).Draw(t, "jitter")),
		}
		class := rapid.SampledFrom(refusals).Draw(t, "class")
		e := Error{Class: class}
		wait := time.Duration(rapid.OneOf(rapid.Int64Range(1, int64(2*time.Minute)), rapid.Int64Range(1, 1<<63-1)).Draw(t, "wait"))
		e.WaitFrom(noon, wait)
		a := p.Answer(&e, rapid.SampledFrom(dialects).Draw(t, "dialect"), rapid.Uint64().Draw(t, "random"), nil)
		seconds, _ := strconv.ParseInt(told(a, "retry-after"), 10, 64)
		ms, _ := strconv.ParseInt(told(a, "retry-after-ms"), 10, 64)
		if seconds < 1 || ms < 1 || seconds != (ms+999)/1000 {
			t.Fatalf("%d s, %d ms", seconds, ms)
		}
		least := int64(wait / time.Millisecond)
		if wait%time.Millisecond > 0 {
			least++
		}
		if ms < least || ms-least > int64(p.RetryJitter/time.Millisecond)+1 {
			t.Fatalf("%d ms of a wait of %v", ms, wait)
		}
		helps := class == Throttle || class == Acceleration || class == Overload
		if want := helps && wait <= p.MaxClientWait; told(a, "x-should-retry") != strconv.FormatBool(want) {
			t.Fatalf("x-should-retry %s", told(a, "x-should-retry"))
		}
	})
}

func TestGRPCMessage(t *testing.T) {
	for message, want := range map[string]string{"a b~!": "a b~!", "100%": "100%25", "é\n\x7f": "%C3%A9%0A%7F", "": ""} {
		p := DefaultPolicy()
		if got := p.Answer(&Error{Class: Throttle, Message: message}, GRPC, 0, nil); got.GRPCMessage != want || string(got.Body) != message {
			t.Errorf("%q: %q, %q", message, got.GRPCMessage, got.Body)
		}
	}
}

func told(a Answer, name string) string {
	for _, h := range a.Headers {
		if h[0] == name {
			return h[1]
		}
	}
	return ""
}

// unsaidPattern is what clients look for in the whole body.
var unsaidPattern = map[Class]*regexp.Regexp{
	Throttle:     regexp.MustCompile(`(?i)billing|quota|credit`),
	Acceleration: regexp.MustCompile(`(?i)billing|quota|credit`),
	Overload:     regexp.MustCompile(`(?i)rate[\s_\-]*limit|service tier capacity exceeded`),
	TooLarge:     regexp.MustCompile(`(?i)rate[\s_\-]*limit|request too large`),
}

func FuzzAnswer(f *testing.F) {
	f.Add(uint8(0), uint8(0), 429, "rate_limit_exceeded", "Rate limit reached for m in organization org-x", "req_1", "tokens", "30000", int64(1e9), uint64(0))
	f.Add(uint8(3), uint8(1), 529, "overloaded_error", "rate\u2003limit \"\\\xff\x00<", "r", "cost_usd", "0.5", int64(-1), uint64(9))
	f.Add(uint8(2), uint8(4), 403, "billing", strings.Repeat("[{", 300), "org-x", "concurrency", "-1", int64(1<<62), uint64(1<<63))
	f.Fuzz(func(t *testing.T, class, dialect uint8, status int, code, message, id, dimension, number string, wait int64, random uint64) {
		p := DefaultPolicy()
		p.RetryJitter = time.Second
		r := Refusal{Class: refusals[int(class)%len(refusals)], Provider: "openai", Code: code, Message: message, RequestID: id,
			Limit: number, Remaining: number, Requested: number, Wait: time.Duration(wait), Stated: wait != 0}
		if i := slices.Index([]string{"requests", "tokens", "cost_usd", "concurrency"}, dimension); i >= 0 {
			r.Dimension = dimension
		}
		e := p.FromUpstream(&r, status, noon)
		d := dialects[int(dialect)%len(dialects)]
		a := p.Answer(&e, d, random, nil)
		if d != GRPC && !json.Valid(a.Body) {
			t.Errorf("no JSON: %s", a.Body)
		}
		if len(a.Body) > 8192 || !utf8.Valid(a.Body) {
			t.Errorf("%d bytes: %q", len(a.Body), a.Body)
		}
		if unsaid := unsaidPattern[r.Class]; unsaid != nil && unsaid.Match(a.Body) {
			t.Errorf("%s: %s", r.Class, a.Body)
		}
		for _, h := range a.Headers {
			if strings.ContainsFunc(h[1], unicode.IsControl) {
				t.Errorf("%q", h)
			}
		}
	})
}
