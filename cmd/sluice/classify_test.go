package main

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// classified runs sluice classify and returns the lines that it prints.
func classified(t *testing.T, input string, args ...string) (lines []map[string]any, errs string, err error) {
	t.Helper()
	out, errs, err := runLines(classifyCommand(), input, longFlags(args)...)
	for line := range strings.Lines(out) {
		var l map[string]any
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		lines = append(lines, l)
	}
	return lines, errs, err
}

func TestClassifyLines(t *testing.T) {
	for name, c := range map[string]struct {
		in   string
		want map[string]any // of the line, "body.x" of its body, "headers.x" of its headers
	}{
		"a throttle, as an OpenAI client gets it": {
			`{"id":"a","provider":"openai","status":429,"headers":{"retry-after":"7","openai-organization":"acme"},"body":{"error":{"message":"slower","type":"tokens","code":"rate_limit_exceeded"}}}`,
			map[string]any{"id": "a", "class": "throttle", "dimension": "tokens", "retryable": true, "retry_after_seconds": 7.0, "status": 429.0, "provider": "openai",
				"headers.retry-after": "7", "headers.openai-organization": nil, "body.error.code": "rate_limit_exceeded", "body.error.source": "upstream"}},
		"an overload, as an Anthropic client gets it": {
			`{"provider":"anthropic","status":529,"path":"/v1/messages?beta=true","body":{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}}`,
			map[string]any{"class": "overload", "status": 529.0, "retry_after_seconds": nil, "body.type": "error", "body.error.type": "overloaded_error", "headers.retry-after": "2"}},
		"a quota keeps its status": {
			`{"provider":"deepseek","status":402,"body":{"error":{"message":"Insufficient Balance"}}}`,
			map[string]any{"class": "quota", "status": 402.0, "retryable": false, "headers.retry-after": nil, "headers.x-should-retry": "false"}},
		"a quota's wait is told in the body": {
			`{"provider":"anthropic","status":429,"headers":{"anthropic-ratelimit-unified-status":"rejected","retry-after":"3600"},"body":""}`,
			map[string]any{"class": "quota", "retry_after_seconds": 3600.0, "headers.retry-after": nil}},
		"what is no limit passes": {
			`{"id":3,"status":400,"headers":{"content-type":"application/json","x-ratelimit-remaining-requests":"5"},"body":{"error":{"message":"no","code":"context_length_exceeded"}}}`,
			map[string]any{"id": 3.0, "class": "not_rate_limit", "dimension": nil, "retryable": false, "status": 400.0, "provider": "openai_compatible",
				"body.error.code": "context_length_exceeded", "headers.x-ratelimit-remaining-requests": "5", "headers.content-type": "application/json"}},
		"an error in a stream": {
			`{"provider":"anthropic","status":200,"headers":{"content-type":"text/event-stream"},"body":"event: message_start\ndata: {\"type\":\"message_start\"}\n\nevent: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\"}}\n\n"}`,
			map[string]any{"class": "overload", "status": 503.0}},
		"a stream without one": {
			`{"status":200,"body":"data: {\"choices\":[]}\n\ndata: [DONE]\n\n"}`,
			map[string]any{"class": "not_rate_limit", "status": 200.0, "body": "data: {\"choices\":[]}\n\ndata: [DONE]\n\n"}},
		"an AWS message": {
			`{"provider":"bedrock","status":200,"body":{"eventstream_headers":{":exception-type":"throttlingException"},"payload":{"message":"Too many tokens, wait."}}}`,
			map[string]any{"class": "throttle", "dimension": "tokens", "status": 429.0}},
		"gRPC": {
			`{"provider":"vertex","status":200,"headers":{"content-type":"application/grpc","grpc-status":"14","grpc-message":"full"},"body":""}`,
			map[string]any{"class": "overload", "headers.grpc-status": "14", "headers.content-type": "application/grpc"}},
		"a text": {
			`{"status":502,"body":"bad gateway"}`,
			map[string]any{"class": "not_rate_limit", "retryable": true, "body": "bad gateway"}},
	} {
		t.Run(name, func(t *testing.T) {
			lines, errs, err := classified(t, c.in)
			if err != nil || len(lines) != 1 {
				t.Fatalf("%v: %s", err, errs)
			}
			for path, want := range c.want {
				if got := member(lines[0], path); got != want {
					t.Errorf("%s is %v, want %v", path, got, want)
				}
			}
			if _, there := lines[0]["why"]; there {
				t.Error("why, unasked")
			}
		})
	}
}

// member is the member at a path of names; of headers, whose names have no dots.
func member(line map[string]any, path string) any {
	var v any = line
	for name := range strings.SplitSeq(path, ".") {
		object, _ := v.(map[string]any)
		v = object[name]
	}
	return v
}

func TestClassifyGoesOnAfterABadLine(t *testing.T) {
	lines, errs, err := classified(t, "{\"id\":1,\"status\":429}\nnonsense\n{\"id\":2,\"status\":\"429\"}\n{\"id\":3,\"status\":402}\n", "-why")
	if err == nil || len(lines) != 2 || lines[0]["id"] != 1.0 || lines[1]["id"] != 3.0 {
		t.Errorf("%v: %v", err, lines)
	}
	if !strings.Contains(errs, "line 2: ") || !strings.Contains(errs, "line 3: ") {
		t.Errorf("standard error: %s", errs)
	}
	if lines[0]["why"] != "429" || lines[1]["why"] != "402" {
		t.Errorf("why: %v", lines)
	}
}

func TestClassifyHTTP(t *testing.T) {
	const body = `{"error":{"message":"m","code":"slow_down"}}`
	for name, in := range map[string]string{
		"CRLF":         "HTTP/1.1 429 Too Many Requests\r\nRetry-After: 9\r\n\r\n" + body,
		"LF":           "HTTP/1.1 429 Too Many Requests\nretry-after: 9\n\n" + body,
		"HTTP/2":       "HTTP/2 429 \r\nretry-after: 9\r\n\r\n" + body,
		"100 Continue": "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 429 Too Many Requests\r\nretry-after: 9\r\n\r\n" + body,
		"a proxy":      "HTTP/1.1 200 Connection established\r\n\r\nHTTP/2 429\r\nretry-after: 9\r\n\r\n" + body,
		"a redirect":   "HTTP/1.1 301 Moved Permanently\r\nlocation: https://elsewhere.example/\r\nretry-after: 5\r\n\r\nHTTP/1.1 429 X\r\nretry-after: 9\r\n\r\n" + body,
	} {
		lines, errs, err := classified(t, in, "-http", "-provider", "openai", "-path", "/v1/messages")
		if err != nil || len(lines) != 1 {
			t.Errorf("%s: %v: %s", name, err, errs)
			continue
		}
		if l := lines[0]; l["class"] != "acceleration" || l["retry_after_seconds"] != 9.0 || l["provider"] != "openai" || member(l, "body.type") != "error" {
			t.Errorf("%s: %v", name, l)
		}
	}
	for name, in := range map[string]string{
		"no response":    body,
		"no status":      "HTTP/1.1 x\r\n\r\n",
		"no status line": "HTTP/1.1\r\n\r\n",
		"no header":      "HTTP/1.1 429 X\r\nnonsense\r\n\r\n",
		"nothing":        "",
	} {
		if lines, errs, err := classified(t, in, "-http"); err == nil || len(lines) != 0 || errs == "" {
			t.Errorf("%s: %v %q", name, lines, errs)
		}
	}
}

func TestLongFlags(t *testing.T) {
	got := strings.Join(longFlags([]string{"classify", "-http", "--why", "-h", "-", "-5", "-path=x", "file"}), " ")
	if want := "classify --http --why -h - -5 --path=x file"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// The command line tells of the recorded responses what the package does.
func TestClassifyRecorded(t *testing.T) {
	shared := os.Getenv("SLUICE_SHARED")
	dir, err := os.Getwd()
	for err == nil && shared == "" && dir != filepath.Dir(dir) {
		dir = filepath.Dir(dir)
		if _, err := os.Stat(filepath.Join(dir, "shared", "cases")); err == nil {
			shared = filepath.Join(dir, "shared")
		}
	}
	path := filepath.Join(shared, "cases", "provider_responses.jsonl")
	file, err := os.Open(path)
	if err != nil {
		t.Skip("no recorded responses here")
	}
	defer file.Close()
	lines, errs, err := classified(t, "", path)
	if err != nil {
		t.Fatalf("%v: %s", err, errs)
	}
	input := bufio.NewScanner(file)
	input.Buffer(nil, 1<<20)
	for i := 0; input.Scan(); i++ {
		var c struct {
			ID        string   `json:"id"`
			Kind      string   `json:"kind"`
			Class     string   `json:"expected_class"`
			Wait      *float64 `json:"retry_after_seconds"`
			Ambiguous bool     `json:"ambiguous"`
		}
		if err := json.Unmarshal(input.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		l := lines[i]
		if l["id"] != c.ID {
			t.Fatalf("line %d is of %v", i, l["id"])
		}
		if c.Kind != "error" && c.Kind != "stream_error" {
			if l["class"] != "not_rate_limit" {
				t.Errorf("%s: %v", c.ID, l["class"])
			}
			continue
		}
		if !c.Ambiguous && l["class"] != c.Class {
			t.Errorf("%s: %v, want %s", c.ID, l["class"], c.Class)
		}
		if wait, stated := l["retry_after_seconds"].(float64); !c.Ambiguous && (stated != (c.Wait != nil) || stated && (wait < *c.Wait-1 || wait > *c.Wait+1)) {
			t.Errorf("%s: wait %v", c.ID, l["retry_after_seconds"])
		}
	}
}
