package e2e

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
)

// http2 speaks HTTP/2 without TLS, by prior knowledge.
func http2(t *testing.T) *http.Transport {
	protocols := new(http.Protocols)
	protocols.SetUnencryptedHTTP2(true)
	transport := &http.Transport{Protocols: protocols}
	t.Cleanup(transport.CloseIdleConnections)
	return transport
}

// request is one HTTP request to a gateway. The zero request is a short chat by
// nobody.
type request struct {
	method string // empty: POST
	path   string // empty: /v1/chat/completions
	host   string // empty: the gateway's own
	key    string // a bearer token; empty: none
	body   string // empty: a chat; "-": none
	header http.Header
}

// response is what the client got.
type response struct {
	status int
	header http.Header
	body   string
}

// chat is the body of a chat request, with more fields if given.
func chat(more ...string) string {
	fields := append([]string{`"model":"gpt-4o"`, `"messages":[{"role":"user","content":"Say hello."}]`}, more...)
	return "{" + strings.Join(fields, ",") + "}"
}

// do sends a request and reads the whole answer.
func (g *gateway) do(t *testing.T, r request) response {
	t.Helper()
	res, err := g.try(t, r)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// try is do for other goroutines than the test's.
func (g *gateway) try(t *testing.T, r request) (response, error) {
	res, err := g.open(t, r)
	if err != nil {
		return response{}, err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		return response{}, fmt.Errorf("%s: %w", res.Status, err)
	}
	return response{res.StatusCode, res.Header, string(body)}, nil
}

// open sends a request, and returns when the response's headers are there.
func (g *gateway) open(t *testing.T, r request) (*http.Response, error) {
	if r.method == "" {
		r.method = http.MethodPost
	}
	if r.path == "" {
		r.path = "/v1/chat/completions"
	}
	var body io.Reader
	switch r.body {
	case "-":
	case "":
		body = strings.NewReader(chat())
	default:
		body = strings.NewReader(r.body)
	}
	req, err := http.NewRequestWithContext(t.Context(), r.method, g.url+r.path, body)
	if err != nil {
		return nil, err
	}
	if r.host != "" {
		req.Host = r.host
	}
	for name, values := range r.header {
		req.Header[http.CanonicalHeaderKey(name)] = values
	}
	if body != nil && req.Header.Get("Content-Type") == "" {
		req.Header.Set("Content-Type", "application/json")
	}
	if r.key != "" {
		req.Header.Set("Authorization", "Bearer "+r.key)
	}
	return g.client.Do(req)
}

// is fails the test unless the response has this status.
func (r response) is(t *testing.T, status int) response {
	t.Helper()
	if r.status != status {
		t.Fatalf("status %d, want %d: %v %s", r.status, status, r.header, r.body)
	}
	return r
}

// has reports headers that differ from what is wanted, as name, value pairs; an
// empty value means absent.
func (r response) has(t *testing.T, want ...string) response {
	t.Helper()
	for i := 0; i < len(want); i += 2 {
		if got := r.header.Values(want[i]); strings.Join(got, "|") != want[i+1] {
			t.Errorf("%s is %q, want %q", want[i], got, want[i+1])
		}
	}
	return r
}

// number is a header that must be a whole number.
func (r response) number(t *testing.T, name string) int {
	t.Helper()
	n, err := strconv.Atoi(r.header.Get(name))
	if err != nil {
		t.Fatalf("%s is no whole number: %v", name, r.header)
	}
	return n
}

// problem is the error object of a refusal in OpenAI's shape.
type problem struct {
	Message       string
	Type          string
	Param         any
	Code          string
	Class         string
	Source        string
	Limit         string
	Dimension     string
	ScopeKind     string `json:"scope_kind"`
	ScopeTargetID string `json:"scope_target_id"`
	LimitValue    *int   `json:"limit_value"`
	Remaining     *int
	Requested     *int
	RetryAfter    *int   `json:"retry_after"`
	ResetAt       string `json:"reset_at"`
}

// problem reads a refusal's body.
func (r response) problem(t *testing.T) problem {
	t.Helper()
	var p problem
	r.read(t, &p)
	return p
}

// read reads the error object of a refusal.
func (r response) read(t *testing.T, into any) {
	t.Helper()
	body := struct{ Error any }{into}
	if err := json.Unmarshal([]byte(r.body), &body); err != nil {
		t.Errorf("%v: %s", err, r.body)
	}
}

// hashOf is how a secret may be shown: the first 12 hex digits of its SHA-256.
func hashOf(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])[:12]
}
