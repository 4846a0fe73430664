package e2e

import (
	"fmt"
	"math"
	"strconv"
	"testing"
)

// What comes of a request that is not answered: a request that reached no
// upstream is refunded wholly, and so is one that the upstream found nobody's,
// but not to its address, from which keys may be guessed. An upstream's error
// costs no tokens and no money, but the request.
func TestRefunds(t *testing.T) {
	config := func(scope string) string {
		return fmt.Sprintf(`{
			"prices": {"*": {"input": 1, "output": 1}},
			"limits": [
				{"name": "inflight", "scope": [%[1]q], "dimension": "concurrency", "limit": 1},
				{"name": "%[1]s-requests", "scope": [%[1]q], "dimension": "requests", "limit": 1000, "window": "24h"},
				{"name": "%[1]s-tokens", "scope": [%[1]q], "dimension": "tokens", "limit": 100000, "window": "24h"},
				{"name": "%[1]s-cost", "scope": [%[1]q], "dimension": "cost_usd", "limit": 10, "window": "24h"}]}`, scope)
	}
	none := charge{}
	one := charge{requests: 1}
	g := &gatewayAt{startGateway(t, setup{own: true, edit: badEnds, config: config("key")}), "/v1/chat/completions"}
	for _, tt := range []struct {
		name    string
		end     func(*testing.T, *gatewayAt, string)
		key, ip charge
	}{
		{"answered", answered(""), usedOf100Tokens, usedOf100Tokens},
		{"upstream 401", refusedWith(401, "x-fake-status", "401"), none, one},
		{"upstream 403", refusedWith(403, "x-fake-status", "403"), none, one},
		{"upstream 400", refusedWith(400, "x-fake-status", "400"), one, one},
		{"upstream 500", refusedWith(500, "x-fake-status", "500"), one, one},
		{"upstream 502", refusedWith(502, "x-fake-status", "502"), one, one},
		{"upstream 429", refusedWith(429, "x-fake-status", "429"), one, one},
		{"no healthy host", refusedWith(503, "x-route", "empty"), none, none},
		{"connection refused", refusedWith(503, "x-route", "closed"), none, none},
		{"no route", refusedWith(404, "x-route", "none"), none, none},
		{"refused by another filter", refusedWith(403, "x-deny", "1"), none, none},
	} {
		for _, scope := range []struct {
			name string
			want charge
		}{{"key", tt.key}, {"ip", tt.ip}} {
			t.Run(tt.name+", by "+scope.name, func(t *testing.T) {
				if err := g.update(t, config(scope.name)); err != nil {
					t.Fatal(err)
				}
				before := remainingOf(t, g.probe(t, tt.name))
				tt.end(t, g, tt.name)
				after := remainingOf(t, g.probe(t, tt.name))
				// The first probe has come to its end meanwhile.
				if got := before.less(after).less(usedOf100Tokens); got != scope.want {
					t.Errorf("charged %+v, want %+v", got, scope.want)
				}
			})
		}
	}
}

// charge is what limits of three dimensions are charged.
type charge struct {
	requests, tokens, microdollars int
}

func (c charge) less(other charge) charge {
	return charge{c.requests - other.requests, c.tokens - other.tokens, c.microdollars - other.microdollars}
}

// usedOf100Tokens is what an answer costs that reports usageOf100.
var usedOf100Tokens = charge{1, 100, 100}

// remainingOf is what remains, as an answer tells.
func remainingOf(t *testing.T, r response) charge {
	t.Helper()
	dollars, err := strconv.ParseFloat(r.header.Get("x-ratelimit-remaining-cost"), 64)
	if err != nil {
		t.Fatal(err)
	}
	return charge{
		requests: r.number(t, "x-ratelimit-remaining-requests"), tokens: r.number(t, "x-ratelimit-remaining-tokens"),
		microdollars: int(math.Round(dollars * 1e6)),
	}
}
