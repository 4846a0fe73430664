package main

import "testing"

// Each kind of window says what is left of it and when all of it is free again,
// and refuses as what it is: with the wait, if one helps.
func TestEachWindowSaysWhatIsLeftAndWhen(t *testing.T) {
	onBoth(t, func(t *testing.T, start starter) {
		for name, c := range map[string]struct {
			limit    string
			fit      int      // requests that are admitted
			admitted []string // headers of the last of them
			refused  []string // and of the next
			class    string
			resetAt  any
		}{
			"fixed": {`"limit":2`, 2,
				[]string{"x-ratelimit-limit", "2", "x-ratelimit-remaining", "0", "x-ratelimit-reset", "60"},
				[]string{"x-ratelimit-reset", "60", "retry-after", "60", "retry-after-ms", "60000", "x-should-retry", "true"},
				"throttle", "2026-11-30T12:01:00Z"},
			// What was used in a 32nd of the window, 1.875 s, slides out at once:
			// with the end of that of which the last was used.
			"sliding": {`"limit":2,"algorithm":"sliding"`, 2,
				[]string{"x-ratelimit-limit", "2", "x-ratelimit-remaining", "0", "x-ratelimit-reset", "62"},
				[]string{"x-ratelimit-reset", "62", "retry-after", "62", "retry-after-ms", "61875", "x-should-retry", "false"},
				"throttle", "2026-11-30T12:01:02Z"},
			// One comes back each second, both after two.
			"token_bucket": {`"limit":60,"algorithm":"token_bucket","burst":2`, 2,
				[]string{"x-ratelimit-limit", "2", "x-ratelimit-remaining", "0", "x-ratelimit-reset", "2"},
				[]string{"x-ratelimit-reset", "2", "retry-after", "1", "retry-after-ms", "1000", "x-should-retry", "true"},
				"throttle", "2026-11-30T12:00:01Z"},
			"calendar": {`"limit":2,"window":"month","align":"calendar"`, 2,
				[]string{"x-ratelimit-remaining", "0", "x-ratelimit-reset", "43200"},
				[]string{"x-ratelimit-reset", "43200", "retry-after", "43200", "x-should-retry", "false"},
				"throttle", "2026-12-01T00:00:00Z"},
			"never": {`"limit":2,"window":"never"`, 2,
				[]string{"x-ratelimit-limit", "2", "x-ratelimit-remaining", "0", "x-ratelimit-reset", "-", "x-ratelimit-reset-requests", "-"},
				[]string{"x-ratelimit-remaining", "0", "x-ratelimit-reset", "-", "retry-after", "-", "retry-after-ms", "-", "x-should-retry", "false"},
				"quota", nil},
			// Of 1.25 cents a request uses three quarters of one.
			"cost": {`"limit":0.0125,"dimension":"cost_usd","window":"1h"`, 1,
				[]string{"x-ratelimit-limit-cost", "0.0125", "x-ratelimit-remaining-cost", "0.0024725", "x-ratelimit-reset-cost", "3600", "x-ratelimit-limit", "-"},
				[]string{"x-ratelimit-limit-cost", "0.0125", "x-ratelimit-remaining-cost", "0.005", "retry-after", "3600", "x-should-retry", "false"},
				"quota", "2026-11-30T13:00:00Z"},
		} {
			t.Run(name, func(t *testing.T) {
				g := start(t, withLimits(`"prices":{"gpt-4o*":{"input":2.5,"output":10}}`, c.limit))
				request := chat(aKey, `"max_tokens":1000`)
				for range c.fit - 1 {
					has(t, g.Do(request, usage(1000, 500)), 200)
				}
				has(t, g.Do(request, usage(1000, 500)), 200, c.admitted...)
				refused := g.Do(request, unasked(t))
				has(t, refused, 429, c.refused...)
				p := problem(t, refused)
				code := map[string]string{"throttle": "rate_limit_exceeded", "quota": "insufficient_quota"}[c.class]
				if p["class"] != c.class || p["code"] != code || p["reset_at"] != c.resetAt {
					t.Errorf("class %v, code %v, reset_at %v; want %s, %s, %v", p["class"], p["code"], p["reset_at"], c.class, code, c.resetAt)
				}
			})
		}
	})
}
