package e2e

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"sluice/e2e/envoy"
	"sluice/e2e/fakellm"
)

// Platforms limit keys, organisations, addresses and requests in flight, each
// on its own and all at once.
func TestLayersOfAPlatform(t *testing.T) {
	g := startGateway(t, setup{own: true, edit: tenantByHeader, config: platform(t, "layers")})
	of := func(org, key string) request { return request{key: key, header: http.Header{"X-Org": {org}}} }

	// Three keys have used up what their organisation has; the third itself
	// could have gone on, were it not for the others.
	g.spend(t, 600, of("acme", "one"))
	if p := g.do(t, of("acme", "one")).is(t, 429).problem(t); p.Limit != "key-rpm" || *p.LimitValue != 600 || *p.RetryAfter > 60 {
		t.Errorf("problem %+v", p)
	}
	g.spend(t, 600, of("acme", "two"))
	g.spend(t, 590, of("acme", "three"))
	g.spend(t, 10, of("acme", "four"))
	for _, key := range []string{"three", "four", "five"} {
		if p := g.do(t, of("acme", key)).is(t, 429).problem(t); p.Limit != "org-rpm" || *p.LimitValue != 1800 || p.ScopeTargetID != "acme" {
			t.Errorf("problem %+v", p)
		}
	}
	// What the organisation refused is no use of the key.
	g.do(t, of("other", "four")).is(t, 200).has(t, "x-ratelimit-limit-requests", "600", "x-ratelimit-remaining-requests", "589")
	if p := g.do(t, request{key: "nobody's"}).is(t, 400).problem(t); p.Code != "missing_identity" {
		t.Errorf("problem %+v", p)
	}

	manage := request{key: "one", method: "GET", path: "/platform/usage", body: "-"}
	g.spend(t, 300, manage)
	if p := g.do(t, manage).is(t, 429).problem(t); p.Limit != "platform-rpm" {
		t.Errorf("problem %+v", p)
	}

	public := request{method: "GET", path: "/public/status", body: "-"}
	g.spend(t, 20, public)
	// A client that says where it comes from is not believed.
	public.header = http.Header{"X-Forwarded-For": {"192.0.2.77"}}
	if p := g.do(t, public).is(t, 429).problem(t); p.Limit != "public-per-hour" || p.ScopeTargetID != "127.0.0.1" || *p.RetryAfter < 3000 {
		t.Errorf("problem %+v", p)
	}

	// Eight are in flight, the ninth has to wait for one of them.
	gate := make(chan struct{})
	g.provider.Use(func(fakellm.Request) fakellm.Script { return fakellm.Script{Chunks: 2, Gate: gate} })
	var flying []*http.Response
	for range 8 {
		res, err := g.open(t, of("busy", "eight"))
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		if res.StatusCode != http.StatusOK {
			t.Fatalf("%s", res.Status)
		}
		flying = append(flying, res)
	}
	ninth := g.do(t, of("busy", "eight")).is(t, 429).has(t, "retry-after", "1", "x-ratelimit-limit-concurrency", "8", "x-ratelimit-remaining-concurrency", "0")
	if p := ninth.problem(t); p.Limit != "inflight" || p.Class != "throttle" {
		t.Errorf("problem %+v", p)
	}
	close(gate)
	flying[0].Body.Close()
	g.spend(t, 1, of("busy", "eight"))
}

// A budget in US$ refuses as what no wait of a client mends, and a limit of
// requests beside it as what does.
func TestABudgetBesideRequestsAMinute(t *testing.T) {
	g := startGateway(t, setup{config: platform(t, "budget")})
	// A million tokens of input are 2.5 US$, a thousand of output a cent.
	large := request{key: "rich", header: http.Header{"X-Fake-Prompt-Tokens": {"1000000"}, "X-Fake-Completion-Tokens": {"1000"}},
		body: chat(`"max_tokens":1000`)}

	first := g.do(t, large).is(t, 200).has(t, "x-ratelimit-limit-cost", "5")
	left, err := strconv.ParseFloat(first.header.Get("x-ratelimit-remaining-cost"), 64)
	if err != nil || left <= 4.98 || left >= 4.99 { // 5 less a cent and the prompt
		t.Errorf("US$ %v remain: %v", first.header.Get("x-ratelimit-remaining-cost"), err)
	}
	now := time.Now().UTC()
	end := time.Date(now.Year(), now.Month()+1, 1, 0, 0, 0, 0, time.UTC)
	if reset := time.Duration(first.number(t, "x-ratelimit-reset-cost")) * time.Second; reset > time.Until(end)+2*time.Second || reset < time.Until(end)-patience {
		t.Errorf("the month ends in %v, not in %v", time.Until(end), reset)
	}
	g.accessLog.line(t, 0)
	second := g.do(t, large).is(t, 200)
	if again, _ := strconv.ParseFloat(second.header.Get("x-ratelimit-remaining-cost"), 64); left-again < 2.5099 || left-again > 2.5101 {
		t.Errorf("US$ %v remain after %v and a use of 2.51", again, left)
	}
	g.accessLog.line(t, 1)
	denied := g.do(t, large).is(t, 429).has(t, "x-ratelimit-remaining-cost", "0", "x-should-retry", "false")
	if p := denied.money(t); p.Class != "quota" || p.Code != "insufficient_quota" || p.Type != "insufficient_quota" || p.Limit != "budget" ||
		p.Dimension != "cost_usd" || p.LimitValue != 5 || p.Remaining != 0 || p.Requested < 0.01 || p.Requested > 0.02 {
		t.Errorf("problem %s", denied.body)
	}
	if wait := time.Duration(denied.number(t, "retry-after")) * time.Second; wait < time.Until(end)-patience || wait > time.Until(end)+2*time.Second {
		t.Errorf("the month ends in %v, not in %v", time.Until(end), wait)
	}
	if p := g.do(t, request{key: "rich", body: `{"model":"unheard-of","prompt":"x"}`}).is(t, 400).problem(t); p.Code != "model_not_priced" {
		t.Errorf("problem %+v", p)
	}

	g.spend(t, 50, request{key: "busy"})
	if p := g.do(t, request{key: "busy"}).is(t, 429).problem(t); p.Limit != "key-rpm" || p.Class != "throttle" {
		t.Errorf("problem %+v", p)
	}
}

// An allowance that is used up is so for good: nothing tells to come back.
func TestAOneTimeAllowance(t *testing.T) {
	g := startGateway(t, setup{config: platform(t, "allowance")})
	trial := request{key: "new", header: http.Header{"X-Fake-Prompt-Tokens": {"600000"}, "X-Fake-Completion-Tokens": {"1"}}}
	for i := range 2 {
		g.do(t, trial).is(t, 200).has(t, "x-ratelimit-limit-tokens", "1000000", "x-ratelimit-reset-tokens", "")
		g.accessLog.line(t, i)
	}
	denied := g.do(t, trial).is(t, 429).has(t, "retry-after", "", "retry-after-ms", "", "x-should-retry", "false",
		"x-ratelimit-remaining-tokens", "0", "x-ratelimit-reset-tokens", "")
	if p := denied.problem(t); p.Class != "quota" || p.Code != "insufficient_quota" || p.Type != "insufficient_quota" || p.RetryAfter != nil || p.ResetAt != "" {
		t.Errorf("problem %s", denied.body)
	}
	g.do(t, request{key: "another"}).is(t, 200)
}

// platform is the text of an example configuration.
func platform(t *testing.T, name string) string {
	t.Helper()
	root, err := envoy.Root()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(root, "examples", "platforms", name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// tenantByHeader puts a filter in front that says whose a request is. It takes
// x-org's word, where a real one would verify a token.
func tenantByHeader(b *envoy.Bootstrap) {
	type object = map[string]any
	b.Each("HttpConnectionManager", func(manager object) {
		manager["http_filters"] = append([]any{object{"name": "tenant", "typed_config": object{
			"@type": "type.googleapis.com/envoy.extensions.filters.http.set_filter_state.v3.Config",
			"on_request_headers": []any{object{
				"object_key": "wasm.tenant", "factory_key": "envoy.string", "skip_if_empty": true,
				"format_string": object{"omit_empty_values": true, "text_format_source": object{"inline_string": "%REQ(x-org)%"}},
			}},
		}}}, manager["http_filters"].([]any)...)
	})
}

// money is the error object of a refusal whose numbers are decimal.
func (r response) money(t *testing.T) (p struct {
	Type, Code, Class, Limit, Dimension string
	LimitValue                          float64 `json:"limit_value"`
	Remaining, Requested                float64
}) {
	t.Helper()
	r.read(t, &p)
	return p
}

// spend has so many requests admitted. One that finds the slots taken by streams
// that Envoy has not ended yet is sent again: it has left no charge.
func (g *gateway) spend(t *testing.T, n int, r request) {
	t.Helper()
	var left atomic.Int64
	left.Store(int64(n))
	var senders sync.WaitGroup
	deadline := time.Now().Add(patience)
	for range 4 {
		senders.Go(func() {
			for left.Add(-1) >= 0 {
				if err := g.admitted(t, r, deadline); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	senders.Wait()
	if t.Failed() {
		t.FailNow()
	}
}

func (g *gateway) admitted(t *testing.T, r request, deadline time.Time) error {
	for {
		res, err := g.try(t, r)
		switch {
		case err != nil || res.status == http.StatusOK:
			return err
		case res.status != http.StatusTooManyRequests || res.problem(t).Limit != "inflight" || time.Now().After(deadline):
			return fmt.Errorf("refused: %d %s", res.status, res.body)
		}
		time.Sleep(5 * time.Millisecond) // for the end of a stream, which Envoy does not announce
	}
}
