package main

import (
	"bytes"
	"compress/gzip"
	"strings"
	"testing"
	"time"

	"github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm/types"

	"sluice/internal/envoytest"
)

// pieces is an upstream that answers in pieces, the headers name after value.
func pieces(status int, headers []string, chunks ...string) envoytest.Upstream {
	return func(envoytest.Request) envoytest.Response {
		r := envoytest.Response{Status: status}
		for i := 0; i < len(headers); i += 2 {
			r.Headers = append(r.Headers, [2]string{headers[i], headers[i+1]})
		}
		for _, c := range chunks {
			r.Chunks = append(r.Chunks, []byte(c))
		}
		return r
	}
}

var (
	asJSON   = []string{"content-type", "application/json"}
	asEvents = []string{"content-type", "text/event-stream"}
)

func zipped(s string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	w.Write([]byte(s)) //nolint:errcheck // It writes to memory.
	w.Close()          //nolint:errcheck // It writes to memory.
	return b.String()
}

const (
	tpm = `{"error":{"message":"Rate limit reached for gpt-4o in organization org-SECRET on tokens per min (TPM): ` +
		`Limit 30000, Used 30000, Requested 600. Please try again in 1.2s.","type":"tokens","param":null,"code":"rate_limit_exceeded"}}`
	spent = `{"error":{"message":"You exceeded your current quota.","type":"insufficient_quota","param":null,"code":"insufficient_quota"}}`
)

// A refusal becomes the error of its class, however it comes.
func TestUpstreamRefusalsAreToldAnew(t *testing.T) {
	for name, c := range map[string]struct {
		upstream envoytest.Upstream
		status   int
		class    string
		headers  []string
	}{
		"in one piece": {pieces(429, asJSON, tpm), 429, "throttle",
			[]string{"retry-after", "2", "retry-after-ms", "1200", "x-should-retry", "true", "content-type", "application/json"}},
		"in pieces":  {pieces(429, asJSON, tpm[:10], tpm[10:70], tpm[70:]), 429, "throttle", []string{"retry-after-ms", "1200"}},
		"compressed": {pieces(429, append([]string{"content-encoding", "gzip"}, asJSON...), zipped(tpm)), 429, "throttle", []string{"retry-after-ms", "1200", "content-encoding", "-"}},
		"with trailers": {func(envoytest.Request) envoytest.Response {
			r := pieces(429, asJSON, tpm)(envoytest.Request{})
			r.Trailers = envoytest.Headers{{"x-end", "1"}}
			return r
		}, 429, "throttle", []string{"retry-after-ms", "1200"}},
		"no body": {pieces(429, []string{"retry-after", "7"}), 429, "throttle", []string{"retry-after", "7", "content-type", "application/json"}},
		"its length is stated": {pieces(429, append([]string{"content-length", "7"}, asJSON...), `{"a":1}`), 429, "throttle",
			[]string{"retry-after", "2"}},
		"a quota that says retry": {pieces(429, append([]string{"retry-after", "3600", "retry-after-ms", "3600000", "x-should-retry", "true"}, asJSON...), spent), 429, "quota",
			[]string{"retry-after", "-", "retry-after-ms", "-", "x-should-retry", "false"}},
		"an overload of another status": {pieces(529, asJSON, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`), 503, "overload",
			[]string{"retry-after", "2", "x-should-retry", "true"}},
		"the account": {pieces(429, append([]string{"openai-organization", "acme", "x-request-id", "r1"}, asJSON...), tpm), 429, "throttle",
			[]string{"openai-organization", "-", "x-request-id", "r1"}},
		"in a stream": {pieces(200, asEvents, "data: "+tpm+"\n\n", "data: [DONE]\n\n"), 429, "throttle",
			[]string{"retry-after-ms", "1200", "content-type", "application/json"}},
		"in a stream, named": {pieces(200, asEvents, "event: error\ndata: "+tpm+"\n\n"), 429, "throttle", []string{"retry-after-ms", "1200"}},
		"in an answer": {pieces(200, asJSON, `{"base_resp":{"status_code":1002,"status_msg":"rate limit"}}`), 429, "throttle",
			[]string{"retry-after", "2"}},
	} {
		t.Run(name, func(t *testing.T) {
			onBoth(t, func(t *testing.T, start starter) {
				g := start(t, withLimits("", `"limit":10`, `"dimension":"tokens","limit":10000`))
				host := "api.openai.com"
				if strings.Contains(name, "answer") {
					host = "api.minimax.io"
				}
				r := g.Do(with(chat(aKey, `"max_tokens":500`, `"stream":true`), ":authority", host), c.upstream)
				has(t, r, c.status, c.headers...)
				if p := problem(t, r); p["class"] != c.class || p["source"] != "upstream" {
					t.Errorf("error %v", p)
				}
				if bytes.Contains(r.Body, []byte("SECRET")) || bytes.Contains(r.Body, []byte("[DONE]")) {
					t.Errorf("the body is %s", r.Body)
				}
				if got := state(r, "class"); got != c.class {
					t.Errorf("class %q", got)
				}
				if state(r, "decision") != "allowed" {
					t.Errorf("decision %q", state(r, "decision"))
				}
				// The request counts, tokens do not.
				next := g.Do(chat(aKey, `"max_tokens":500`), ok)
				has(t, next, 200, "x-ratelimit-remaining", "8")
				if got := 10000 - remaining(t, next, "tokens") - number(t, state(next, "reserve_tokens")) - 500; got != 0 {
					t.Errorf("%d tokens were charged", got)
				}
			})
		})
	}
}

// What is no refusal passes byte for byte, and what has begun cannot be taken
// back.
func TestOtherAnswersPassAsTheyCame(t *testing.T) {
	long := strings.Repeat(" ", maxErrorBody) + tpm
	for name, c := range map[string]struct {
		status  int
		headers []string
		chunks  []string
		class   string // that is counted, though it passes
	}{
		"a bad request":              {400, asJSON, []string{`{"error":{"message":"no quota `, `for sk-abc","type":"invalid_request_error"}}`}, ""},
		"an unknown key":             {401, asJSON, []string{`{"error":{"code":"invalid_api_key"}}`}, ""},
		"a page":                     {404, []string{"content-type", "text/html"}, []string{"<html>", "</html>"}, ""},
		"a failure of the server":    {500, append([]string{"retry-after", "5"}, asJSON...), []string{`{"error":{"type":"server_error"}}`}, ""},
		"not read":                   {400, append([]string{"content-encoding", "br"}, asJSON...), []string{spent}, ""},
		"a stream":                   {200, asEvents, []string{"data: {\"choices\":[]}\n\n", "data: [DONE]\n\n"}, ""},
		"a stream in bytes":          {200, asEvents, strings.Split("data: {\"choices\":[]}\n\ndata: [DONE]\n\n", ""), ""},
		"a stream that waits":        {200, asEvents, []string{": wait\n\n", "data: {\"choices\":[]}\n\n"}, ""},
		"a refusal behind an answer": {200, asEvents, []string{"data: {\"choices\":[]}\n\n", "data: " + tpm + "\n\n"}, "throttle"},
		"a body too long to be read": {400, asJSON, []string{long[:100], long[100:]}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			onBoth(t, func(t *testing.T, start starter) {
				g := start(t, one(`"limit":10`))
				r := g.Do(chat(aKey, `"stream":true`), pieces(c.status, c.headers, c.chunks...))
				has(t, r, c.status, c.headers...)
				if got, want := string(r.Body), strings.Join(c.chunks, ""); got != want {
					t.Errorf("the body is %q, want %q", got, want)
				}
				if got := state(r, "class"); got != c.class {
					t.Errorf("class %q, want %q", got, c.class)
				}
			})
		})
	}
}

// What cannot be read passes, with the headers of what the status says.
func TestAnUnreadableRefusalKeepsItsBody(t *testing.T) {
	for name, c := range map[string][2]string{
		"another coding": {"br", "\x0b\x02\x80"},
		"no gzip":        {"gzip", "no gzip"},
	} {
		t.Run(name, func(t *testing.T) {
			onBoth(t, func(t *testing.T, start starter) {
				g := start(t, one(`"limit":10`))
				r := g.Do(chat(aKey), pieces(429, append([]string{"content-encoding", c[0]}, asJSON...), c[1]))
				has(t, r, 429, "retry-after", "2", "x-should-retry", "true", "content-encoding", c[0])
				if string(r.Body) != c[1] {
					t.Errorf("the body is %q", r.Body)
				}
			})
		})
	}
}

// The first event of a stream is passed on before the next one comes (P23).
func TestHeadersWaitForTheFirstBytesOnly(t *testing.T) {
	onBoth(t, func(t *testing.T, start starter) {
		g := start(t, one(`"limit":10`))
		s := g.NewStream(envoytest.StreamOptions{})
		request := chat(aKey, `"stream":true`)
		s.RequestHeaders(append(envoytest.Headers{{":authority", "h"}}, request.Headers...), false)
		s.RequestBody(request.Body, true)
		if s.ResponseHeaders(envoytest.Headers{{":status", "200"}, {"content-type", "text/event-stream"}}, false) != types.ActionPause {
			t.Error("the headers did not wait")
		}
		if s.ResponseBody([]byte("data: {\"choices\":"), false) != types.ActionContinue {
			t.Error("the first bytes did not go on")
		}
		if got := string(s.Result().Body); got != "data: {\"choices\":" {
			t.Errorf("the client has %q", got)
		}
		s.ResponseBody([]byte("[]}\n\n"), true)
		s.Done()
	})
}

// An upstream that stalls in its body, or never ends it, holds nobody up.
func TestHeadersDoNotWaitForLong(t *testing.T) {
	onBoth(t, func(t *testing.T, start starter) {
		g := start(t, one(`"limit":10`))
		has(t, g.Do(chat(aKey), ok), 200) // Envoy holds headers
		begin := func() *envoytest.Stream {
			s := g.NewStream(envoytest.StreamOptions{})
			request := chat(aKey, `"stream":true`)
			s.RequestHeaders(append(envoytest.Headers{{":authority", "api.openai.com"}}, request.Headers...), false)
			s.RequestBody(request.Body, true)
			return s
		}
		s := begin()
		s.ResponseHeaders(envoytest.Headers{{":status", "429"}, {"content-type", "application/json"}, {"retry-after", "5"}}, false)
		s.ResponseBody([]byte(" "), false)
		g.pass(replyPatience - time.Millisecond)
		g.Tick()
		if s.Result().Status != 0 {
			t.Error("it waited for less than it should")
		}
		g.pass(time.Second)
		g.Tick()
		s.ResponseBody([]byte(" the rest"), true)
		s.Done()
		r := s.Result()
		has(t, r, 429, "retry-after", "5", "x-should-retry", "true")
		if string(r.Body) != "  the rest" || state(r, "class") != "throttle" {
			t.Errorf("class %q, the body is %q", state(r, "class"), r.Body)
		}

		s = begin()
		s.ResponseHeaders(envoytest.Headers{{":status", "200"}, {"content-type", "text/event-stream"}}, false)
		s.ResponseBody([]byte(`data: {"error":`), false)
		g.pass(replyPatience)
		g.Tick()
		if s.Result().Status != 200 {
			t.Errorf("%+v", s.Result())
		}
		s.ResponseBody([]byte("{}}\n\n"), true)
		s.Done()
		if got := string(s.Result().Body); got != "data: {\"error\":{}}\n\n" {
			t.Errorf("the body is %q", got)
		}
	})
}

// An error that breaks off is counted, whatever Envoy makes of it.
func TestARefusalThatBreaksOffIsCounted(t *testing.T) {
	onBoth(t, func(t *testing.T, start starter) {
		g := start(t, one(`"limit":10`))
		r := g.Do(with(chat(aKey), ":authority", "api.openai.com"), func(envoytest.Request) envoytest.Response {
			r := pieces(429, asJSON, tpm[:20])(envoytest.Request{})
			r.Disconnect = true
			return r
		})
		if state(r, "class") != "throttle" {
			t.Errorf("class %q", state(r, "class"))
		}
		if n := g.counter("sluice_upstream_refused;provider=openai;class=throttle"); n != 1 {
			t.Errorf("%d were counted", n)
		}
	})
}

// Trailers tell no more of the account than headers, and end a stream whose
// usage is hidden without a byte lost.
func TestTrailersBehindAStream(t *testing.T) {
	onBoth(t, func(t *testing.T, start starter) {
		g := start(t, one(`"limit":10`))
		r := g.Do(with(chat(aKey, `"stream":true`), ":authority", "api.openai.com"), func(envoytest.Request) envoytest.Response {
			r := pieces(200, asEvents, "data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\n",
				"data: {\"choices\":[],\"usage\":{\"prompt_tokens\":7,\"completion_tokens\":16}}\n\n", "data: [DO", "NE]\n")(envoytest.Request{})
			r.Trailers = envoytest.Headers{{"x-end", "1"}, {"openai-organization", "acme"}, {"x-ratelimit-limit-requests", "5"}}
			return r
		})
		if got, want := string(r.Body), "data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\ndata: [DONE]\n"; got != want {
			t.Errorf("the client saw %q, want %q", got, want)
		}
		if len(r.Trailers) != 1 || r.Trailers[0][0] != "x-end" {
			t.Errorf("trailers %v", r.Trailers)
		}
		if state(r, "total_tokens") != "23" {
			t.Errorf("%s tokens", state(r, "total_tokens"))
		}
	})
}

// With admission by the headers nothing is held: what the headers tell is told
// anew, the body passes, and what is inside a 200 is counted.
func TestRefusalsThatCannotBeHeld(t *testing.T) {
	onBoth(t, func(t *testing.T, start starter) {
		g := start(t, early(`"limit":10`), unheld)
		chat := func() envoytest.Request { return with(chat(aKey), ":authority", "api.openai.com") }
		r := g.Do(chat(), pieces(429, append([]string{"retry-after-ms", "1500"}, asJSON...), spent))
		has(t, r, 429, "retry-after", "2", "retry-after-ms", "1500", "x-should-retry", "true", "content-type", "application/json")
		if string(r.Body) != spent {
			t.Errorf("the body is %s", r.Body)
		}
		has(t, g.Do(chat(), pieces(529, asJSON, `{}`)), 503, "retry-after", "2")
		r = g.Do(chat(), pieces(200, asEvents, "data: "+tpm+"\n\n"))
		has(t, r, 200)
		if state(r, "class") != "throttle" {
			t.Errorf("class %q", state(r, "class"))
		}
		if n := g.counter("sluice_upstream_refused;provider=openai;class=throttle"); n != 2 {
			t.Errorf("%d throttles were counted, want 2", n)
		}
	})
}

// An observer changes nothing, and knows.
func TestObservedRefusals(t *testing.T) {
	onBoth(t, func(t *testing.T, start starter) {
		g := start(t, withLimits(`"mode":"observe"`, `"limit":10`), unheld)
		headers := append([]string{"retry-after", "7", "x-ratelimit-remaining-tokens", "5", "openai-organization", "acme"}, asJSON...)
		r := g.Do(with(chat(aKey), ":authority", "api.openai.com"), pieces(429, headers, spent[:20], spent[20:]))
		has(t, r, 429, headers...)
		if string(r.Body) != spent || state(r, "class") != "quota" {
			t.Errorf("class %q, the body is %s", state(r, "class"), r.Body)
		}
		if n := g.counter("sluice_upstream_refused;provider=openai;class=quota"); n != 1 {
			t.Errorf("%d were counted", n)
		}
	})
}

// Each vendor's SDK gets the shape that it reads.
func TestRefusalsInTheirDialect(t *testing.T) {
	messages := with(post("/v1/messages", `{"model":"claude-x","max_tokens":5,"messages":[]}`), ":authority", "api.anthropic.com", "x-api-key", aKey)
	onBoth(t, func(t *testing.T, start starter) {
		g := start(t, one(`"limit":1,"window":"5s"`))
		r := g.Do(messages, pieces(529, asJSON, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`))
		has(t, r, 529, "retry-after", "2")
		if !bytes.HasPrefix(r.Body, []byte(`{"type":"error",`)) || problem(t, r)["type"] != "overloaded_error" {
			t.Errorf("the body is %s", r.Body)
		}
		r = g.Do(messages, ok) // the gateway's own
		has(t, r, 429, "retry-after", "5")
		if !bytes.HasPrefix(r.Body, []byte(`{"type":"error",`)) || problem(t, r)["type"] != "rate_limit_error" {
			t.Errorf("the body is %s", r.Body)
		}

		g = start(t, withLimits(`"errors":{"dialect":"openai"}`, `"limit":1`))
		r = g.Do(messages, pieces(529, asJSON, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`))
		has(t, r, 503)
		if problem(t, r)["type"] != "service_unavailable_error" {
			t.Errorf("the body is %s", r.Body)
		}
	})
}

// An upstream filter normalizes each attempt for the router, and counts nothing
// of the gateway's.
func TestAnUpstreamFilterNormalizes(t *testing.T) {
	onBoth(t, func(t *testing.T, start starter) {
		g := start(t, `{"role":"upstream"}`)
		for range 2 { // it has found out by the first that Envoy holds headers
			r := g.Do(with(chat(aKey), ":authority", "api.openai.com"),
				pieces(429, append([]string{"x-ratelimit-reset-tokens", "6m0s", "x-ratelimit-remaining-tokens", "0", "x-ratelimit-limit-tokens", "9"}, asJSON...), tpm))
			has(t, r, 429, "retry-after", "2", "x-envoy-ratelimited", "-", "x-ratelimit-reset-tokens", "360", "x-ratelimit-limit-tokens", "9")
			if p := problem(t, r); p["class"] != "throttle" || p["source"] != "upstream" || r.LocalReply {
				t.Errorf("error %v", p)
			}
			if len(r.FilterState) != 0 {
				t.Errorf("filter state %v", r.FilterState)
			}
		}
		has(t, g.Do(chat(aKey), pieces(429, asJSON, spent)), 429, "retry-after", "-", "x-envoy-ratelimited", "true", "x-should-retry", "false")
		has(t, g.Do(chat(aKey), pieces(529, asJSON, `{}`)), 503, "retry-after", "2")
		// A reply of Envoy's own would end the retries.
		if r := g.Do(chat(aKey), pieces(429, []string{"retry-after", "3s"})); r.LocalReply || r.Headers.Get("retry-after") != "3" {
			t.Errorf("%+v", r)
		}
		// Anthropic's too, in OpenAI's shape: the gateway shapes it for its client.
		r := g.Do(post("/v1/messages", `{"model":"c","messages":[]}`), pieces(529, asJSON, `{"type":"error","error":{"type":"overloaded_error"}}`))
		has(t, r, 503)
		if problem(t, r)["type"] != "service_unavailable_error" {
			t.Errorf("the body is %s", r.Body)
		}
	})
}

// An error does not hang where Envoy holds no headers: its body passes (P1).
func TestErrorsPassWhereNothingIsHeld(t *testing.T) {
	for _, config := range []string{`{}`, `{"admission":"body"}`, `{"role":"upstream"}`, `{"role":"upstream","admission":"body"}`} {
		t.Run(config, func(t *testing.T) {
			onBoth(t, func(t *testing.T, start starter) {
				g := start(t, config, unheld)
				r := g.Do(post("/v1/chat/completions", ""), pieces(529, asJSON, `{"a":1}`))
				has(t, r, 503, "retry-after", "2")
				if string(r.Body) != `{"a":1}` {
					t.Errorf("the body is %s", r.Body)
				}
			})
		})
	}
}

// P29: Envoy 1.36 crashes where its router retries what was held.
func TestAnUpstreamFilterHoldsNothingInAnOldEnvoy(t *testing.T) {
	onBoth(t, func(t *testing.T, start starter) {
		for minor, holds := range map[int64]bool{36: false, 37: true} {
			g := start(t, `{"role":"upstream"}`, func(o *envoytest.Options) {
				o.Properties = map[string]string{"xds.node.user_agent_build_version.version.minor_number": envoytest.Int(minor)}
			})
			r := g.Do(chat(aKey), pieces(429, append([]string{"retry-after", "1"}, asJSON...), spent))
			if held := r.Headers.Get("x-envoy-ratelimited") != ""; held != holds {
				t.Errorf("1.%d: %+v", minor, r)
			}
			if !holds {
				has(t, r, 429, "retry-after", "1")
				if string(r.Body) != spent {
					t.Errorf("1.%d: the body is %s", minor, r.Body)
				}
				has(t, g.Do(chat(aKey), pieces(529, asJSON, "{}")), 503)
			}
		}
	})
}

// What an upstream filter has told is taken as it stands.
func TestAGatewayTakesWhatAnUpstreamFilterTold(t *testing.T) {
	onBoth(t, func(t *testing.T, start starter) {
		up := start(t, `{"role":"upstream"}`)
		told := up.Do(with(chat(aKey), ":authority", "api.openai.com"), pieces(429, asJSON, tpm))
		g := start(t, one(`"limit":10`))
		r := g.Do(post("/v1/messages", `{"model":"c","messages":[]}`, "authorization", "Bearer "+aKey), func(envoytest.Request) envoytest.Response {
			return envoytest.Response{Status: told.Status, Headers: told.Headers.Without(":status"), Body: told.Body}
		})
		has(t, r, 429, "retry-after", "2", "retry-after-ms", "1200")
		p := problem(t, r)
		if p["class"] != "throttle" || p["dimension"] != "tokens" || p["provider"] != "openai" || !bytes.HasPrefix(r.Body, []byte(`{"type":"error"`)) {
			t.Errorf("the body is %s", r.Body)
		}
		if n := g.counter("sluice_upstream_refused;provider=openai;class=throttle"); n != 0 {
			t.Errorf("it is counted twice")
		}

		told = up.Do(chat(aKey), pieces(529, asJSON, `{"error":{"message":"busy"}}`))
		r = g.Do(chat(aKey), func(envoytest.Request) envoytest.Response {
			return envoytest.Response{Status: told.Status, Headers: told.Headers.Without(":status"), Body: told.Body}
		})
		has(t, r, 503)
		if upstream, _ := problem(t, r)["upstream"].(map[string]any); upstream["status"] != 529.0 {
			t.Errorf("the body is %s", r.Body)
		}
	})
}

// Where an upstream filter has not written the body, a header tells the class.
func TestTheClassIsToldBesideABodyOfAnothers(t *testing.T) {
	onBoth(t, func(t *testing.T, start starter) {
		up, g := start(t, `{"role":"upstream"}`), start(t, one(`"limit":10`))
		for name, c := range map[string]envoytest.Upstream{
			"no body":    pieces(429, []string{"retry-after", "86400"}),
			"a long one": pieces(429, append([]string{"retry-after", "86400"}, asJSON...), strings.Repeat(" ", maxErrorBody+1)),
		} {
			told := up.Do(chat(aKey), c)
			has(t, told, 429, "retry-after", "-", "x-sluice-class", "quota", "x-envoy-ratelimited", "true")
			r := g.Do(chat(aKey), func(envoytest.Request) envoytest.Response {
				return envoytest.Response{Status: told.Status, Headers: told.Headers.Without(":status"), Body: told.Body}
			})
			has(t, r, 429, "retry-after", "-", "x-should-retry", "false", "x-sluice-class", "-")
			if state(r, "class") != "quota" {
				t.Errorf("%s: class %q", name, state(r, "class"))
			}
		}
	})
}

// The upstream's limits join the gateway's, in one form.
func TestUpstreamLimitsJoin(t *testing.T) {
	upstream := pieces(200, append([]string{
		"x-ratelimit-limit-requests", "100", "x-ratelimit-remaining-requests", "2", "x-ratelimit-reset-requests", "1m30.5s",
		"x-ratelimit-limit-tokens", "30000", "x-ratelimit-remaining-tokens", "-1", "x-ratelimit-reset-tokens", "120ms",
		"anthropic-ratelimit-input-tokens-limit", "10", "anthropic-ratelimit-input-tokens-remaining", "9", "openai-organization", "acme",
		"ratelimit", "junk", "x-rate-limit-reset-tokens", "5"}, asJSON...), `{}`)
	for name, c := range map[string]struct {
		config string
		want   []string
	}{
		"merge": {``, []string{"x-ratelimit-limit", "100", "x-ratelimit-remaining", "2", "x-ratelimit-reset", "91", "x-ratelimit-limit-tokens", "-", "x-ratelimit-remaining-tokens", "-",
			"x-ratelimit-remaining-input-tokens", "9", "anthropic-ratelimit-input-tokens-limit", "10", "openai-organization", "-", "ratelimit", "-", "x-rate-limit-reset-tokens", "-"}},
		"hide": {`"headers":{"upstream":"hide","native":"drop"}`, []string{"x-ratelimit-limit", "10", "x-ratelimit-remaining", "9", "x-ratelimit-reset", "60",
			"x-ratelimit-remaining-input-tokens", "-", "anthropic-ratelimit-input-tokens-limit", "-"}},
		"only": {`"headers":{"upstream":"only","account":"keep","reset_format":"duration"}`, []string{"x-ratelimit-limit", "100", "x-ratelimit-reset", "1m31s",
			"openai-organization", "acme"}},
		"the draft": {`"headers":{"ietf":true,"reset_format":"unix"}`, []string{"x-ratelimit-reset", "1796040091"}},
	} {
		t.Run(name, func(t *testing.T) {
			onBoth(t, func(t *testing.T, start starter) {
				g := start(t, withLimits(c.config, `"limit":10`))
				r := g.Do(chat(aKey), upstream)
				has(t, r, 200, c.want...)
				if name == "the draft" && (!r.Headers.Has("ratelimit") || !r.Headers.Has("ratelimit-policy")) {
					t.Errorf("headers %v", r.Headers)
				}
			})
		})
	}
}

// What no limit of the gateway's refuses is refused by what is left of the
// provider's; the gateway's own refusal shows its own.
func TestAnOwnRefusalShowsTheLimitThatRefused(t *testing.T) {
	onBoth(t, func(t *testing.T, start starter) {
		g := start(t, withLimits(`"headers":{"upstream":"only"},"errors":{"max_client_wait":"10s","retry_jitter":"3s"}`, `"limit":1`))
		has(t, g.Do(chat(aKey), ok), 200, "x-ratelimit-limit", "-")
		r := g.Do(chat(aKey), ok)
		has(t, r, 429, "x-ratelimit-limit", "1", "x-ratelimit-remaining", "0", "x-should-retry", "false")
		if got := number(t, r.Headers.Get("retry-after-ms")); got < 60000 || got > 63000 {
			t.Errorf("it waits %d ms, want a minute and up to 3 s", got)
		}
	})
}

// noon as the tests above write it.
func TestNoon(t *testing.T) {
	if got := noon.Add(91 * time.Second).Unix(); got != 1796040091 {
		t.Errorf("%d", got)
	}
}
