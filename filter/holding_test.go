package main

import (
	"strings"
	"testing"
	"time"

	"github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm/types"

	"sluice/internal/envoytest"
)

// stopped begins a chat whose headers the filter pauses.
func stopped(t *testing.T, g *gateway) *envoytest.Stream {
	t.Helper()
	s := g.NewStream(envoytest.StreamOptions{})
	request := chat(aKey)
	if action := s.RequestHeaders(append(envoytest.Headers{{":authority", "h"}}, request.Headers...), false); action != types.ActionPause {
		t.Fatal("the headers went on")
	}
	s.RequestBody(request.Body, true)
	return s
}

// P1: where Envoy only stops a stream, instead of holding its headers, nothing
// hangs for long, and soon nothing waits at all.
func TestAutoFindsOutThatNothingIsHeld(t *testing.T) {
	onBoth(t, func(t *testing.T, start starter) {
		g := start(t, withLimits("", `"limit":5`, `"dimension":"tokens","limit":100000`), unheld)
		var streams []*envoytest.Stream
		for range enoughSigns {
			streams = append(streams, stopped(t, g))
		}
		g.pass(patience / 2)
		g.Tick()
		if r := streams[0].Result(); r.Upstream != nil {
			t.Error("it went on after half a second: its client may be slow")
		}
		g.pass(patience)
		g.Tick()
		for _, s := range streams {
			r := s.Result()
			if r.Upstream == nil || string(r.Upstream.Body) != string(chat(aKey).Body) {
				t.Errorf("the upstream saw %+v", r.Upstream)
			}
			s.ResponseHeaders(envoytest.Headers{{":status", "200"}, {"content-type", "application/json"}}, false)
			s.ResponseBody([]byte(`{"usage":{"prompt_tokens":7,"completion_tokens":3}}`), true)
			s.Done()
		}
		if logs := warnings(g); len(logs) != 1 || !strings.Contains(logs[0], "allow_on_headers_stop_iteration") {
			t.Errorf("it warned %q", logs)
		}

		// From now on requests go on at once, and are counted like those before.
		r := g.Do(chat(aKey), usage(7, 3))
		has(t, r, 200, "x-ratelimit-remaining-requests", "1")
		if got := remaining(t, r, "tokens"); got >= 100000-30 || got < 100000-30-1100 {
			t.Errorf("%d tokens remain", got)
		}
		has(t, g.Do(chat(aKey), usage(7, 3)), 200)
		has(t, g.Do(chat(aKey), usage(7, 3)), 429)
	})
}

// What the limits refuse is refused then, too.
func TestAStoppedStreamCanBeRefused(t *testing.T) {
	onBoth(t, func(t *testing.T, start starter) {
		for name, c := range map[string]struct {
			config string
			status int
		}{
			"over a limit":                    {one(`"limit":1`), 429},
			"body, and failures are let pass": {withLimits(`"admission":"body"`, `"limit":1`), 0},
			"body, and failures are refused":  {withLimits(`"admission":"body","on_error":"deny"`, `"limit":1`), 500},
		} {
			t.Run(name, func(t *testing.T) {
				g := start(t, c.config, unheld)
				has(t, g.Do(get("/v1/models", "authorization", "Bearer "+aKey), ok), 200)
				s := stopped(t, g)
				g.pass(patience)
				g.Tick()
				r := s.Result()
				if r.Status != c.status || (r.Upstream == nil) != (c.status != 0) {
					t.Errorf("%d, the upstream saw %+v", r.Status, r.Upstream)
				}
				s.Done()
			})
		}
	})
}

// Clients that are slow to send their bodies are no sign: nobody must be able to
// switch the admission by bodies off.
func TestSlowClientsAreNoSign(t *testing.T) {
	onBoth(t, func(t *testing.T, start starter) {
		g := start(t, one(`"limit":100`))
		for range 2 * enoughSigns {
			s := g.NewStream(envoytest.StreamOptions{})
			s.RequestHeaders(append(envoytest.Headers{{":authority", "h"}}, chat(aKey).Headers...), false)
			g.pass(patience)
			g.Tick()
			if s.Result().Upstream == nil {
				t.Fatal("it was not let go")
			}
			g.pass(time.Second)
			s.RequestBody(chat(aKey).Body, true)
			s.Done()
		}
		if logs := warnings(g); len(logs) != 0 {
			t.Errorf("it warned %q", logs)
		}
		if s := g.NewStream(envoytest.StreamOptions{}); s.RequestHeaders(append(envoytest.Headers{{":authority", "h"}}, chat(aKey).Headers...), false) != types.ActionPause {
			t.Error("headers are held no more")
		}
	})
}

// With admission by bodies nothing hangs either, however many come.
func TestBodiesThatCannotBeWaitedFor(t *testing.T) {
	onBoth(t, func(t *testing.T, start starter) {
		g := start(t, withLimits(`"admission":"body"`, `"limit":1`), unheld)
		for range enoughSigns {
			s := stopped(t, g)
			g.pass(patience)
			g.Tick()
			if s.Result().Upstream == nil {
				t.Error("it was not let go")
			}
			s.Done()
		}
		for range 3 {
			r := g.Do(chat(aKey), ok) // it would fail the test if it hung
			has(t, r, 200)
			if state(r, "decision") != "error" {
				t.Errorf("decision %q", state(r, "decision"))
			}
		}
	})
}

// One body that comes while the headers wait shows that Envoy holds them: who is
// slow then is waited for.
func TestAutoFindsOutThatHeadersAreHeld(t *testing.T) {
	onBoth(t, func(t *testing.T, start starter) {
		g := start(t, one(`"limit":9`))
		has(t, g.Do(chat(aKey), ok), 200)
		s := g.NewStream(envoytest.StreamOptions{})
		s.RequestHeaders(append(envoytest.Headers{{":authority", "h"}}, chat(aKey).Headers...), false)
		g.pass(time.Hour)
		g.Tick()
		if s.Result().Upstream != nil {
			t.Error("it went on without its body")
		}
		s.RequestBody(chat(aKey).Body, true)
		if s.Result().Upstream == nil {
			t.Error("it did not go on with its body")
		}
		s.Done()
	})
}

// A client that leaves is no sign.
func TestStreamsThatEndAreNotWaitedFor(t *testing.T) {
	onBoth(t, func(t *testing.T, start starter) {
		g := start(t, one(`"limit":9`))
		for range 2 * enoughSigns {
			s := g.NewStream(envoytest.StreamOptions{})
			s.RequestHeaders(append(envoytest.Headers{{":authority", "h"}}, chat(aKey).Headers...), false)
			s.Disconnect()
		}
		g.pass(time.Hour)
		g.Tick()
		if logs := warnings(g); len(logs) != 0 {
			t.Errorf("it warned %q", logs)
		}
		has(t, g.Do(chat(aKey), ok), 200, "x-ratelimit-remaining", "8")
	})
}

// warnings is what the filter has logged as warnings.
func warnings(g *gateway) []string {
	var messages []string
	for _, l := range g.Logs(envoytest.Warn) {
		messages = append(messages, l.Message)
	}
	return messages
}
