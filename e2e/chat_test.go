package e2e

import (
	"strings"
	"testing"
	"time"
)

// The main job: a chat is answered and counted, one too many is refused with
// the reason and the time, and after that time the next is answered.
func TestChatIsLimitedAndAnswered(t *testing.T) {
	g := startGateway(t, setup{config: `{"limits": [
		{"name": "key-rpm", "scope": ["key"], "dimension": "requests", "limit": 2, "window": "3s"},
		{"name": "key-tpm", "scope": ["key"], "dimension": "tokens", "limit": 5000, "window": "1h"}]}`})

	first := g.do(t, request{key: "sk-one"}).is(t, 200).has(t,
		"x-ratelimit-limit-requests", "2", "x-ratelimit-remaining-requests", "1",
		"x-ratelimit-limit", "2", "x-ratelimit-remaining", "1",
		"x-ratelimit-limit-tokens", "5000", "retry-after", "")
	if reset := first.number(t, "x-ratelimit-reset-requests"); reset < 1 || reset > 3 {
		t.Errorf("the window of 3s ends in %d", reset)
	}
	if !strings.Contains(first.body, "word16") {
		t.Errorf("the answer is %s", first.body)
	}
	g.do(t, request{key: "sk-one"}).is(t, 200).has(t, "x-ratelimit-remaining-requests", "0")

	refused := time.Now()
	denied := g.do(t, request{key: "sk-one"}).is(t, 429).has(t,
		"content-type", "application/json", "x-should-retry", "true",
		"x-ratelimit-limit-requests", "2", "x-ratelimit-remaining-requests", "0")
	wait := denied.number(t, "retry-after")
	if ms := denied.number(t, "retry-after-ms"); wait < 1 || wait > 3 || (ms+999)/1000 != wait {
		t.Errorf("retry-after %d, retry-after-ms %d", wait, ms)
	}
	p := denied.problem(t)
	if p.Type != "rate_limit_error" || p.Code != "rate_limit_exceeded" || p.Class != "throttle" || p.Source != "gateway" ||
		p.Limit != "key-rpm" || p.Dimension != "requests" || p.ScopeKind != "key" || p.Param != nil {
		t.Errorf("problem %+v", p)
	}
	if p.LimitValue == nil || *p.LimitValue != 2 || p.Remaining == nil || *p.Remaining != 0 ||
		p.Requested == nil || *p.Requested != 1 || p.RetryAfter == nil || *p.RetryAfter != wait {
		t.Errorf("numbers in %s", denied.body)
	}
	if want := hashOf("sk-one"); p.ScopeTargetID != want {
		t.Errorf("scope_target_id %q, want %q", p.ScopeTargetID, want)
	}
	if strings.Contains(denied.body, "sk-one") {
		t.Errorf("the credential is in %s", denied.body)
	}
	at, err := time.Parse(time.RFC3339, p.ResetAt)
	if err != nil || at.Sub(refused) > time.Duration(wait+1)*time.Second || at.Before(refused) || !strings.HasSuffix(p.Message, p.ResetAt) {
		t.Errorf("reset_at %q, %d seconds from %v, message %q", p.ResetAt, wait, refused, p.Message)
	}
	if g.provider.Count() != 2 {
		t.Errorf("the provider saw %d requests, want 2", g.provider.Count())
	}

	// Another key is another subject.
	g.do(t, request{key: "sk-two"}).is(t, 200).has(t, "x-ratelimit-remaining-requests", "1")

	time.Sleep(time.Until(refused.Add(time.Duration(wait) * time.Second))) // What a client does.
	g.do(t, request{key: "sk-one"}).is(t, 200)
}

// What a request reserved beyond its use is given back when its answer is done.
func TestTokensAreSettledToTheReportedUsage(t *testing.T) {
	g := startGateway(t, setup{config: `{"limits": [
		{"name": "key-tpm", "scope": ["key"], "dimension": "tokens", "limit": 5000, "window": "1h"}]}`})
	reported := request{key: "a", body: chat(`"max_tokens":1000`),
		header: map[string][]string{"x-fake-prompt-tokens": {"70"}, "x-fake-completion-tokens": {"30"}}}

	left := g.do(t, reported).is(t, 200).number(t, "x-ratelimit-remaining-tokens")
	g.accessLog.line(t, 0).has(t, "decision", "allowed", "input_tokens", "70", "output_tokens", "30", "total_tokens", "100", "usage_source", "reported")
	reserved := 5000 - left
	if reserved < 1000 || reserved > 1100 {
		t.Errorf("%d tokens were reserved, want 1000 and the prompt's", reserved)
	}
	left = g.do(t, reported).is(t, 200).number(t, "x-ratelimit-remaining-tokens")
	if want := 5000 - 100 - reserved; left != want {
		t.Errorf("%d tokens remain, want %d: 100 used and %d reserved", left, want, reserved)
	}

	// A failed answer gives its tokens back.
	failed := reported
	failed.header = map[string][]string{"x-fake-status": {"500"}}
	g.accessLog.line(t, 1)
	g.do(t, failed).is(t, 500)
	g.accessLog.line(t, 2)
	left = g.do(t, reported).is(t, 200).number(t, "x-ratelimit-remaining-tokens")
	if want := 5000 - 200 - reserved; left != want {
		t.Errorf("%d tokens remain after a failed answer, want %d", left, want)
	}
}
