package main

import (
	"maps"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"sluice/internal/envoytest"
)

func TestAThrottledRequestIsToldAll(t *testing.T) {
	onBoth(t, func(t *testing.T, start starter) {
		g := start(t, one(`"name":"key-rpm","scope":["key","model"],"limit":1`))
		g.pass(300 * time.Millisecond)
		has(t, g.Do(chat(aKey), ok), 200)
		g.pass(1500 * time.Millisecond)

		r := g.Do(chat(aKey), unasked(t))
		has(t, r, 429, "content-type", "application/json",
			"retry-after", "59", "retry-after-ms", "58500", "x-should-retry", "true",
			"x-ratelimit-limit-requests", "1", "x-ratelimit-remaining-requests", "0", "x-ratelimit-reset-requests", "59",
			"x-ratelimit-limit", "1", "x-ratelimit-remaining", "0", "x-ratelimit-reset", "59")
		if r.Upstream != nil || !r.LocalReply {
			t.Errorf("it went on: %+v", r)
		}
		got := problem(t, r)
		message, _ := got["message"].(string)
		delete(got, "message")
		want := map[string]any{
			"type": "rate_limit_error", "param": nil, "code": "rate_limit_exceeded", "class": "throttle", "source": "gateway",
			"limit": "key-rpm", "dimension": "requests", "scope_kind": "key+model", "scope_target_id": hashed(aKey) + "+gpt-4o",
			"limit_value": 1.0, "remaining": 0.0, "requested": 1.0, "retry_after": 59.0, "reset_at": "2026-11-30T12:01:01Z", // 12:01:00.3, rounded up
		}
		if !maps.Equal(got, want) {
			t.Errorf("error %v\nwant  %v", got, want)
		}
		if !strings.HasSuffix(message, "2026-11-30T12:01:01Z") || !strings.Contains(message, "key-rpm") {
			t.Errorf("message %q", message)
		}
		// Clients match on words (§4).
		if word := regexp.MustCompile(`(?i)billing|quota|credit`).FindString(string(r.Body)); word != "" {
			t.Errorf("the body says %q: %s", word, r.Body)
		}
	})
}

func TestAllTrafficTogetherIsCalledAll(t *testing.T) {
	onBoth(t, func(t *testing.T, start starter) {
		g := start(t, one(`"scope":[]`))
		g.Do(chat(aKey), ok)
		if p := problem(t, g.Do(chat(anotherKey), unasked(t))); p["scope_kind"] != "all" || p["scope_target_id"] != "all" {
			t.Errorf("error %v", p)
		}
	})
}

// Clients retry by themselves for a minute, and wait no longer.
func TestRetryIsAdvisedUpToAMinute(t *testing.T) {
	for name, c := range map[string]struct {
		window, waited          time.Duration
		after, afterMS, advised string
	}{
		"a minute":                 {time.Minute, 0, "60", "60000", "true"},
		"more than a minute":       {time.Minute + time.Millisecond, 0, "61", "60001", "false"},
		"an hour":                  {time.Hour, time.Second, "3599", "3599000", "false"},
		"never less than a second": {time.Minute, time.Minute - time.Millisecond, "1", "1", "true"},
		"a fraction more":          {time.Minute, 58999 * time.Millisecond, "2", "1001", "true"},
	} {
		t.Run(name, func(t *testing.T) {
			onBoth(t, func(t *testing.T, start starter) {
				g := start(t, one(`"window":"`+c.window.String()+`"`))
				g.Do(chat(aKey), ok)
				g.pass(c.waited)
				has(t, g.Do(chat(aKey), unasked(t)), 429,
					"retry-after", c.after, "retry-after-ms", c.afterMS, "x-should-retry", c.advised)
			})
		})
	}
}

func TestTheSameRequestFitsAfterExactlyTheWait(t *testing.T) {
	onBoth(t, func(t *testing.T, start starter) {
		for name, c := range map[string]struct {
			config string
			header string
			unit   time.Duration
		}{
			"requests, in seconds":      {one(`"limit":1`), "retry-after", time.Second},
			"requests, in milliseconds": {one(`"limit":1`), "retry-after-ms", time.Millisecond},
			"tokens, in seconds":        {one(`"limit":600,"dimension":"tokens"`), "retry-after", time.Second},
			"several limits, in milliseconds": {withLimits("", `"limit":1,"window":"10s"`, `"limit":1,"window":"90s"`, `"limit":600,"dimension":"tokens"`),
				"retry-after-ms", time.Millisecond},
		} {
			t.Run(name, func(t *testing.T) {
				g := start(t, c.config)
				request := chat(aKey, `"max_tokens":500`)
				has(t, g.Do(request, usage(50, 500)), 200)
				if c.unit == time.Millisecond {
					g.pass(1234 * time.Millisecond) // so that the seconds would be rounded
				}
				wait := time.Duration(number(t, g.Do(request, unasked(t)).Headers.Get(c.header))) * c.unit

				g.pass(wait - time.Millisecond)
				has(t, g.Do(request, unasked(t)), 429)
				g.pass(time.Millisecond)
				has(t, g.Do(request, usage(50, 500)), 200)
				has(t, g.Do(request, unasked(t)), 429) // one more, not two
			})
		}
	})
}

func TestWhatCanNeverFitIsTooLarge(t *testing.T) {
	long := strings.Repeat("word ", 3000)
	for name, request := range map[string]envoytest.Request{
		"an explicit maximum":       chat(aKey, `"max_tokens":1001`),
		"the largest of several":    chat(aKey, `"max_tokens":1,"max_completion_tokens":2000`),
		"many choices":              chat(aKey, `"max_tokens":300,"n":4`),
		"an absurd maximum":         chat(aKey, `"max_tokens":99999999999999999999`),
		"the input alone":           chat(aKey, `"user":"x","prompt":"`+long+`"`),
		"the input, unreadable too": post("/v1/chat/completions", `{"model":"m","prompt":"`+long, "authorization", "Bearer "+aKey),
	} {
		t.Run(name, func(t *testing.T) {
			onBoth(t, func(t *testing.T, start starter) {
				g := start(t, withLimits("", `"limit":5`, `"name":"tpm","dimension":"tokens","limit":1000`))
				r := g.Do(request, unasked(t))
				has(t, r, 413, "content-type", "application/json", "retry-after", "-", "retry-after-ms", "-", "x-should-retry", "false",
					"x-ratelimit-limit-tokens", "1000", "x-ratelimit-remaining-tokens", "1000", "x-ratelimit-remaining-requests", "5")
				p := problem(t, r)
				for name, want := range map[string]any{
					"type": "invalid_request_error", "code": "request_too_large", "class": "too_large", "limit": "tpm",
					"limit_value": 1000.0, "retry_after": nil, "reset_at": nil,
				} {
					if p[name] != want {
						t.Errorf("%s is %v, want %v", name, p[name], want)
					}
				}
				if requested, _ := p["requested"].(float64); requested <= 1000 {
					t.Errorf("requested is %v, which would fit", p["requested"])
				}
				// It has left no charge.
				has(t, g.Do(chat(aKey), ok), 200, "x-ratelimit-remaining-requests", "4")
			})
		})
	}
}

func TestTooLargeWinsOverThrottle(t *testing.T) {
	onBoth(t, func(t *testing.T, start starter) {
		g := start(t, withLimits("", `"name":"rpm"`, `"name":"tpm","dimension":"tokens","limit":1000`))
		g.Do(chat(aKey), ok)
		r := g.Do(chat(aKey, `"max_tokens":2000`), unasked(t))
		has(t, r, 413)
		if p := problem(t, r); p["limit"] != "tpm" {
			t.Errorf("error %v", p)
		}
	})
}

// A first request on an empty window is always admitted.
func TestAGuessedReservationIsCut(t *testing.T) {
	onBoth(t, func(t *testing.T, start starter) {
		g := start(t, withLimits(`"reserve":{"default_output_tokens":5000}`, `"dimension":"tokens","limit":1000`))
		has(t, g.Do(chat(aKey), usage(100, 100)), 200, "x-ratelimit-remaining-tokens", "0")
		// The next guess does not fit into what is left, one that is stated does.
		has(t, g.Do(chat(aKey), unasked(t)), 429)
		has(t, g.Do(chat(aKey, `"max_tokens":100`), usage(100, 100)), 200)
	})
}

func TestADeniedRequestLeavesNoCharge(t *testing.T) {
	onBoth(t, func(t *testing.T, start starter) {
		g := start(t, withLimits("",
			`"name":"each","scope":["key"],"limit":1`,
			`"name":"model","scope":["key","model"],"limit":100`,
			`"name":"tokens","scope":["model"],"dimension":"tokens","limit":100000`,
			`"name":"all","scope":[],"limit":3`))
		first := g.Do(chat(aKey, `"max_tokens":100`), ok)
		for range 5 {
			r := g.Do(chat(aKey, `"max_tokens":100`), unasked(t))
			has(t, r, 429, "x-ratelimit-limit-requests", "1", "x-ratelimit-remaining-tokens", first.Headers.Get("x-ratelimit-remaining-tokens"))
			if p := problem(t, r); p["limit"] != "each" {
				t.Errorf("error %v", p)
			}
		}
		has(t, g.Do(chat("b"), ok), 200)
		has(t, g.Do(chat("c"), ok), 200)
		if p := problem(t, g.Do(chat("d"), unasked(t))); p["limit"] != "all" {
			t.Errorf("error %v", p)
		}
	})
}

// Where several refuse, the one with the longest wait gives name and headers.
func TestTheLongestWaitSpeaks(t *testing.T) {
	onBoth(t, func(t *testing.T, start starter) {
		g := start(t, withLimits("", `"name":"short"`, `"name":"long","limit":2,"window":"1h","scope":[]`, `"name":"middle","window":"2m"`))
		g.Do(chat(aKey), ok)
		g.Do(chat(anotherKey), ok)
		r := g.Do(chat(aKey), unasked(t))
		has(t, r, 429, "retry-after", "3600", "x-should-retry", "false", "x-ratelimit-limit-requests", "2", "x-ratelimit-reset-requests", "3600")
		if p := problem(t, r); p["limit"] != "long" {
			t.Errorf("error %v", p)
		}
	})
}

// On a refusal, the limit that refused is shown, and not one with less left.
func TestTheLimitThatRefusedIsShown(t *testing.T) {
	onBoth(t, func(t *testing.T, start starter) {
		for _, config := range []string{
			withLimits("", `"name":"long","dimension":"tokens","limit":1000,"window":"1h"`, `"name":"tight","dimension":"tokens","limit":900`),
			withLimits("", `"name":"tight","dimension":"tokens","limit":900`, `"name":"long","dimension":"tokens","limit":1000,"window":"1h"`),
		} {
			g := start(t, config)
			has(t, g.Do(chat(aKey, `"max_tokens":100`), usage(400, 400)), 200, "x-ratelimit-limit-tokens", "900")
			r := g.Do(chat(aKey, `"max_tokens":500`), unasked(t))
			has(t, r, 429, "x-ratelimit-limit-tokens", "1000", "x-ratelimit-remaining-tokens", "200", "x-ratelimit-reset-tokens", "3600")
			if p := problem(t, r); p["limit"] != "long" {
				t.Errorf("error %v", p)
			}
		}
	})
}

// An embedding is answered without tokens: none are reserved for it.
func TestOutputIsReservedWhereThereIsSome(t *testing.T) {
	onBoth(t, func(t *testing.T, start starter) {
		g := start(t, withLimits(`"reserve":{"default_output_tokens":700}`, `"scope":[],"dimension":"tokens","limit":10000`))
		for path, output := range map[string]int{
			"/v1/embeddings": 0, "/v1/moderations": 0, "/v1/rerank": 0, "/v1/chat/completions": 700, "/v1/completions": 700, "/custom": 700,
		} {
			g.pass(time.Minute)
			r := g.Do(post(path, `{"model":"m","prompt":"Say hello."}`), ok)
			if got, want := remaining(t, r, "tokens"), 10000-number(t, state(r, "reserve_tokens"))-output; got != want {
				t.Errorf("%s: %d remain, want %d", path, got, want)
			}
		}
	})
}

func TestAnOverrideGivesAnotherCeiling(t *testing.T) {
	onBoth(t, func(t *testing.T, start starter) {
		g := start(t, withLimits(`"attributes":{"tier":{"headers":["x-tier"],"default":"free","verified":true}}`,
			`"limit":2,"overrides":[{"attribute":{"tier":["pro","max-*"]},"limit":5},{"attribute":{"tier":["*-20"]},"limit":9},
				{"attribute":{"key":["`+hashed(anotherKey)+`"]},"limit":7}]`))
		for name, c := range map[string]struct{ key, tier, limit string }{
			"none":              {"a", "other", "2"},
			"the default":       {"b", "", "2"},
			"a name":            {"c", "pro", "5"},
			"the first of two":  {"d", "max-20", "5"},
			"the second":        {"e", "team-20", "9"},
			"a secret's hash":   {anotherKey, "free", "7"},
			"not by the secret": {"not-" + anotherKey, "free", "2"},
		} {
			r := g.Do(with(chat(c.key), "x-tier", c.tier), ok)
			has(t, r, 200, "x-ratelimit-limit", c.limit)
			if t.Failed() {
				t.Fatal(name)
			}
		}
	})
}

// The filter's own reply comes back through its response callbacks (P10).
func TestItsOwnReplyIsNoAnswer(t *testing.T) {
	onBoth(t, func(t *testing.T, start starter) {
		g := start(t, withLimits("", `"limit":1`, `"dimension":"tokens","limit":10000`))
		g.Do(chat(aKey, `"max_tokens":500`), usage(1, 1))
		r := g.Do(chat(aKey, `"max_tokens":500`), unasked(t))
		has(t, r, 429, "x-ratelimit-limit", "1", "x-ratelimit-remaining-tokens", "9998")
		for _, name := range []string{"usage_source", "total_tokens", "settle_tokens"} {
			if got := state(r, name); got != "" && got != "0" {
				t.Errorf("sluice_%s is %q", name, got)
			}
		}
		if got := g.counter("sluice_usage_unavailable;reason=error"); got != 0 {
			t.Errorf("its own refusal is counted as an answer without usage: %d", got)
		}
		if n := strconv.Itoa(len(r.Body)); r.Headers.Get("content-length") != n {
			t.Errorf("content-length %s, want %s", r.Headers.Get("content-length"), n)
		}
	})
}
