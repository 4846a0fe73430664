package e2e

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"sluice/e2e/envoy"
	"sluice/e2e/fakellm"
)

// A provider that stalls in a refusal, or goes on behind one, holds no client up.
func TestProvidersThatStall(t *testing.T) {
	t.Run("in an error's body", func(t *testing.T) {
		g := startGateway(t, setup{config: limitAll("requests", 100)})
		g.do(t, request{}).is(t, 200)
		g.provider.Next(fakellm.Script{Status: 429, Header: http.Header{"Content-Type": {"application/json"}, "Retry-After": {"5"}},
			Parts: []string{`{"error": {`, `}}`}, Gate: make(chan struct{})})
		res, err := g.open(t, request{})
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		response{res.StatusCode, res.Header, ""}.is(t, 429).has(t, "retry-after", "5", "x-should-retry", "true", "x-ratelimit-remaining-requests", "98")
	})
	t.Run("behind an error in a stream", func(t *testing.T) {
		g := startGateway(t, setup{config: limitAll("requests", 100)})
		g.do(t, request{}).is(t, 200)
		g.provider.Next(fakellm.Script{Header: http.Header{"Content-Type": {"text/event-stream"}},
			Parts: []string{"data: {\"error\":{\"type\":\"server_error\",\"code\":\"server_is_overloaded\",\"message\":\"Overloaded\"}}\n\n", "data: [DONE]\n\n"}, Gate: make(chan struct{})})
		r := g.do(t, request{body: chat(`"stream":true`)}).is(t, 503).has(t, "retry-after", "2", "x-ratelimit-remaining-requests", "98")
		if p := r.problem(t); p.Class != "overload" || p.Source != "upstream" {
			t.Errorf("problem %s", r.body)
		}
		g.await(t, func(seen []fakellm.Request) bool { return len(seen) == 2 && seen[1].Canceled })
		g.do(t, request{}).is(t, 200).has(t, "x-ratelimit-remaining-requests", "97")
	})
}

// With admission by bodies, an Envoy that does not show them makes an internal
// failure of each request, and a hang of none.
func TestBodiesThatEnvoyDoesNotShow(t *testing.T) {
	g := startGateway(t, setup{
		concurrency: 1,
		config:      `{"admission": "body", "on_error": "deny", "limits": []}`,
		edit: func(b *envoy.Bootstrap) {
			for _, w := range b.Wasm() {
				delete(w, "allow_on_headers_stop_iteration")
			}
		},
		expect: "internal error: hold",
	})
	r := g.do(t, request{}).is(t, 500)
	var body struct{ Error struct{ Code string } }
	if err := json.Unmarshal([]byte(r.body), &body); err != nil || body.Error.Code != "internal_error" {
		t.Errorf("%v: %s", err, r.body)
	}
	if n := g.provider.Count(); n != 0 {
		t.Errorf("the provider saw %d requests", n)
	}
}

// A stream whose usage is hidden loses no byte where trailers end it.
func TestTrailersEndAHiddenStream(t *testing.T) {
	g := startGateway(t, setup{config: `{"providers": [{"authority": "*", "provider": "openai"}], "limits": []}`})
	const kept = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Hi\"}}]}\n\n"
	g.provider.Next(fakellm.Script{Header: http.Header{"Content-Type": {"text/event-stream"}},
		Parts:   []string{kept, "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":70,\"completion_tokens\":9}}\n\n", "data: [DONE]\n"},
		Trailer: http.Header{"X-Checksum": {"1"}}})
	r := g.do(t, request{body: chat(`"stream":true`)}).is(t, 200)
	if r.body != kept+"data: [DONE]\n" {
		t.Errorf("the client saw %q", r.body)
	}
	g.await(t, func(seen []fakellm.Request) bool {
		return len(seen) == 1 && strings.Contains(string(seen[0].Body), `"include_usage":true`)
	})
	g.accessLog.line(t, 0).has(t, "total_tokens", "79", "usage_source", "reported")
}
