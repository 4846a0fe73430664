package e2e

import (
	"strings"
	"testing"
)

// Counters survive a configuration update, and a changed limit applies at once
// to the use so far (P18).
func TestCountersSurviveAnUpdate(t *testing.T) {
	g := startGateway(t, setup{config: limitAll("requests", 3)})
	g.do(t, request{}).is(t, 200)
	g.do(t, request{}).is(t, 200).has(t, "x-ratelimit-remaining-requests", "1")
	if err := g.update(t, limitAll("requests", 5)); err != nil {
		t.Fatal(err)
	}
	g.do(t, request{}).is(t, 200).has(t, "x-ratelimit-limit-requests", "5", "x-ratelimit-remaining-requests", "2")
	if err := g.update(t, limitAll("requests", 2)); err != nil {
		t.Fatal(err)
	}
	g.do(t, request{}).is(t, 429).has(t, "x-ratelimit-limit-requests", "2", "x-ratelimit-remaining-requests", "0")
}

// badConfig has three problems.
const badConfig = `{"limits": [
	{"name": "a", "dimension": "requests", "limit": 0, "window": "1m"},
	{"name": "a", "dimension": "requests", "limit": 1, "window": "soon"}], "rolle": "gateway"}`

// problemPaths are the places of its problems.
var problemPaths = []string{"limits[0].limit", "limits[1].window", "rolle"}

// A bad configuration is refused with all its problems named, and the old one
// keeps serving (P19).
func TestBadUpdateIsRefused(t *testing.T) {
	g := startGateway(t, setup{config: limitAll("requests", 3), expect: "wasm|Wasm"})
	g.do(t, request{}).is(t, 200)
	if err := g.update(t, badConfig); err == nil {
		t.Fatal("the bad update was taken")
	}
	for _, path := range problemPaths {
		if !strings.Contains(g.log.String(), path) {
			t.Errorf("Envoy's log does not name %s", path)
		}
	}
	g.do(t, request{}).is(t, 200).has(t, "x-ratelimit-remaining-requests", "1")
}

func TestBadConfigurationStopsTheStart(t *testing.T) {
	i, err := launch(t, setup{config: badConfig, static: true})
	if err == nil {
		i.stop() //nolint:errcheck // It should not have started at all.
		t.Fatal("Envoy started")
	}
	for _, path := range problemPaths {
		if !strings.Contains(err.Error(), path) {
			t.Errorf("%s is not named: %v", path, err)
		}
	}
}
