package main

import (
	"maps"
	"strconv"
	"testing"

	"sluice/internal/envoytest"
)

// §5: the names and values that access logs and other filters go by.
func TestFilterState(t *testing.T) {
	config := withLimits(`"attributes":{"tier":{"headers":["x-tier"],"verified":true}}`,
		`"name":"rpm","limit":2`, `"name":"tpm","dimension":"tokens","limit":10000`)
	cached := answers(200, `{"usage":{"prompt_tokens":40,"completion_tokens":16,"total_tokens":56,"prompt_tokens_details":{"cached_tokens":30}}}`)
	who := map[string]string{"provider": "openai_compatible", "operation": "chat", "model": "gpt-4o", "key": hashed(aKey), "attr_tier": "pro"}
	and := func(more map[string]string) map[string]string {
		all := maps.Clone(who)
		maps.Copy(all, more)
		return all
	}
	itoa := strconv.Itoa
	onBoth(t, func(t *testing.T, start starter) {
		atoi := func(text string) int { return number(t, text) }
		estimate := state(start(t, config).Do(chat(aKey), ok), "reserve_tokens")
		guess := 1024 // default_output_tokens
		for name, c := range map[string]struct {
			request  envoytest.Request
			upstream envoytest.Upstream
			before   int // so many requests came before
			want     map[string]string
		}{
			"reported": {chat(aKey), cached, 0, and(map[string]string{
				"decision": "allowed", "usage_source": "reported", "reserve_tokens": estimate, "settle_tokens": itoa(56 - atoi(estimate)),
				"input_tokens": "40", "output_tokens": "16", "cached_tokens": "30", "total_tokens": "56",
			})},
			"less than estimated": {chat(aKey), usage(1, 0), 0, and(map[string]string{
				"decision": "allowed", "usage_source": "reported", "reserve_tokens": estimate, "settle_tokens": "0",
				"input_tokens": "1", "output_tokens": "0", "cached_tokens": "0", "total_tokens": "1",
			})},
			"not reported": {chat(aKey), ok, 0, and(map[string]string{
				"decision": "allowed", "usage_source": "estimated", "reserve_tokens": estimate, "settle_tokens": itoa(guess),
				"input_tokens": estimate, "output_tokens": itoa(guess), "cached_tokens": "0", "total_tokens": itoa(guess + atoi(estimate)),
			})},
			"an upstream's error": {chat(aKey), answers(500, "{}"), 0, and(map[string]string{
				"decision": "allowed", "usage_source": "none", "reserve_tokens": estimate, "settle_tokens": "0",
				"input_tokens": "0", "output_tokens": "0", "cached_tokens": "0", "total_tokens": "0",
			})},
			"denied": {chat(aKey), ok, 2, and(map[string]string{
				"decision": "denied", "limit": "rpm", "class": "throttle", "retry_after": "60",
			})},
			"too large": {chat(aKey, `"max_tokens":20000`), ok, 0, and(map[string]string{
				"decision": "denied", "limit": "tpm", "class": "too_large",
			})},
			"no model call": {get("/v1/models", "authorization", "Bearer "+aKey, "x-tier", "pro"), ok, 0, map[string]string{
				"decision": "allowed", "provider": "openai_compatible", "operation": "other", "key": hashed(aKey), "attr_tier": "pro",
			}},
			"no key": {envoytest.Request{Headers: envoytest.Headers{{":path", "/v1/messages"}, {"x-tier", "a\x7f\"b"}}}, ok, 0, map[string]string{
				"decision": "allowed", "provider": "anthropic", "operation": "chat", "attr_tier": `a"b`,
			}},
		} {
			t.Run(name, func(t *testing.T) {
				g := start(t, config)
				for range c.before {
					g.Do(chat(aKey), ok)
				}
				if !c.request.Headers.Has("x-tier") {
					c.request = with(c.request, "x-tier", "pro")
				}
				r := g.Do(c.request, c.upstream)
				got := map[string]string{}
				for key, value := range r.FilterState {
					const prefix = "wasm.sluice_"
					if len(key) < len(prefix) || key[:len(prefix)] != prefix {
						t.Errorf("filter state %q", key)
						continue
					}
					// Zero is as good as absent (§5).
					if _, there := c.want[key[len(prefix):]]; there || value != "0" {
						got[key[len(prefix):]] = value
					}
				}
				if !maps.Equal(got, c.want) {
					t.Errorf("filter state %v\nwant         %v", got, c.want)
				}
			})
		}
	})
}

// The estimate is there for the rate limit filter behind this one, before the
// request goes on.
func TestTheReserveIsToldOnTheWayIn(t *testing.T) {
	onBoth(t, func(t *testing.T, start starter) {
		g := start(t, one(`"limit":5`))
		s := g.NewStream(envoytest.StreamOptions{})
		r := chat(aKey)
		s.RequestHeaders(r.Headers, false)
		s.RequestBody(r.Body, true)
		if got := s.FilterState()["wasm.sluice_reserve_tokens"]; got == "" || got == "0" {
			t.Errorf("sluice_reserve_tokens is %q", got)
		}
		s.Done()
	})
}
