package e2e

import (
	"net/http"
	"strings"
	"testing"
)

// A body is held as far as body.max_bytes says, and a larger one passes unheld:
// Envoy's own limits, above which it answers 413 by itself, are never met (P6).
func TestBodiesOfAnySizePass(t *testing.T) {
	g := startGateway(t, setup{config: `{"limits": [{"name": "tpm", "scope": [], "dimension": "tokens", "limit": 100000000, "window": "1h"}]}`})
	for _, protocol := range []struct {
		name   string
		client http.RoundTripper
	}{{"HTTP/1.1", g.client.Transport}, {"HTTP/2", http2(t)}} {
		for _, size := range []struct {
			name  string
			bytes int
		}{{"100 kB", 100_000}, {"1 MB", 1_000_000}, {"max_bytes", 1 << 20}, {"2 MB", 2_000_000}, {"10 MB", 10_000_000}} {
			t.Run(protocol.name+" "+size.name, func(t *testing.T) {
				body := chat()
				body = strings.Replace(body, "hello", strings.Repeat("hello ", size.bytes/6), 1)
				g.client.Transport = protocol.client
				g.do(t, request{body: body}).is(t, 200)
				if got := g.provider.Last(); len(got.Body) != len(body) || string(got.Body) != body {
					t.Errorf("the provider got %d bytes, want %d", len(got.Body), len(body))
				}
			})
		}
	}
}
