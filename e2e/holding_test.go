package e2e

import (
	"net/http"
	"strings"
	"testing"

	"sluice/e2e/envoy"
)

// Without allow_on_headers_stop_iteration, which Istio's WasmPlugin cannot set,
// Envoy stops a stream instead of holding its headers (P1). Nothing hangs, all
// is counted, and what is over a limit is refused all the same.
func TestEnvoyThatHoldsNoHeaders(t *testing.T) {
	g := startGateway(t, setup{
		concurrency: 1,
		config: `{"limits": [
			{"name": "rpm", "scope": ["key"], "dimension": "requests", "limit": 5, "window": "1h"},
			{"name": "tpm", "scope": ["key"], "dimension": "tokens", "limit": 100000, "window": "1h"}]}`,
		edit: func(b *envoy.Bootstrap) {
			for _, w := range b.Wasm() {
				delete(w, "allow_on_headers_stop_iteration")
			}
		},
	})
	for i := range 5 {
		r := g.do(t, request{key: "a", header: http.Header{"X-Fake-Prompt-Tokens": {"30"}, "X-Fake-Completion-Tokens": {"20"}}}).is(t, 200)
		if got, want := r.number(t, "x-ratelimit-remaining-requests"), 4-i; got != want {
			t.Errorf("request %d: %d remain, want %d", i, got, want)
		}
	}
	g.do(t, request{key: "a"}).is(t, 429)
	if n := g.provider.Count(); n != 5 {
		t.Errorf("the provider saw %d requests, want 5", n)
	}
	// 50 tokens each were charged to what they had been estimated at.
	if got := g.do(t, request{key: "a", method: "GET", path: "/v1/models"}).is(t, 429).number(t, "x-ratelimit-remaining-requests"); got != 0 {
		t.Errorf("%d requests remain", got)
	}
	if log := g.log.String(); strings.Count(log, "Envoy does not hold headers") != 1 {
		t.Errorf("the log says it %d times", strings.Count(log, "Envoy does not hold headers"))
	}
}
