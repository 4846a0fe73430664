package e2e

import "testing"

// A refused request never reaches the provider, not even its headers (P4), and
// is logged and counted as refused.
func TestDeniedRequestNeverReachesTheProvider(t *testing.T) {
	g := startGateway(t, setup{own: true, config: `{"limits": [
		{"name": "one", "scope": ["key"], "dimension": "requests", "limit": 1, "window": "1h"},
		{"name": "small", "scope": ["key"], "dimension": "tokens", "limit": 100, "window": "1h"}]}`})

	tooLarge := g.do(t, request{key: "a", body: chat(`"max_tokens":101`)}).is(t, 413).has(t, "retry-after", "", "x-should-retry", "false")
	if p := tooLarge.problem(t); p.Class != "too_large" || p.Code != "request_too_large" || p.Type != "invalid_request_error" || p.Limit != "small" || p.RetryAfter != nil || p.ResetAt != "" {
		t.Errorf("problem %s", tooLarge.body)
	}
	if n := g.provider.Count(); n != 0 {
		t.Fatalf("the provider saw %d requests, want none", n)
	}
	g.accessLog.line(t, 0).has(t, "decision", "denied", "limit", "small", "class", "too_large", "status", 413.0, "total_tokens", nil)

	// The refused request left no charge: the only one allowed is still there.
	g.do(t, request{key: "a"}).is(t, 200)
	denied := g.do(t, request{key: "a"}).is(t, 429)
	g.accessLog.line(t, 2).has(t, "decision", "denied", "limit", "one", "class", "throttle", "status", 429.0,
		"retry_after", denied.header.Get("retry-after"), "key", hashOf("a"), "model", "gpt-4o", "operation", "chat")
	if n := g.provider.Count(); n != 1 {
		t.Errorf("the provider saw %d requests, want 1", n)
	}
	g.counts(t, map[string]float64{
		`sluice_denied{limit="one",dimension="requests"}`:                                1,
		`sluice_denied{limit="small",dimension="tokens"}`:                                1,
		`sluice_requests{decision="allowed",provider="openai_compatible",model="other"}`: 1,
		`sluice_requests{decision="denied",provider="openai_compatible",model="other"}`:  2,
	})
}

// Several limits count together or not at all.
func TestLimitsAreAllOrNothing(t *testing.T) {
	g := startGateway(t, setup{config: `{"limits": [
		{"name": "each", "scope": ["key"], "dimension": "requests", "limit": 1, "window": "1h"},
		{"name": "all", "scope": [], "dimension": "requests", "limit": 3, "window": "1h"}]}`})
	for range 5 {
		g.do(t, request{key: "greedy"}) // One passes, four are refused and leave nothing in "all".
	}
	g.do(t, request{key: "b"}).is(t, 200)
	g.do(t, request{key: "c"}).is(t, 200)
	if p := g.do(t, request{key: "d"}).is(t, 429).problem(t); p.Limit != "all" || p.ScopeKind != "all" || p.ScopeTargetID != "all" {
		t.Errorf("problem %+v", p)
	}
}
