package e2e

import (
	"fmt"
	"io"
	"sync"
	"testing"

	"sluice/e2e/fakellm"
)

// Of many requests at once exactly as many pass as the limit holds, with any
// number of workers (P15): no use is lost to a race.
func TestParallelRequestsAreAdmittedExactly(t *testing.T) {
	const admitted = 50
	g := startGateway(t, setup{config: limitAll("requests", admitted)})
	flood(t, g, chat(), 200, admitted)
}

func TestParallelTokensAreAdmittedExactly(t *testing.T) {
	const admitted = 50
	g := startGateway(t, setup{config: limitAll("tokens", 1_000_000)})
	body := chat(`"max_tokens":1000`)
	each := 1_000_000 - g.do(t, request{body: body}).is(t, 200).number(t, "x-ratelimit-remaining-tokens")
	used := g.accessLog.line(t, 0)["total_tokens"]

	// The limit holds what was used so far, fifty such requests and a half.
	var spent int
	fmt.Sscan(fmt.Sprint(used), &spent)
	if err := g.update(t, limitAll("tokens", spent+each*admitted+each/2)); err != nil {
		t.Fatal(err)
	}
	g.provider.Forget()
	flood(t, g, body, 200, admitted)
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
