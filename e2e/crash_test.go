package e2e

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"sluice/e2e/envoy"
	"sluice/e2e/fakellm"
)

// crashing ends the VM that gets it, if the filter is built for that.
var crashing = http.Header{"X-Sluice-Crash": {"1"}}

// A VM that crashes takes its streams along, and nobody gives their slots back:
// they are free when their lease is over. Every count is kept, and the next
// requests find a new VM (P18, P42).
func TestACrashFreesTheSlotsAndKeepsTheCounts(t *testing.T) {
	const lease = 4 * time.Second
	plugin := buildPlugin(t, "./filter", "-tags", "crash")
	g := startGateway(t, setup{
		own: true, concurrency: 1, // so that all streams are in the VM that crashes
		edit:   func(b *envoy.Bootstrap) { b.Binary(plugin) },
		expect: "wasm|Wasm|panic|goroutine",
		config: fmt.Sprintf(`{"limits": [
			{"name": "inflight", "scope": ["key"], "dimension": "concurrency", "limit": 3, "lease": %q},
			{"name": "rpm", "scope": ["key"], "dimension": "requests", "limit": 1000, "window": "1h"},
			{"name": "tpm", "scope": ["key"], "dimension": "tokens", "limit": 100000, "window": "1h"}]}`, lease),
	})
	r := request{key: "a", body: chat(`"max_tokens":100`)}
	each := 100_000 - g.do(t, request{key: "b", body: r.body}).is(t, 200).number(t, "x-ratelimit-remaining-tokens")

	began := time.Now()
	hold := func() {
		t.Helper()
		g.provider.Next(fakellm.Script{Chunks: 2, Gate: make(chan struct{})})
		res, err := g.open(t, r)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { res.Body.Close() })
		if res.StatusCode != http.StatusOK {
			t.Fatal(res.Status)
		}
	}
	for range 3 {
		hold()
	}
	admitted := 3
	full := func() bool {
		t.Helper()
		res := g.do(t, r)
		if res.status == http.StatusOK {
			admitted++
			return false
		}
		if p := res.is(t, 429).problem(t); p.Limit != "inflight" {
			t.Fatalf("problem %s", res.body)
		}
		return true
	}
	if !full() {
		t.Fatal("the slots are not taken")
	}

	if res := g.do(t, request{key: "a", header: crashing}); res.status != http.StatusServiceUnavailable {
		t.Fatalf("the VM did not crash: %d %s", res.status, res.body)
	}
	// The others' requests find a new VM, and their counts. Envoy makes one when
	// a request comes, but not within a second of the last.
	deadline := time.Now().Add(patience)
	next := g.do(t, request{key: "b", body: r.body})
	for next.status == http.StatusServiceUnavailable && time.Now().Before(deadline) {
		time.Sleep(20 * time.Millisecond)
		next = g.do(t, request{key: "b", body: r.body})
	}
	next.is(t, 200).has(t, "x-ratelimit-remaining-requests", "998")

	// The slots are taken as before, until they run out.
	if !full() && time.Since(began) < lease {
		t.Error("the slots were free before their lease was over")
	}
	deadline = time.Now().Add(patience)
	for full() {
		if time.Now().After(deadline) {
			t.Fatal("the slots are not free again")
		}
		time.Sleep(50 * time.Millisecond)
	}
	after := g.probeOf(t, r)
	admitted++
	if left := after.number(t, "x-ratelimit-remaining-requests"); left != 1000-admitted {
		t.Errorf("%d requests remain of 1000, and %d were admitted", left, admitted)
	}
	// Nobody settled the three: what they reserved stands. Those behind the crash
	// use less than they reserve, and this one is not settled.
	if left := after.number(t, "x-ratelimit-remaining-tokens"); left > 100_000-4*each || left < 100_000-admitted*each {
		t.Errorf("%d tokens remain, where each of %d requests reserved %d", left, admitted, each)
	}
	page, err := g.Get(t.Context(), "/stats?filter=vm_reload_success")
	if err != nil || !strings.Contains(page, ": 1") {
		t.Errorf("Envoy counts no new VM: %s %v", page, err)
	}
}

// probeOf is the first answer to a request that is not refused for want of a
// slot.
func (g *gateway) probeOf(t *testing.T, r request) response {
	t.Helper()
	deadline := time.Now().Add(patience)
	for {
		res := g.do(t, r)
		if res.status == http.StatusOK {
			return res
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d %s", res.status, res.body)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// What makes it crash is in no filter that is not built for it.
func TestNoRequestCrashesTheRealFilter(t *testing.T) {
	binary, err := os.ReadFile(filterBinary(t))
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(bytes.ToLower(binary), []byte("x-sluice-crash")) {
		t.Error("the filter knows the header")
	}
	g := startGateway(t, setup{config: limitAll("requests", 10)})
	g.do(t, request{header: crashing}).is(t, 200).has(t, "x-ratelimit-remaining-requests", "9")
}
