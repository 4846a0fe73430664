package e2e

import (
	"context"
	"io"
	"maps"
	"net/http"
	"strings"
	"testing"
	"time"

	"sluice/e2e/envoy"
	"sluice/e2e/fakellm"
)

// However a stream ends, its slot is free again, and its limits are charged what
// it has used: in every API format.
func TestEveryStreamEndGivesTheSlotBack(t *testing.T) {
	g := startGateway(t, setup{own: true, edit: badEnds, config: `{
		"reserve": {"learn": false},
		"attributes": {"once": {"headers": ["x-once"]}},
		"limits": [
			{"name": "inflight", "scope": ["key"], "dimension": "concurrency", "limit": 1},
			{"name": "rpm", "scope": ["key"], "dimension": "requests", "limit": 1000, "window": "1h"},
			{"name": "tpm", "scope": ["key"], "dimension": "tokens", "limit": 100000, "window": "1h"},
			{"name": "once", "scope": ["once"], "dimension": "requests", "limit": 1, "window": "1h", "on_missing": "skip"}]}`})

	for _, format := range []struct {
		name, path string
		reports    bool // The fake provider answers it with usage.
	}{
		{"chat", "/v1/chat/completions", true},
		{"responses", "/v1/responses", false},
		{"anthropic", "/v1/messages", false},
		{"gemini", "/v1beta/models/gemini-2.5-pro:streamGenerateContent", false},
		{"bedrock", "/model/anthropic.claude-sonnet-4-20250514-v1:0/converse-stream", false},
		{"dashscope", "/api/v1/services/aigc/text-generation/generation", false},
	} {
		t.Run(format.name, func(t *testing.T) {
			g := &gatewayAt{g, format.path}
			reserved := 100_000 - g.probe(t, format.name).number(t, "x-ratelimit-remaining-tokens")
			if reserved < 100 {
				t.Fatalf("%d tokens are reserved for the probe", reserved)
			}
			for _, end := range streamEnds {
				t.Run(end.name, func(t *testing.T) {
					key := format.name + " " + end.name
					end.run(t, g, key)
					probe := g.probe(t, key)
					requests := 999 - probe.number(t, "x-ratelimit-remaining-requests")
					tokens := 100_000 - reserved - probe.number(t, "x-ratelimit-remaining-tokens")
					if requests != end.requests {
						t.Errorf("%d requests are counted, want %d", requests, end.requests)
					}
					good := tokens > 0 && tokens <= reserved
					switch {
					case end.tokens == nothing:
						good = tokens == 0
					case end.tokens == reservation:
						good = tokens == reserved
					case end.tokens == reported && format.reports:
						good = tokens == 100
					}
					if !good {
						t.Errorf("%d tokens are counted, where %d were reserved", tokens, reserved)
					}
				})
			}
		})
	}
}

// What an end leaves of the tokens that were reserved.
const (
	nothing     = iota
	something   // not known for sure, but no more than was reserved
	reported    // the usage that the provider reports
	reservation // all: nobody knows what the provider has done
)

var streamEnds = []struct {
	name     string
	run      func(t *testing.T, g *gatewayAt, key string)
	requests int
	tokens   int
}{
	{"answered with JSON", answered(``), 1, reported},
	{"answered with events", answered(`"stream":true`), 1, something},
	{"upstream error", refusedWith(500, "x-fake-status", "500"), 1, nothing},
	{"upstream resets", broken(fakellm.Script{Chunks: 4, CutAfter: 2}), 1, something},
	{"upstream resets a stream", broken(fakellm.Script{Parts: []string{"data: {}\n\n", "data: {}\n\n"}, CutAfter: 1}), 1, something},
	{"client leaves before the answer", leftBefore, 1, reservation},
	{"client leaves within the answer", leftWithin, 1, something},
	{"refused by another limit", func(t *testing.T, g *gatewayAt, key string) {
		once := http.Header{"X-Once": {key}}
		g.send(t, "other "+key, "", once).is(t, 200)
		if p := g.send(t, key, "", once).is(t, 429); p.header.Get("retry-after") == "" {
			t.Errorf("refused without a wait: %v", p.header)
		}
	}, 0, nothing},
	{"refused by another filter", refusedWith(403, "x-deny", "1"), 0, nothing},
	{"answered by a route", refusedWith(418, "x-route", "direct"), 0, nothing},
	{"no route", refusedWith(404, "x-route", "none"), 0, nothing},
	{"no healthy upstream", refusedWith(503, "x-route", "empty"), 0, nothing},
	{"connection refused", refusedWith(503, "x-route", "closed"), 0, nothing},
	{"upstream is too slow", func(t *testing.T, g *gatewayAt, key string) {
		g.provider.Next(fakellm.Script{Delay: time.Hour})
		g.send(t, key, "", http.Header{"X-Route": {"slow"}}).is(t, 504)
	}, 1, nothing},
	{"unauthorized", refusedWith(401, "x-fake-status", "401"), 0, nothing},
	{"forbidden", refusedWith(403, "x-fake-status", "403"), 0, nothing},
	{"request trailers", trailed, 1, reported},
}

// badEnds adds what a gateway needs to end streams badly: a filter behind Sluice
// that refuses, and routes to nowhere, by x-route.
func badEnds(b *envoy.Bootstrap) {
	type object = map[string]any
	clusters := b.Tree["static_resources"].(object)
	for name, endpoints := range map[string][]any{
		"empty": {},
		// Nothing can listen on port 1 but by the administrator's will.
		"closed": {object{"lb_endpoints": []any{object{"endpoint": object{
			"address": object{"socket_address": object{"address": "127.0.0.1", "port_value": 1}}}}}}},
	} {
		clusters["clusters"] = append(clusters["clusters"].([]any), object{
			"name": name, "type": "STATIC", "connect_timeout": "5s",
			"load_assignment": object{"cluster_name": name, "endpoints": endpoints},
		})
	}
	b.Each("HttpConnectionManager", func(manager object) {
		// After a reset Envoy would keep the client waiting for a second.
		manager["delayed_close_timeout"] = "0s"
		deny := object{"name": "deny", "typed_config": object{
			"@type": "type.googleapis.com/envoy.extensions.filters.http.rbac.v3.RBAC",
			"rules": object{"action": "DENY", "policies": object{"marked": object{
				"permissions": []any{object{"header": object{"name": "x-deny", "present_match": true}}},
				"principals":  []any{object{"any": true}},
			}}},
		}}
		filters := manager["http_filters"].([]any)
		last := len(filters) - 1
		manager["http_filters"] = append(append(append([]any{}, filters[:last]...), deny), filters[last])

		host := manager["route_config"].(object)["virtual_hosts"].([]any)[0].(object)
		whole := host["routes"].([]any)[0].(object)["route"].(object)
		slow := maps.Clone(whole)
		slow["timeout"] = "0.2s"
		on := func(name string, action string, to object) any {
			return object{action: to, "match": object{"prefix": "/",
				"headers": []any{object{"name": "x-route", "string_match": object{"exact": name}}}}}
		}
		host["routes"] = []any{
			on("direct", "direct_response", object{"status": 418}),
			on("empty", "route", object{"cluster": "empty"}),
			on("closed", "route", object{"cluster": "closed"}),
			on("slow", "route", slow),
			object{"route": whole, "match": object{"prefix": "/",
				"headers": []any{object{"name": "x-route", "present_match": true, "invert_match": true}}}},
		}
	})
}

// gatewayAt is a gateway that is spoken to in one API format.
type gatewayAt struct {
	*gateway
	path string
}

// usageOf100 lets the provider report that many tokens.
var usageOf100 = http.Header{"X-Fake-Prompt-Tokens": {"70"}, "X-Fake-Completion-Tokens": {"30"}}

func (g *gatewayAt) request(key, more string, header http.Header) request {
	all := maps.Clone(usageOf100)
	maps.Copy(all, header)
	fields := []string{`"max_tokens":100`}
	if more != "" {
		fields = append(fields, more)
	}
	return request{path: g.path, key: key, body: chat(fields...), header: all}
}

func (g *gatewayAt) send(t *testing.T, key, more string, header http.Header) response {
	t.Helper()
	return g.do(t, g.request(key, more, header))
}

// probe is a request that is to be admitted now that the stream before it has
// ended. Envoy ends a stream some time after its client has seen the end, and
// announces nothing; what was refused meanwhile leaves no charge.
func (g *gatewayAt) probe(t *testing.T, key string) response {
	t.Helper()
	deadline := time.Now().Add(patience)
	for {
		res := g.send(t, key, "", nil)
		if res.status == http.StatusOK {
			return res
		}
		if p := res.is(t, 429).problem(t); p.Limit != "inflight" && !strings.Contains(res.body, "inflight") {
			t.Fatalf("refused by another limit: %s", res.body)
		}
		if time.Now().After(deadline) {
			t.Fatalf("the slot is not free: %s", res.body)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

func answered(more string) func(*testing.T, *gatewayAt, string) {
	return func(t *testing.T, g *gatewayAt, key string) { g.send(t, key, more, nil).is(t, 200) }
}

func refusedWith(status int, header, value string) func(*testing.T, *gatewayAt, string) {
	return func(t *testing.T, g *gatewayAt, key string) {
		g.send(t, key, "", http.Header{http.CanonicalHeaderKey(header): {value}}).is(t, status)
	}
}

// broken is an answer that ends before its end.
func broken(s fakellm.Script) func(*testing.T, *gatewayAt, string) {
	return func(t *testing.T, g *gatewayAt, key string) {
		g.provider.Next(s)
		if res, err := g.try(t, g.request(key, "", nil)); err == nil {
			t.Errorf("the answer is whole: %d %s", res.status, res.body)
		}
	}
}

func leftBefore(t *testing.T, g *gatewayAt, key string) {
	g.provider.Forget()
	g.provider.Next(fakellm.Script{Delay: time.Hour})
	ctx, leave := context.WithCancel(t.Context())
	gone := make(chan error, 1)
	go func() { gone <- g.openAndDrain(ctx, key) }()
	g.await(t, func(seen []fakellm.Request) bool { return len(seen) == 1 && seen[0].Read })
	leave()
	if err := <-gone; err == nil {
		t.Error("there was an answer")
	}
	g.await(t, func(seen []fakellm.Request) bool { return seen[0].Canceled })
}

func leftWithin(t *testing.T, g *gatewayAt, key string) {
	g.provider.Forget()
	g.provider.Next(fakellm.Script{Parts: []string{"data: {}\n\n", "data: [DONE]\n\n"}, Gate: make(chan struct{})})
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	res, err := g.begin(ctx, key)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if _, err := io.ReadFull(res.Body, make([]byte, 8)); err != nil || res.StatusCode != 200 {
		t.Fatalf("%s: %v", res.Status, err)
	}
	// While it lasts, the slot is taken.
	g.send(t, key, "", nil).is(t, 429)
	leave()
	g.await(t, func(seen []fakellm.Request) bool { return seen[0].Canceled })
}

// begin sends a request that can be left.
func (g *gatewayAt) begin(ctx context.Context, key string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, g.url+g.path, strings.NewReader(chat(`"max_tokens":100`)))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+key)
	req.Header.Set("Content-Type", "application/json")
	return g.client.Do(req)
}

func (g *gatewayAt) openAndDrain(ctx context.Context, key string) error {
	res, err := g.begin(ctx, key)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	_, err = io.Copy(io.Discard, res.Body)
	return err
}

func trailed(t *testing.T, g *gatewayAt, key string) {
	r := g.request(key, "", nil)
	// Of a length that is not known beforehand, or there are no trailers.
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, g.url+g.path, io.MultiReader(strings.NewReader(r.body)))
	if err != nil {
		t.Fatal(err)
	}
	maps.Copy(req.Header, r.header)
	req.Header.Set("Authorization", "Bearer "+key)
	req.Header.Set("Content-Type", "application/json")
	req.Trailer = http.Header{"X-Checksum": {"abc"}}
	res, err := http2(t).RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if _, err := io.Copy(io.Discard, res.Body); err != nil || res.StatusCode != 200 {
		t.Fatalf("%s: %v", res.Status, err)
	}
}
