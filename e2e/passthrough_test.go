package e2e

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

// What is no model call, or not readable, passes as it came and at once (P1, P3,
// P7): a filter that waits for a body end that never comes would hang here.
func TestOddRequestsPassAtOnce(t *testing.T) {
	g := startGateway(t, setup{config: `{"limits": [
		{"name": "rpm", "scope": ["ip"], "dimension": "requests", "limit": 1000, "window": "1h"},
		{"name": "tpm", "scope": ["ip"], "dimension": "tokens", "limit": 1000000, "window": "1h"}]}`})
	g.do(t, request{}).is(t, 200) // The provider's connection is open from here on.

	for _, tt := range []struct {
		name   string
		r      request
		status int
	}{
		{"GET", request{method: "GET", path: "/v1/models", body: "-"}, 200},
		{"POST without a body", request{path: "/v1/echo", body: "-"}, 200},
		{"DELETE", request{method: "DELETE", path: "/v1/files/1", body: "-"}, 200},
		{"no JSON", request{body: "no JSON at all"}, 400},
		{"truncated JSON", request{body: chat()[:30]}, 400},
		{"an array", request{path: "/v1/echo", body: "[1,2,3]"}, 200},
		{"deep nesting", request{path: "/v1/echo", body: strings.Repeat("[", 100000)}, 200},
		{"huge numbers", request{path: "/v1/echo", body: `{"model":"m","prompt":"x","seed":1e400,"top_p":-9223372036854775809}`}, 200},
		{"invalid UTF-8", request{path: "/v1/echo", body: "{\"model\":\"\xff\xfe\",\"prompt\":\"\xc3\"}"}, 200},
		{"multipart", request{path: "/v1/echo", body: "--x\r\ncontent-disposition: form-data; name=\"a\"\r\n\r\nb\r\n--x--\r\n", header: http.Header{"content-type": {"multipart/form-data; boundary=x"}}}, 200},
	} {
		t.Run(tt.name, func(t *testing.T) {
			began := time.Now()
			res := g.do(t, tt.r).is(t, tt.status)
			if took := time.Since(began); took > time.Second {
				t.Errorf("it took %v", took)
			}
			seen := g.provider.Last()
			if want := tt.r.body; want != "-" && string(seen.Body) != want {
				t.Errorf("the provider got %.100q, want %.100q", seen.Body, want)
			}
			res.has(t, "x-ratelimit-limit-requests", "1000")
		})
	}
}

// A request whose trailers end it (HTTP/2) has no last body chunk (P7).
func TestTrailersEndARequest(t *testing.T) {
	g := startGateway(t, setup{config: limitAll("requests", 1000)})
	transport := http2(t)
	for n, body := range []string{chat(), "no JSON"} {
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, g.url+"/v1/chat/completions", io.MultiReader(strings.NewReader(body)))
		if err != nil {
			t.Fatal(err)
		}
		req.Trailer = http.Header{"X-Checksum": {"abc"}}
		began := time.Now()
		res, err := transport.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		io.Copy(io.Discard, res.Body)
		res.Body.Close()
		if took := time.Since(began); took > time.Second {
			t.Errorf("it took %v", took)
		}
		if want := []int{200, 400}[n]; res.StatusCode != want || string(g.provider.Last().Body) != body {
			t.Errorf("status %d, want %d; the provider got %q", res.StatusCode, want, g.provider.Last().Body)
		}
		if left := res.Header.Get("x-ratelimit-remaining-requests"); left != []string{"999", "998"}[n] {
			t.Errorf("%s requests remain: each is to be counted once", left)
		}
	}
}

// Without a configuration there are no limits, and nothing is added.
func TestNoConfigurationMeansNoLimits(t *testing.T) {
	g := startGateway(t, setup{config: "{}"})
	g.do(t, request{}).is(t, 200).has(t, "x-ratelimit-limit-requests", "", "x-ratelimit-limit", "")
	g.accessLog.line(t, 0).has(t, "decision", "allowed")
}
