package e2e

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"sluice/e2e/envoy"
	"sluice/e2e/fakellm"
)

// With mode observe all is counted, decided and told, and not one byte of a
// request or a response is another: not even an upstream's own limits.
func TestObserveChangesNothing(t *testing.T) {
	limits := `"limits": [
		{"name": "rpm", "scope": ["key"], "dimension": "requests", "limit": 1, "window": "1h"},
		{"name": "tpm", "scope": ["key"], "dimension": "tokens", "limit": 50, "window": "1h"},
		{"name": "inflight", "scope": ["key"], "dimension": "concurrency", "limit": 1},
		{"name": "who", "scope": ["org"], "dimension": "requests", "limit": 1, "window": "1h", "on_missing": "deny"},
		{"name": "budget", "scope": ["key"], "dimension": "cost_usd", "limit": 0.000001, "window": "1h"}],
		"attributes": {"org": {"headers": ["x-org"]}}, "body": {"unreadable": "deny", "oversize": "deny", "max_bytes": 1000},
		"prices": {"other": {"input": 1, "output": 1}}`
	g := startGateway(t, setup{own: true, edit: withoutSluice, config: "{}"})
	answers := []fakellm.Script{
		{Header: http.Header{"X-Ratelimit-Limit-Requests": {"junk"}, "X-Ratelimit-Remaining-Tokens": {"-1"}, "Openai-Organization": {"org-1"}}},
		{Status: 429, Header: http.Header{"Retry-After": {"7"}, "X-Ratelimit-Reset-Requests": {"6m0s"}}},
		{Status: 500},
		{Status: 200, Parts: []string{"data: {\"a\":1}\n\n", "data: [DONE]\n\n"}},
	}
	requests := []request{
		{key: "a"}, {key: "a", body: chat(`"max_tokens":100000`)}, {key: "a", body: chat(`"stream":true`)},
		{key: "a", body: "no JSON"}, {key: "a", body: chat(`"user":"` + strings.Repeat("x", 2000) + `"`)},
		{key: "a", method: "GET", path: "/v1/models", body: "-"}, {header: http.Header{"Authorization": {"Bearer a", "Bearer b"}}},
	}
	type seen struct {
		status int
		header http.Header
		body   string
		sent   http.Header
		asked  string
	}
	exchange := func() (all []seen) {
		for _, r := range requests {
			for _, a := range answers {
				g.provider.Next(a)
				res := g.do(t, r)
				last := g.provider.Last()
				for _, h := range []http.Header{res.header, last.Header} {
					// These differ from one time to the next by themselves.
					for _, name := range []string{"Date", "X-Envoy-Upstream-Service-Time", "X-Request-Id"} {
						h.Del(name)
					}
				}
				all = append(all, seen{res.status, res.header, res.body, last.Header, string(last.Body)})
			}
		}
		return all
	}
	want := exchange()
	g = startGateway(t, setup{config: `{"mode": "observe", ` + limits + `}`})
	for i, got := range exchange() {
		if got.status != want[i].status || got.body != want[i].body || got.asked != want[i].asked ||
			!same(got.header, want[i].header) || !same(got.sent, want[i].sent) {
			t.Errorf("exchange %d is\n%+v, and without the filter\n%+v", i, got, want[i])
		}
	}

	entries := g.accessLog.all(t, len(want))
	shadowed := 0
	for _, e := range entries {
		if e["decision"] == "shadow_denied" {
			shadowed++
		} else if e["decision"] != "allowed" {
			t.Errorf("access log: %v", e)
		}
	}
	if shadowed < len(want)-1 {
		t.Errorf("%d of %d requests would have been refused; want all", shadowed, len(want))
	}
	// What would have been refused was charged nothing, as if it had been.
	if err := g.update(t, `{"limits": [{"name": "rpm", "scope": ["key"], "dimension": "requests", "limit": 1000, "window": "1h"}]}`); err != nil {
		t.Fatal(err)
	}
	left := g.do(t, request{key: "a"}).is(t, 200).number(t, "x-ratelimit-remaining-requests")
	if left != 1000-1 {
		t.Errorf("%d requests remain of 1000, want all but this one", left)
	}
}

// A shadow limit counts and reports, but neither refuses nor shows; one that is
// not enforced does nothing at all.
func TestShadowLimitsOnlyReport(t *testing.T) {
	g := startGateway(t, setup{own: true, config: `{"limits": [
		{"name": "shadow", "scope": ["key"], "dimension": "requests", "limit": 2, "window": "1h", "shadow": true},
		{"name": "page", "scope": ["key"], "dimension": "requests", "limit": 1, "window": "1h", "enforced": false},
		{"name": "real", "scope": ["key"], "dimension": "requests", "limit": 4, "window": "1h"}]}`})
	for i, decision := range []string{"allowed", "allowed", "shadow_denied", "shadow_denied", "denied"} {
		res := g.do(t, request{key: "a"})
		if (res.status == 429) != (decision == "denied") {
			t.Fatalf("request %d: %d", i, res.status)
		}
		res.has(t, "x-ratelimit-limit-requests", "4")
		e := g.accessLog.line(t, i)
		e.has(t, "decision", decision)
		if decision == "denied" {
			e.has(t, "limit", "real")
		}
	}
	g.counts(t, map[string]float64{
		`sluice_shadow_denied{limit="shadow"}`:               3, // also of what the real one refuses
		`sluice_denied{limit="real",dimension="requests"}`:   1,
		`sluice_denied{limit="shadow",dimension="requests"}`: 0,
		`sluice_shadow_denied{limit="page"}`:                 0,
		`sluice_denied{limit="page",dimension="requests"}`:   0,
	})
}

func withoutSluice(b *envoy.Bootstrap) { b.Without("wasm.v3.Wasm") }

func same(a, b http.Header) bool { return maps.EqualFunc(a, b, slices.Equal) }
