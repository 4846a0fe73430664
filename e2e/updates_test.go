package e2e

import (
	"fmt"
	"net/http"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
)

// A hundred new configurations under load: no request fails, no count is lost,
// and Envoy's memory does not grow with them.
func TestUpdatesUnderLoad(t *testing.T) {
	const updates, settled, senders = 100, 20, 4
	// Every other one has another ceiling, so that each is a new configuration.
	config := func(n int) string {
		return fmt.Sprintf(`{"limits": [
			{"name": "rpm", "scope": ["key"], "dimension": "requests", "limit": %d, "window": "24h"},
			{"name": "tpm", "scope": ["key"], "dimension": "tokens", "limit": %d, "window": "24h"},
			{"name": "inflight", "scope": ["key"], "dimension": "concurrency", "limit": 1000}]}`, 1_000_000+n, 1_000_000_000+n)
	}
	g := startGateway(t, setup{
		own: true, concurrency: 2, config: config(0),
		// Every answer of an old listener then says that its connection closes,
		// so that no client still uses it when Envoy ends it.
		args: []string{"--drain-strategy", "immediate"},
	})
	r := request{key: "a", header: usageOf100}

	var admitted atomic.Int64
	done := make(chan struct{})
	var load sync.WaitGroup
	for range senders {
		load.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				res, err := g.try(t, r)
				if err != nil || res.status != http.StatusOK {
					t.Errorf("under updates: %v %d %s", err, res.status, res.body)
					return
				}
				admitted.Add(1)
			}
		})
	}
	var early int64
	for n := range updates {
		if err := g.update(t, config(n+1)); err != nil {
			t.Error(err)
			break
		}
		// The first ones make room for as many VMs as there are at once.
		if n+1 == settled {
			early = g.rss(t)
		}
	}
	close(done)
	load.Wait()
	if t.Failed() {
		return
	}
	late := g.rss(t)
	t.Logf("%d updates, %d requests; RSS %d MiB after %d updates, %d MiB after all", updates, admitted.Load(), early>>20, settled, late>>20)
	if late > early+early/2 {
		t.Errorf("memory grows with updates: %d MiB, then %d MiB", early>>20, late>>20)
	}

	// All have ended when all slots are free; then every use is settled.
	n := int(admitted.Load())
	g.accessLog.all(t, n)
	res := g.do(t, r).is(t, 200)
	if got := 1_000_000 + updates - 1 - res.number(t, "x-ratelimit-remaining-requests"); got != n {
		t.Errorf("%d requests are counted, and %d were admitted", got, n)
	}
	reserved := 1_000_000_000 + updates - 100*n - res.number(t, "x-ratelimit-remaining-tokens")
	if reserved <= 0 || reserved > 2000 {
		t.Errorf("besides the %d tokens of %d requests, %d are counted", 100*n, n, reserved)
	}
	if res.number(t, "x-ratelimit-remaining-concurrency") != 999 {
		t.Errorf("slots are left over: %s of 1000 remain", res.header.Get("x-ratelimit-remaining-concurrency"))
	}
}

// rss is how much memory Envoy holds; 0 where the system does not tell.
func (g *gateway) rss(t *testing.T) int64 {
	t.Helper()
	if runtime.GOOS != "linux" {
		return 0
	}
	n, err := g.RSS()
	if err != nil {
		t.Fatal(err)
	}
	return n
}
