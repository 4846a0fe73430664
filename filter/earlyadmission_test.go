package main

import (
	"testing"

	"sluice/internal/envoytest"
)

// early is a configuration that decides in the header phase.
func early(list ...string) string { return withLimits(`"admission":"headers"`, list...) }

// With Envoys that hold no headers nothing may pause (P1).
func unheld(o *envoytest.Options) { o.HoldHeaders = false }

func TestTheHeaderPhaseChargesWhatBecomesKnown(t *testing.T) {
	onBoth(t, func(t *testing.T, start starter) {
		for name, c := range map[string]struct {
			upstream envoytest.Upstream
			used     int // -1: as reserved
		}{
			"reported":     {usage(7, 16), 23},
			"not reported": {ok, -1},
			"an error":     {answers(500, "{}"), 0},
		} {
			t.Run(name, func(t *testing.T) {
				g := start(t, early(`"dimension":"tokens","limit":10000`), unheld)
				request := inPieces(chat(aKey, `"max_tokens":500`), 20)
				first := g.Do(request, c.upstream)
				reserved := number(t, state(first, "reserve_tokens")) + 500
				has(t, first, c.upstream(envoytest.Request{}).Status)
				if got := remaining(t, first, "tokens"); got != 10000-reserved {
					t.Errorf("%d remain, want %d: the charge was known when the answer came", got, 10000-reserved)
				}
				used := c.used
				if used < 0 {
					used = reserved
				}
				second := g.Do(request, ok)
				if got := remaining(t, second, "tokens"); got != 10000-used-reserved {
					t.Errorf("%d remain, want %d", got, 10000-used-reserved)
				}
			})
		}
	})
}

func TestTheHeaderPhaseRefusesWhatIsExhausted(t *testing.T) {
	onBoth(t, func(t *testing.T, start starter) {
		for name, config := range map[string]string{
			"requests": early(`"limit":1`),
			"tokens":   early(`"dimension":"tokens","limit":100`),
		} {
			t.Run(name, func(t *testing.T) {
				g := start(t, config, unheld)
				// It may overshoot: what it asks for is in its body.
				has(t, g.Do(chat(aKey, `"max_tokens":5000`), usage(100, 100)), 200)
				s := g.NewStream(envoytest.StreamOptions{})
				s.RequestHeaders(append(envoytest.Headers{{":authority", "h"}}, chat(aKey).Headers...), false)
				s.Done()
				r := s.Result()
				has(t, r, 429, "retry-after", "60")
				if r.Upstream != nil {
					t.Error("the headers reached the upstream")
				}
				has(t, g.Do(chat(anotherKey), ok), 200)
			})
		}
	})
}

// What only the body tells counts as absent, and does not match.
func TestTheHeaderPhaseKnowsNoBody(t *testing.T) {
	for name, c := range map[string]struct {
		limit  string
		status int
	}{
		"a match on the path":            {`"match":{"path":["/v1/*"]}`, 429},
		"a match on the path's work":     {`"match":{"operation":["chat"]}`, 429},
		"a scope of the model is shared": {`"scope":["model"]`, 429},
		"a scope of the model, skipped":  {`"scope":["model"],"on_missing":"skip"`, 200},
		"a scope of the model, required": {`"scope":["model"],"on_missing":"deny"`, 400},
	} {
		t.Run(name, func(t *testing.T) {
			onBoth(t, func(t *testing.T, start starter) {
				g := start(t, early(c.limit), unheld)
				g.Do(chat(aKey), ok)
				has(t, g.Do(chat(aKey), ok), c.status)
			})
		})
	}
}

// The model that the body names is told, though it decides nothing.
func TestTheHeaderPhaseStillTellsTheModel(t *testing.T) {
	onBoth(t, func(t *testing.T, start starter) {
		g := start(t, early(`"limit":5`), unheld)
		r := g.Do(chat(aKey), usage(7, 16))
		if state(r, "model") != "gpt-4o" || state(r, "total_tokens") != "23" || state(r, "decision") != "allowed" {
			t.Errorf("filter state %v", r.FilterState)
		}
	})
}

// A client that leaves in the middle of its request has asked for nothing yet.
func TestTheHeaderPhaseSettlesABrokenRequest(t *testing.T) {
	onBoth(t, func(t *testing.T, start starter) {
		g := start(t, early(`"limit":5`, `"dimension":"tokens","limit":1000`), unheld)
		s := g.NewStream(envoytest.StreamOptions{Properties: map[string]string{"upstream.address": "192.0.2.1:443"}})
		r := chat(aKey, `"max_tokens":100`)
		s.RequestHeaders(r.Headers, false)
		s.RequestBody(r.Body[:20], false)
		s.Disconnect()
		next := g.Do(keyed("authorization", "Bearer "+aKey), ok)
		has(t, next, 200, "x-ratelimit-remaining", "3")
	})
}

// A body beyond max_bytes passes; it is charged by its length.
func TestTheHeaderPhaseEstimatesALargeBody(t *testing.T) {
	onBoth(t, func(t *testing.T, start starter) {
		g := start(t, withLimits(`"admission":"headers","body":{"max_bytes":1000}`, `"dimension":"tokens","limit":100000`), unheld)
		request := inPieces(large(4000), 300)
		r := g.Do(request, ok)
		has(t, r, 200)
		if got := state(r, "reserve_tokens"); got != "1000" {
			t.Errorf("%s tokens are estimated", got)
		}
		if len(r.Upstream.Body) != 4000 {
			t.Errorf("the upstream got %d bytes", len(r.Upstream.Body))
		}
	})
}
