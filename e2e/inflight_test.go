package e2e

import (
	"net/http"
	"testing"
	"time"

	"sluice/e2e/envoy"
	"sluice/e2e/fakellm"
)

// The gauge is the number of streams that hold a slot, over all workers; those of
// a VM that crashed are soon forgotten, though nobody takes them back.
func TestStreamsInFlightAreTold(t *testing.T) {
	plugin := buildPlugin(t, "./filter", "-tags", "crash")
	g := startGateway(t, setup{
		own: true, concurrency: 2,
		edit:   func(b *envoy.Bootstrap) { b.Binary(plugin) },
		expect: "wasm|Wasm|panic|goroutine",
		config: `{"limits": [{"name": "inflight", "scope": ["key"], "dimension": "concurrency", "limit": 100}]}`,
	})
	gate := make(chan struct{})
	g.provider.Use(func(fakellm.Request) fakellm.Script { return fakellm.Script{Chunks: 2, Gate: gate} })
	hold := func(n int) {
		t.Helper()
		for range n {
			res, err := g.open(t, request{key: "a"})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { res.Body.Close() })
			if res.StatusCode != http.StatusOK {
				t.Fatal(res.Status)
			}
		}
	}
	hold(12)
	g.counts(t, map[string]float64{"sluice_in_flight": 12})
	for range 5 {
		gate <- struct{}{}
	}
	g.counts(t, map[string]float64{"sluice_in_flight": 7})

	// Requests come to either worker, so that both VMs crash sooner or later.
	for deadline := time.Now().Add(patience); g.readMetrics(t)["sluice_in_flight"] > 0; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the streams of VMs that crashed are still counted")
		}
		if res := g.do(t, request{key: "b", header: crashing}); res.status != http.StatusServiceUnavailable {
			t.Fatalf("the VM did not crash: %d %s", res.status, res.body)
		}
	}
}
