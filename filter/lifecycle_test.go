package main

import (
	"maps"
	"strconv"
	"strings"
	"testing"
	"time"

	"sluice/internal/envoytest"
)

func TestAnAdmittedChatShowsWhatIsLeftAndIsSettled(t *testing.T) {
	onBoth(t, func(t *testing.T, start starter) {
		g := start(t, withLimits("", `"name":"rpm","limit":3`, `"name":"tpm","dimension":"tokens","limit":10000,"window":"2m"`))

		first := g.Do(chat(aKey, `"max_tokens":500`), usage(7, 16))
		estimate := number(t, state(first, "reserve_tokens"))
		if estimate < 1 || estimate > 50 {
			t.Errorf("the prompt is estimated at %d tokens", estimate)
		}
		has(t, first, 200,
			"x-ratelimit-limit-requests", "3", "x-ratelimit-remaining-requests", "2", "x-ratelimit-reset-requests", "60",
			"x-ratelimit-limit", "3", "x-ratelimit-remaining", "2", "x-ratelimit-reset", "60",
			"x-ratelimit-limit-tokens", "10000", "x-ratelimit-remaining-tokens", strconv.Itoa(10000-estimate-500), "x-ratelimit-reset-tokens", "120",
			"retry-after", "-", "x-should-retry", "-")
		if first.Upstream == nil || string(first.Upstream.Body) != string(chat(aKey, `"max_tokens":500`).Body) {
			t.Errorf("the upstream saw %+v", first.Upstream)
		}

		// 23 tokens were used, whatever was reserved.
		g.pass(10*time.Second + time.Millisecond)
		second := g.Do(chat(aKey, `"max_tokens":500`), usage(7, 16))
		has(t, second, 200,
			"x-ratelimit-remaining-requests", "1", "x-ratelimit-reset-requests", "50", // 49.999 s, rounded up
			"x-ratelimit-remaining-tokens", strconv.Itoa(10000-23-estimate-500), "x-ratelimit-reset-tokens", "110")

		// Another key has counters of its own.
		has(t, g.Do(chat(anotherKey), usage(7, 16)), 200, "x-ratelimit-remaining-requests", "2")
	})
}

func TestUpstreamRateLimitHeadersNeverPass(t *testing.T) {
	upstream := answers(200, "{}", "x-ratelimit-limit-requests", "junk", "x-ratelimit-remaining-tokens", "-1",
		"x-ratelimit-limit", "9, 9;w=1", "x-ratelimit-limit", "10", "x-ratelimit-reset-input-tokens", "6m0s", "x-request-id", "r1")
	onBoth(t, func(t *testing.T, start starter) {
		for name, config := range map[string]string{"limited": one(`"limit":5`), "without limits": ""} {
			t.Run(name, func(t *testing.T) {
				g := start(t, config)
				limit := "5"
				if config == "" {
					limit = "-"
				}
				for _, status := range []int{200, 429} {
					r := g.Do(chat(aKey), func(r envoytest.Request) envoytest.Response {
						answer := upstream(r)
						answer.Status = status
						return answer
					})
					has(t, r, status, "x-ratelimit-limit-requests", limit, "x-ratelimit-limit", limit,
						"x-ratelimit-remaining-tokens", "-", "x-ratelimit-reset-input-tokens", "-", "x-request-id", "r1")
				}
			})
		}
	})
}

// Of several limits on one dimension the tightest is shown.
func TestTheMostRestrictiveLimitIsShown(t *testing.T) {
	onBoth(t, func(t *testing.T, start starter) {
		g := start(t, withLimits("", `"limit":10`, `"limit":4,"scope":[],"window":"1h"`, `"limit":7,"window":"1s"`))
		has(t, g.Do(chat(aKey), ok), 200, "x-ratelimit-limit", "4", "x-ratelimit-remaining", "3", "x-ratelimit-reset", "3600")
	})
}

// P3, P5, P7, §6: what is no model call, or not readable, passes as it came.
func TestOddRequestsPassAsTheyCame(t *testing.T) {
	gzip := "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\xab\x56\xca\xcd\x4f\x49\xcd\x51\xb2\x52\xca\x55\xaa\x05\x00"
	post := func(body string, headers ...string) envoytest.Request {
		return post("/v1/chat/completions", body, append(headers, "authorization", "Bearer "+aKey)...)
	}
	chunked := func(end bool, trailers envoytest.Headers, chunks ...string) envoytest.Request {
		r := post("")
		for _, c := range chunks {
			r.Chunks = append(r.Chunks, []byte(c))
		}
		r.EndWithChunk, r.Trailers = end, trailers
		return r
	}
	trailers := envoytest.Headers{{"x-checksum", "1"}}
	whole := string(chat(aKey).Body)
	for name, c := range map[string]struct {
		request envoytest.Request
		model   bool // counted as a model call
	}{
		"GET":                        {get("/v1/models", "authorization", "Bearer "+aKey), false},
		"HEAD":                       {with(get("/v1/models", "authorization", "Bearer "+aKey), ":method", "HEAD"), false},
		"empty body":                 {post(""), false},
		"empty body in a chunk":      {chunked(true, nil, ""), false},
		"empty body, trailers":       {chunked(false, trailers), false},
		"not JSON":                   {post("hello there"), true},
		"gzip":                       {post(gzip, "content-encoding", "gzip"), true},
		"gzip, unnamed":              {post(gzip), true},
		"truncated JSON":             {post(whole[:40]), true},
		"deep JSON":                  {post(strings.Repeat("[", 100_000)), true},
		"deep JSON with a model":     {post(`{"model":"m","x":` + strings.Repeat(`{"a":`, 50_000)), true},
		"huge numbers":               {post(`{"model":"m","prompt":"x","seed":1e999,"n":-9223372036854775809}`), true},
		"invalid UTF-8":              {post("{\"model\":\"\xff\xfe\",\"prompt\":\"\xc3\"}"), true},
		"an array":                   {post(`[1,2,3]`), true},
		"multipart":                  {post("--x\r\ncontent-disposition: form-data; name=\"a\"\r\n\r\nb\r\n--x--\r\n", "content-type", "multipart/form-data; boundary=x"), true},
		"chunks, the last empty":     {chunked(false, nil, whole[:9], whole[9:20], whole[20:]), true},
		"chunks, the last has data":  {chunked(true, nil, whole[:9], whole[9:20], whole[20:]), true},
		"chunks of one byte":         {chunked(false, nil, strings.Split(whole, "")...), true},
		"trailers":                   {chunked(false, trailers, whole[:9], whole[9:]), true},
		"PUT of the same":            {with(post(whole), ":method", "PUT"), false},
		"a known path with no model": {post(`{}`), false},
	} {
		for _, admission := range []string{"body", "headers"} {
			t.Run(name+"/"+admission, func(t *testing.T) {
				onBoth(t, func(t *testing.T, start starter) {
					g := start(t, withLimits(`"admission":"`+admission+`"`, `"limit":5`, `"dimension":"tokens","limit":1000000`))
					r := g.Do(c.request, ok)
					has(t, r, 200, "x-ratelimit-remaining", "4")
					want := string(c.request.Body)
					for _, chunk := range c.request.Chunks {
						want += string(chunk)
					}
					if r.Upstream == nil || string(r.Upstream.Body) != want || len(r.Upstream.Trailers) != len(c.request.Trailers) {
						t.Errorf("the upstream saw %+v", r.Upstream)
					}
					if got := state(r, "reserve_tokens") != "0"; got != c.model {
						t.Errorf("reserve_tokens is %s, a model call: %t", state(r, "reserve_tokens"), c.model)
					}
					if logs := g.Logs(envoytest.Error); len(logs) > 0 {
						t.Errorf("logs %v", logs)
					}
				})
			})
		}
	}
}

// Headers alone may begin a response, or end it; the body may come in any
// pieces, and trailers behind it.
func TestAnyShapeOfAnswerPassesAndIsSettledOnce(t *testing.T) {
	whole := string(usage(7, 16)(envoytest.Request{}).Body)
	pieces := func(end bool, trailers envoytest.Headers, chunks ...string) envoytest.Response {
		r := envoytest.Response{Headers: envoytest.Headers{{"content-type", "application/json; charset=utf-8"}}, EndWithChunk: end, Trailers: trailers}
		for _, c := range chunks {
			r.Chunks = append(r.Chunks, []byte(c))
		}
		return r
	}
	trailers := envoytest.Headers{{"x-end", "1"}}
	const kept = -1 // the reservation stands
	for name, c := range map[string]struct {
		response envoytest.Response
		used     int
	}{
		"one piece":                      {pieces(false, nil, whole), 23},
		"its end in the piece":           {pieces(true, nil, whole), 23},
		"pieces":                         {pieces(false, nil, whole[:5], whole[5:50], whole[50:]), 23},
		"single bytes":                   {pieces(false, nil, strings.Split(whole, "")...), 23},
		"trailers":                       {pieces(false, trailers, whole[:5], whole[5:]), 23},
		"204":                            {envoytest.Response{Status: 204}, kept},
		"no body":                        {pieces(false, nil), kept},
		"no usage":                       {pieces(false, nil, `{"choices":[]}`), kept},
		"a negative usage":               {pieces(false, nil, `{"usage":{"prompt_tokens":-7,"completion_tokens":-1}}`), kept},
		"an absurd usage":                {pieces(false, nil, `{"usage":{"prompt_tokens":1e300,"completion_tokens":9223372036854775807}}`), kept},
		"no JSON":                        {pieces(false, nil, `usage`), kept},
		"an unknown encoding":            {envoytest.Response{Headers: envoytest.Headers{{"content-encoding", "br"}, {"content-type", "application/json"}}, Body: []byte(whole)}, kept},
		"101":                            {envoytest.Response{Status: 101}, kept},
		"the client leaves":              {envoytest.Response{Headers: envoytest.Headers{{"content-type", "application/json"}}, Chunks: [][]byte{[]byte(whole[:20])}, Disconnect: true}, kept},
		"the client leaves in the usage": {envoytest.Response{Headers: envoytest.Headers{{"content-type", "application/json"}}, Chunks: [][]byte{[]byte(whole[:len(whole)-30])}, Disconnect: true}, kept},
		"an error":                       {envoytest.Response{Status: 500, Body: []byte(whole)}, 0},
		"an upstream's refusal":          {envoytest.Response{Status: 429, Body: []byte(`{"error":{}}`)}, 0},
		"the request was faulty":         {envoytest.Response{Status: 400, Body: []byte(`{"error":{}}`)}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			onBoth(t, func(t *testing.T, start starter) {
				g := start(t, withLimits("", `"limit":10`, `"dimension":"tokens","limit":10000`))
				request := chat(aKey, `"max_tokens":500`)
				r := g.Do(request, func(envoytest.Request) envoytest.Response { return c.response })
				want := string(c.response.Body)
				for _, chunk := range c.response.Chunks {
					want += string(chunk)
				}
				if c.response.Status == 429 { // it is told in our words
					if p := problem(t, r); p["class"] != "throttle" || p["source"] != "upstream" {
						t.Errorf("error %v", p)
					}
				} else if string(r.Body) != want || len(r.Trailers) != len(c.response.Trailers) {
					t.Errorf("the client got %+v", r)
				}
				used := c.used
				if used == kept {
					used = number(t, state(r, "reserve_tokens")) + 500
				}
				next := g.Do(request, ok)
				has(t, next, 200, "x-ratelimit-remaining", "8") // the request itself always counts
				if got := 10000 - remaining(t, next, "tokens") - number(t, state(next, "reserve_tokens")) - 500; got != used {
					t.Errorf("%d tokens were charged, want %d", got, used)
				}
				source := map[int]string{kept: "estimated", 23: "reported", 0: "none"}[c.used]
				if got := state(r, "usage_source"); got != source {
					t.Errorf("the usage's source is %s, want %s", got, source)
				}
			})
		})
	}
}

// P10, P27, P38: what reached no upstream is as if it had never come.
func TestWhatReachedNoUpstreamIsRefundedWholly(t *testing.T) {
	config := withLimits("", `"limit":10`, `"dimension":"tokens","limit":10000`)
	onBoth(t, func(t *testing.T, start starter) {
		local := func(status int, details string) envoytest.Upstream {
			return func(envoytest.Request) envoytest.Response {
				return envoytest.Response{Status: status, Body: []byte("no"), CodeDetails: details}
			}
		}
		for name, c := range map[string]struct {
			status   int
			details  string
			upstream string // its address, if one was chosen
			flags    int64  // of the response
			left     string // of requests, after the next one
		}{
			"another filter refused":          {403, "ext_authz_denied", "", 0, "9"},
			"the global rate limit refused":   {429, "request_rate_limited", "", 0, "9"},
			"no route":                        {404, "route_not_found", "", 0x200, "9"},
			"no healthy host":                 {503, "no_healthy_upstream", "", 0x2, "9"},
			"the upstream did not answer":     {504, "response_timeout", "192.0.2.1:443", 0x4, "8"},
			"the connection was refused":      {503, "upstream_reset_before_response_started", "192.0.2.1:443", 0x20, "9"},
			"the upstream broke the exchange": {503, "upstream_reset_before_response_started", "192.0.2.1:443", 0x10, "8"},
		} {
			t.Run(name, func(t *testing.T) {
				g := start(t, config)
				request := chat(aKey, `"max_tokens":500`)
				if c.upstream != "" {
					request.Properties = map[string]string{"upstream.address": c.upstream, "response.flags": envoytest.Int(c.flags)}
				}
				r := g.Do(request, local(c.status, c.details))
				if r.Status != c.status || string(r.Body) != "no" {
					t.Errorf("the client got %+v", r)
				}
				next := g.Do(chat(aKey, `"max_tokens":500`), ok)
				has(t, next, 200, "x-ratelimit-remaining", c.left,
					"x-ratelimit-remaining-tokens", strconv.Itoa(10000-500-number(t, state(next, "reserve_tokens"))))
			})
		}

		t.Run("the client left before it was sent", func(t *testing.T) {
			g := start(t, config)
			s := g.NewStream(envoytest.StreamOptions{})
			r := chat(aKey)
			s.RequestHeaders(append(r.Headers, [2]string{"content-length", "1000"}), false)
			s.RequestBody(r.Body[:10], false)
			s.Disconnect()
			has(t, g.Do(chat(aKey), ok), 200, "x-ratelimit-remaining", "9")
			if got := state(s.Result(), "decision"); got != "" {
				t.Errorf("the decision is %q: none was made", got)
			}
			if got := g.counter("sluice_requests;decision=allowed;provider=openai_compatible;model=other"); got != 1 {
				t.Errorf("%d requests are counted as allowed, want the second only", got)
			}
		})

		t.Run("the client left while it waited for the answer", func(t *testing.T) {
			g := start(t, config)
			s := g.NewStream(envoytest.StreamOptions{Properties: map[string]string{"upstream.address": "192.0.2.1:443"}})
			r := chat(aKey, `"max_tokens":500`)
			s.RequestHeaders(r.Headers, false)
			s.RequestBody(r.Body, true)
			s.Disconnect()
			next := g.Do(r, ok)
			has(t, next, 200, "x-ratelimit-remaining", "8", "x-ratelimit-remaining-tokens", strconv.Itoa(10000-2*(500+number(t, state(next, "reserve_tokens")))))
		})

		t.Run("Envoy refused it before the filter saw it", func(t *testing.T) {
			g := start(t, config)
			s := g.NewStream(envoytest.StreamOptions{})
			s.Done()
			if states := s.FilterState(); len(states) > 0 {
				t.Errorf("filter state %v", states)
			}
		})

		t.Run("Envoy's own buffer was too small", func(t *testing.T) {
			g := start(t, config, func(o *envoytest.Options) { o.BufferLimit = 100 })
			r := chat(aKey, `"user":"`+strings.Repeat("x", 200)+`"`)
			r.Chunks, r.Body = [][]byte{r.Body}, nil
			has(t, g.Do(r, unasked(t)), 413)
			has(t, g.Do(keyed("authorization", "Bearer "+aKey), ok), 200, "x-ratelimit-remaining", "9")
		})
	})
}

// A refund belongs to the window that was charged.
func TestARefundNeverTouchesALaterWindow(t *testing.T) {
	onBoth(t, func(t *testing.T, start starter) {
		g := start(t, one(`"dimension":"tokens","limit":10000`))
		request := chat(aKey, `"max_tokens":500`)
		slow := g.NewStream(envoytest.StreamOptions{})
		slow.RequestHeaders(request.Headers, false)
		slow.RequestBody(request.Body, true)

		g.pass(time.Minute)
		fresh := g.Do(request, answers(200, `{}`)) // keeps its reservation
		left := remaining(t, fresh, "tokens")

		answer := usage(1, 1)(envoytest.Request{})
		slow.ResponseHeaders(append(envoytest.Headers{{":status", "200"}}, answer.Headers...), false)
		slow.ResponseBody(answer.Body, true)
		slow.Done()

		next := g.Do(request, ok)
		if got, want := remaining(t, next, "tokens"), left-number(t, state(next, "reserve_tokens"))-500; got != want {
			t.Errorf("%d remain, want %d", got, want)
		}
	})
}

// What a request used beyond its reservation counts in the window of its end.
func TestAnOverrunIsCharged(t *testing.T) {
	onBoth(t, func(t *testing.T, start starter) {
		g := start(t, one(`"dimension":"tokens","limit":1000`))
		has(t, g.Do(chat(aKey, `"max_tokens":10`), usage(700, 900)), 200)
		r := g.Do(chat(aKey, `"max_tokens":10`), unasked(t))
		has(t, r, 429, "x-ratelimit-remaining-tokens", "0")
	})
}

// The two runners agree on all that a client and an operator see.
func TestTheWasmBehavesLikeTheNativeFilter(t *testing.T) {
	var native []*envoytest.Result
	onBoth(t, func(t *testing.T, start starter) {
		g := start(t, withLimits("", `"limit":2`, `"dimension":"tokens","limit":3000`))
		var got []*envoytest.Result
		for _, r := range []envoytest.Request{chat(aKey), chat(aKey, `"max_tokens":9000`), keyed(), chat(aKey), chat(aKey)} {
			got = append(got, g.Do(r, usage(7, 16)))
		}
		if native == nil {
			native = got
			return
		}
		for i := range got {
			if string(got[i].Body) != string(native[i].Body) || !maps.Equal(got[i].FilterState, native[i].FilterState) ||
				got[i].Status != native[i].Status || len(got[i].Headers) != len(native[i].Headers) {
				t.Errorf("request %d: %+v, native %+v", i, got[i], native[i])
			}
		}
	})
}
