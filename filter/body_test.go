package main

import (
	"strconv"
	"strings"
	"testing"

	"sluice/internal/envoytest"
)

// large is a chat of so many bytes, its model in front.
func large(size int, fields ...string) envoytest.Request {
	r := chat(aKey, fields...)
	body := strings.TrimSuffix(string(r.Body), "}") + `,"user":"`
	r.Body = []byte(body + strings.Repeat("x", size-len(body)-2) + `"}`)
	return r
}

// form is an upload of so many bytes.
func form(size int) envoytest.Request {
	const head = "--x\r\ncontent-disposition: form-data; name=\"file\"\r\n\r\n"
	return post("/v1/files", head+strings.Repeat("\x00", size-len(head)), "content-type", "multipart/form-data; boundary=x", "authorization", "Bearer "+aKey)
}

// inPieces sends a body without saying its length.
func inPieces(r envoytest.Request, size int) envoytest.Request {
	for body := r.Body; len(body) > 0; {
		n := min(size, len(body))
		r.Chunks = append(r.Chunks, body[:n])
		body = body[n:]
	}
	r.Body = nil
	return r
}

func TestABodyIsReadUpToItsMaximum(t *testing.T) {
	for name, c := range map[string]struct {
		request  envoytest.Request
		estimate int // -1: of what was read
	}{
		"just as long":               {large(1000), -1},
		"just as long, in pieces":    {inPieces(large(1000), 100), -1},
		"longer":                     {large(4001), 1000},
		"longer, in pieces":          {inPieces(large(4001), 100), -1},
		"longer, a recording":        {with(large(9000), ":path", "/v1/audio/transcriptions", "content-type", "multipart/form-data; boundary=x"), 1000},
		"longer, a form in pieces":   {inPieces(with(form(9000), ":path", "/v1/audio/transcriptions"), 100), 1000},
		"longer, only called a form": {inPieces(with(large(9000), "content-type", "multipart/form-data; boundary=x"), 100), 250},
		"longer, of another path":    {with(large(4001), ":path", "/x"), 1000},
		"longer, garbled in front":   {with(large(4001), "content-encoding", "gzip"), 1000},
	} {
		t.Run(name, func(t *testing.T) {
			onBoth(t, func(t *testing.T, start starter) {
				g := start(t, withLimits(`"body":{"max_bytes":1000}`, `"limit":5`, `"dimension":"tokens","limit":100000`))
				r := g.Do(c.request, ok)
				has(t, r, 200, "x-ratelimit-remaining", "4", "x-ratelimit-limit-tokens", "100000")
				want := string(c.request.Body)
				for _, chunk := range c.request.Chunks {
					want += string(chunk)
				}
				if r.Upstream == nil || string(r.Upstream.Body) != want {
					t.Errorf("the upstream saw %+v", r.Upstream)
				}
				got := number(t, state(r, "reserve_tokens"))
				if c.estimate >= 0 && got != c.estimate || got == 0 {
					t.Errorf("%d tokens are estimated, want %d", got, c.estimate)
				}
			})
		})
	}
}

// A large upload to what takes no prompts is no model call.
func TestAnOversizeUploadIsNoModelCall(t *testing.T) {
	onBoth(t, func(t *testing.T, start starter) {
		g := start(t, withLimits(`"body":{"max_bytes":1000}`, `"dimension":"tokens","limit":100000`))
		r := with(large(5000), ":path", "/v1/files", "content-type", "multipart/form-data; boundary=x")
		has(t, g.Do(r, ok), 200, "x-ratelimit-limit-tokens", "-")
	})
}

// `oversize: estimate` never calls a request too large: it knows only a length.
func TestAnOversizeBodyIsNeverTooLarge(t *testing.T) {
	for name, r := range map[string]envoytest.Request{
		"by its length":       large(100_000, `"max_tokens":5000`),
		"in pieces":           inPieces(large(100_000, `"max_tokens":5000`), 700),
		"in one large piece":  inPieces(large(100_000, `"max_tokens":5000`), 100_000),
		"to another path":     with(large(100_000), ":path", "/x"),
		"of no known content": with(large(100_000), ":path", "/x", "content-type", "text/plain"),
	} {
		t.Run(name, func(t *testing.T) {
			onBoth(t, func(t *testing.T, start starter) {
				g := start(t, withLimits(`"body":{"max_bytes":1000}`, `"dimension":"tokens","limit":200`))
				has(t, g.Do(r, usage(100, 50)), 200, "x-ratelimit-remaining-tokens", "0")
				// It is charged all the same.
				has(t, g.Do(chat(aKey, `"max_tokens":60`), unasked(t)), 429)
				has(t, g.Do(chat(aKey, `"max_tokens":10`), ok), 200)
			})
		})
	}
}

// What only the body tells counts as absent where it is not held (§3.7).
func TestNothingIsKnownOfAnOversizeBody(t *testing.T) {
	for name, c := range map[string]struct {
		limit   string
		applies bool
	}{
		"a match on the model":           {`"match":{"model":["*"]}`, false},
		"a match on a body's attribute":  {`"match":{"attribute":{"user":["*"]}}`, false},
		"a match on a group of models":   {`"match":{"attribute":{"class":["gpt"]}}`, false},
		"a match on the path":            {`"match":{"path":["/v1/*"]}`, true},
		"a scope of the model is shared": {`"scope":["model"]`, true},
		"a scope of the model, skipped":  {`"scope":["model"],"on_missing":"skip"`, false},
	} {
		t.Run(name, func(t *testing.T) {
			onBoth(t, func(t *testing.T, start starter) {
				g := start(t, withLimits(`"body":{"max_bytes":1000},"attributes":{"user":{"body":"user"},"class":{"map":"model","to":{"gpt":["gpt*"]}}}`, c.limit))
				limit := "-"
				if c.applies {
					limit = "1"
				}
				has(t, g.Do(large(5000), ok), 200, "x-ratelimit-limit", limit)
			})
		})
	}
}

func TestOversizeIsDenied(t *testing.T) {
	onBoth(t, func(t *testing.T, start starter) {
		g := start(t, withLimits(`"body":{"max_bytes":1000,"oversize":"deny"}`, `"limit":5`))
		for _, r := range []envoytest.Request{large(1001), inPieces(large(1001), 100), inPieces(large(9000), 9000)} {
			got := g.Do(r, unasked(t))
			has(t, got, 413, "retry-after", "-", "x-should-retry", "false", "content-type", "application/json")
			if p := problem(t, got); p["code"] != "request_too_large" || p["class"] != "too_large" || !strings.Contains(p["message"].(string), "1000") {
				t.Errorf("error %v", p)
			}
			if got.Upstream != nil {
				t.Error("it reached the upstream")
			}
			if state(got, "decision") != "denied" || state(got, "class") != "too_large" {
				t.Errorf("filter state %v", got.FilterState)
			}
		}
		has(t, g.Do(large(1000), ok), 200, "x-ratelimit-remaining", "4")
	})
}

func TestUnreadableIsDenied(t *testing.T) {
	for name, c := range map[string]struct {
		request envoytest.Request
		status  int
	}{
		"readable":                {chat(aKey), 200},
		"truncated":               {post("/v1/chat/completions", `{"model":"m"`), 400},
		"no JSON":                 {post("/v1/chat/completions", `hello`), 400},
		"too deep":                {post("/v1/chat/completions", strings.Repeat("[", 500)), 400},
		"compressed":              {post("/v1/chat/completions", "\x1f\x8b\x08\x00", "content-encoding", "gzip"), 400},
		"no model call":           {post("/x", `a=b`, "content-type", "application/x-www-form-urlencoded"), 200},
		"an upload to a file API": {post("/v1/files", "--x\r\n\r\nb\r\n--x--\r\n", "content-type", "multipart/form-data; boundary=x"), 200},
		"empty":                   {post("/v1/chat/completions", ""), 200},
		"a GET":                   {get("/v1/chat/completions"), 200},
	} {
		t.Run(name, func(t *testing.T) {
			onBoth(t, func(t *testing.T, start starter) {
				g := start(t, withLimits(`"body":{"unreadable":"deny"}`, `"limit":5,"scope":[]`))
				r := g.Do(c.request, ok)
				has(t, r, c.status)
				if c.status == 400 {
					if p := problem(t, r); p["type"] != "invalid_request_error" {
						t.Errorf("error %v", p)
					}
				}
				left := "3"
				if c.status == 400 {
					left = "4"
				}
				has(t, g.Do(get("/"), ok), 200, "x-ratelimit-remaining", left)
			})
		})
	}
}

// P28: what follows these headers is no body to wait for.
func TestTunnelsAreNotHeld(t *testing.T) {
	for name, r := range map[string]envoytest.Request{
		"CONNECT":        with(get("/"), ":method", "CONNECT", ":path", ""),
		"a websocket":    get("/v1/realtime", "connection", "keep-alive, Upgrade", "upgrade", "websocket"),
		"gRPC":           with(post("/pkg.Service/Method", ""), "content-type", "application/grpc+proto"),
		"gRPC in a POST": with(post("/Service/Method", ""), "content-type", "application/grpc"),
	} {
		t.Run(name, func(t *testing.T) {
			onBoth(t, func(t *testing.T, start starter) {
				g := start(t, withLimits("", `"scope":[],"limit":5`, `"scope":[],"dimension":"tokens"`))
				s := g.NewStream(envoytest.StreamOptions{})
				s.RequestHeaders(append(envoytest.Headers{{":authority", "h"}}, r.Headers...), false)
				if s.Result().Upstream == nil {
					t.Fatal("the headers are held")
				}
				s.ResponseHeaders(envoytest.Headers{{":status", "101"}}, false)
				s.RequestBody([]byte("\x00\x01"), false)
				s.ResponseBody([]byte("\x00\x01"), false)
				s.RequestBody(nil, true)
				s.ResponseBody(nil, true)
				s.Done()
				has(t, s.Result(), 101, "x-ratelimit-remaining", strconv.Itoa(4))
			})
		})
	}
}

// Only what is a tunnel may say that it is one.
func TestAChatIsHeldWhateverItClaims(t *testing.T) {
	for name, headers := range map[string][]string{
		"a websocket": {"connection", "upgrade", "upgrade", "websocket"},
		"gRPC":        {"content-type", "application/grpc"},
	} {
		t.Run(name, func(t *testing.T) {
			onBoth(t, func(t *testing.T, start starter) {
				g := start(t, one(`"dimension":"tokens","limit":100`))
				has(t, g.Do(with(chat(aKey, `"max_tokens":500`), headers...), unasked(t)), 413)
			})
		})
	}
}
