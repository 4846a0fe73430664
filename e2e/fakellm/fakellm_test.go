package fakellm_test

import (
	"bufio"
	"compress/gzip"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"sluice/e2e/fakellm"
)

func start(t *testing.T) *fakellm.Server {
	t.Helper()
	s, err := fakellm.Start("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// post sends a chat request with the headers given as name, value pairs.
func post(t *testing.T, s *fakellm.Server, body string, headers ...string) *http.Response {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL()+"/v1/chat/completions", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	res, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { res.Body.Close() })
	return res
}

func read(t *testing.T, r io.Reader) string {
	t.Helper()
	b, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

const hello = `{"model":"gpt-4o","messages":[{"role":"user","content":"Hello, you!"}]`

func TestChatReportsUsage(t *testing.T) {
	for _, tt := range []struct {
		name, body         string
		headers            []string
		prompt, completion int
		finish             string
	}{
		{"counted", hello + "}", nil, 3, 16, "stop"},
		{"max_tokens", hello + `,"max_tokens":5}`, nil, 3, 5, "length"},
		{"roomy max_tokens", hello + `,"max_completion_tokens":500}`, nil, 3, 16, "stop"},
		{"scripted", hello + "}", []string{"x-fake-prompt-tokens", "70", "x-fake-completion-tokens", "30"}, 70, 30, "stop"},
		{"content parts", `{"messages":[{"content":[{"type":"text","text":"12345"},{"type":"image_url","image_url":{"url":"data:"}}]}]}`, nil, 2, 16, "stop"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			res := post(t, start(t), tt.body, tt.headers...)
			var got struct {
				Choices []struct {
					Message      struct{ Content string }
					FinishReason string `json:"finish_reason"`
				}
				Usage struct {
					Prompt     int `json:"prompt_tokens"`
					Completion int `json:"completion_tokens"`
					Total      int `json:"total_tokens"`
				}
			}
			if err := json.NewDecoder(res.Body).Decode(&got); err != nil {
				t.Fatal(err)
			}
			if res.StatusCode != 200 || got.Usage.Prompt != tt.prompt || got.Usage.Completion != tt.completion || got.Usage.Total != tt.prompt+tt.completion {
				t.Errorf("status %d, usage %+v, want %d and %d", res.StatusCode, got.Usage, tt.prompt, tt.completion)
			}
			if words := len(strings.Fields(got.Choices[0].Message.Content)); words != tt.completion || got.Choices[0].FinishReason != tt.finish {
				t.Errorf("%d words and %q, want %d and %q", words, got.Choices[0].FinishReason, tt.completion, tt.finish)
			}
		})
	}
}

func TestHeadersScriptTheAnswer(t *testing.T) {
	s := start(t)
	res := post(t, s, hello+"}", "x-fake-status", "529", "x-fake-body", `{"a":1}`,
		"x-fake-header-retry-after", "7", "x-fake-headers", `{"x-ratelimit-limit-requests":"50"}`)
	if got := read(t, res.Body); res.StatusCode != 529 || got != `{"a":1}` {
		t.Errorf("%d %s", res.StatusCode, got)
	}
	if res.Header.Get("Retry-After") != "7" || res.Header.Get("X-Ratelimit-Limit-Requests") != "50" {
		t.Errorf("headers %v", res.Header)
	}
	if res := post(t, s, hello+"}", "x-fake-sattus", "1"); res.StatusCode != 500 {
		t.Errorf("a misspelt option gives %d, want 500", res.StatusCode)
	}
	if res := post(t, s, "no JSON"); res.StatusCode != 400 {
		t.Errorf("a body that is no JSON gives %d, want 400", res.StatusCode)
	}
}

func TestQueueComesBeforeFunction(t *testing.T) {
	s := start(t)
	s.Use(func(r fakellm.Request) fakellm.Script {
		return fakellm.Script{Status: 201, Header: http.Header{"x-body": {string(r.Body)}}}
	})
	s.Next(fakellm.Script{Status: 503})
	if res := post(t, s, "{}"); res.StatusCode != 503 {
		t.Errorf("first %d, want 503", res.StatusCode)
	}
	if res := post(t, s, "{}"); res.StatusCode != 201 || res.Header.Get("X-Body") != "{}" {
		t.Errorf("then %d %v, want 201", res.StatusCode, res.Header)
	}
	if s.Count() != 2 || string(s.Last().Body) != "{}" {
		t.Errorf("%d requests, the last %+v", s.Count(), s.Last())
	}
}

func TestGateHoldsTheSecondEvent(t *testing.T) {
	s := start(t)
	gate := make(chan struct{})
	s.Next(fakellm.Script{Gate: gate})
	res := post(t, s, hello+`,"stream":true,"stream_options":{"include_usage":true},"max_tokens":2}`)
	events := bufio.NewScanner(res.Body)
	if !events.Scan() || !strings.Contains(events.Text(), `"role":"assistant"`) {
		t.Fatalf("first event %q", events.Text())
	}
	close(gate) // Only now may the rest be produced.
	var rest []string
	for events.Scan() {
		if events.Text() != "" {
			rest = append(rest, events.Text())
		}
	}
	if len(rest) != 5 || rest[4] != "data: [DONE]" || !strings.Contains(rest[3], `"choices":[]`) ||
		!strings.Contains(rest[3], `"total_tokens":5`) || !strings.Contains(rest[0], `"usage":null`) {
		t.Errorf("rest: %s", strings.Join(rest, "\n"))
	}
}

func TestStreamWithoutUsage(t *testing.T) {
	res := post(t, start(t), hello+`,"stream":true}`, "x-fake-chunks", "2")
	body := read(t, res.Body)
	if strings.Contains(body, "usage") || strings.Count(body, `"content":"word`) != 2 {
		t.Errorf("body: %s", body)
	}
}

func TestGzip(t *testing.T) {
	for _, body := range []string{hello + "}", hello + `,"stream":true}`} {
		res := post(t, start(t), body, "x-fake-gzip", "true", "accept-encoding", "identity")
		if res.Header.Get("Content-Encoding") != "gzip" {
			t.Fatalf("headers %v", res.Header)
		}
		plain, err := gzip.NewReader(res.Body)
		if err != nil {
			t.Fatal(err)
		}
		if got := read(t, plain); !strings.Contains(got, "word16 ") {
			t.Errorf("body: %s", got)
		}
	}
}

func TestPartsAndTrailerOverHTTP2(t *testing.T) {
	s := start(t)
	s.Next(fakellm.Script{Parts: []string{"data: a", "b\n\n"}, Trailer: http.Header{"X-End": {"yes"}}})
	protocols := new(http.Protocols)
	protocols.SetUnencryptedHTTP2(true)
	client := &http.Client{Transport: &http.Transport{Protocols: protocols}}
	defer client.CloseIdleConnections()
	res, err := client.Post(s.URL()+"/v1/chat/completions", "application/json", strings.NewReader(hello+"}"))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if got := read(t, res.Body); got != "data: ab\n\n" || res.Trailer.Get("X-End") != "yes" || s.Last().Proto != "HTTP/2.0" {
		t.Errorf("%q, trailer %v, %s", got, res.Trailer, s.Last().Proto)
	}
}

func TestLeavingClientIsNoticed(t *testing.T) {
	s := start(t)
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()

	s.Next(fakellm.Script{Gate: make(chan struct{})})
	res := post(t, s, hello+`,"stream":true}`)
	res.Body.Close()
	if err := s.Await(ctx, func(seen []fakellm.Request) bool { return seen[0].Canceled }); err != nil {
		t.Errorf("a client that left an answer: %v", err)
	}

	conn, err := net.Dial("tcp", s.Addr())
	if err != nil {
		t.Fatal(err)
	}
	io.WriteString(conn, "POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 10\r\n\r\nhalf")
	conn.Close()
	if err := s.Await(ctx, func(seen []fakellm.Request) bool { return len(seen) == 2 && seen[1].Aborted }); err != nil {
		t.Errorf("a client that left its own body: %v", err)
	}
	if string(s.Last().Body) != "half" {
		t.Errorf("body %q", s.Last().Body)
	}
}

func TestCut(t *testing.T) {
	s := start(t)
	s.Next(fakellm.Script{CutAfter: 2})
	res := post(t, s, hello+`,"stream":true}`)
	body, err := io.ReadAll(res.Body)
	if err == nil || strings.Count(string(body), "data:") != 2 {
		t.Errorf("%v, body: %s", err, body)
	}
}
