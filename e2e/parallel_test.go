package e2e

import (
	"fmt"
	"io"
	"strconv"
	"sync"
	"testing"
	"time"

	"sluice/e2e/fakellm"
)

// parallel is how many requests a flood sends at once, and runs how often each
// kind of limit is flooded: a race shows in one run or another.
const (
	parallel = 500
	runs     = 10
)

// Of many requests at once exactly as many pass as the limits hold, with any
// number of workers (P15): no use is lost to a race.
func TestParallelRequestsAreAdmittedExactly(t *testing.T) {
	const admitted = 50
	each := estimate(t)
	limit := func(name, scope, dimension string, n any) string {
		return fmt.Sprintf(`{"name": %q, "scope": [%s], "dimension": %q, "limit": %v, "window": "1h"}`, name, scope, dimension, n)
	}
	// A token costs a millionth of a US$.
	dollars := func(tokens int) string { return strconv.FormatFloat(float64(tokens)/1e6, 'f', -1, 64) }
	for _, tt := range []struct{ name, limits string }{
		{"requests", limit("all", "", "requests", admitted)},
		{"tokens", limit("all", "", "tokens", admitted*each+each/2)},
		{"cost", limit("all", "", "cost_usd", dollars(admitted*each+each/2))},
		{"concurrency", `{"name": "all", "dimension": "concurrency", "limit": 50}`},
		{"three together", limit("r", `"key"`, "requests", 70) + "," + limit("t", `"path"`, "tokens", 60*each) + "," +
			limit("c", "", "cost_usd", dollars(admitted*each))},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for run := range runs {
				g := startGateway(t, setup{config: `{"prices": {"*": {"input": 1, "output": 1}}, "limits": [` + tt.limits + `]}`})
				flood(t, g, exactChat, parallel, admitted)
				if t.Failed() {
					t.Fatalf("in run %d", run)
				}
			}
		})
	}
}

// exactChat is a request whose reservation is no guess.
var exactChat = chat(`"max_tokens":1000`)

// estimate is how many tokens are reserved for exactChat.
func estimate(t *testing.T) int {
	t.Helper()
	g := startGateway(t, setup{config: limitAll("tokens", 1_000_000)})
	return 1_000_000 - g.do(t, request{body: exactChat}).is(t, 200).number(t, "x-ratelimit-remaining-tokens")
}

// After the wait that a refusal tells, exactly one more request of the same size
// is admitted.
func TestOneMoreIsAdmittedAfterTheWait(t *testing.T) {
	for _, algorithm := range []string{"fixed", "sliding", "token_bucket"} {
		t.Run(algorithm, func(t *testing.T) {
			g := startGateway(t, setup{config: fmt.Sprintf(`{"limits": [
				{"name": "all", "dimension": "requests", "limit": 1, "window": "2s", "algorithm": %q}]}`, algorithm)})
			g.do(t, request{}).is(t, 200)
			refused := g.do(t, request{}).is(t, 429)
			// The wait itself is what is tested: there is nothing to await.
			time.Sleep(time.Duration(refused.number(t, "retry-after-ms")) * time.Millisecond)
			g.do(t, request{}).is(t, 200)
			g.do(t, request{}).is(t, 429)
		})
	}
}

func limitAll(dimension string, limit int) string {
	return fmt.Sprintf(`{"limits": [{"name": "all", "scope": [], "dimension": %q, "limit": %d, "window": "1h"}]}`, dimension, limit)
}

// flood sends many requests at once, of which so many are to be admitted. The
// provider holds its answers until all are decided: none settles before.
func flood(t *testing.T, g *gateway, body string, requests, admitted int) {
	t.Helper()
	gate := make(chan struct{})
	g.provider.Use(func(fakellm.Request) fakellm.Script { return fakellm.Script{Chunks: 2, Gate: gate} })

	statuses := make(chan int, requests)
	var all sync.WaitGroup
	for range requests {
		all.Go(func() {
			res, err := g.open(t, request{body: body})
			if err != nil {
				t.Error(err)
				statuses <- 0
				return
			}
			defer res.Body.Close()
			statuses <- res.StatusCode
			<-gate
			if _, err := io.Copy(io.Discard, res.Body); err != nil {
				t.Error(err)
			}
		})
	}
	got := map[int]int{}
	for range requests {
		got[<-statuses]++
	}
	close(gate)
	all.Wait()
	if got[200] != admitted || got[429] != requests-admitted {
		t.Errorf("statuses %v, want 200 for %d and 429 for the rest", got, admitted)
	}
	if n := g.provider.Count(); n != admitted {
		t.Errorf("the provider saw %d requests, want %d", n, admitted)
	}
}
