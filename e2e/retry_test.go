package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"sluice/e2e/fakellm"
)

// retried is how many requests come at once, each time.
const retried = 40

// After exactly the wait that a refusal tells, exactly as many requests of the
// same size are admitted as fit then: of a fixed window all that it holds, of a
// sliding one and a token bucket the one that was waited for.
func TestAfterTheWaitExactlyWhatFitsIsAdmitted(t *testing.T) {
	each := estimate(t)
	type limit struct {
		dimension, algorithm, window string
		holds                        int // requests
	}
	type scenario struct {
		limits       []limit
		first, again int // admitted of a flood, and of another after the wait
	}
	scenarios := map[string]scenario{
		"three together": {[]limit{
			{"requests", "fixed", "5s", 9}, {"tokens", "sliding", "5s", 8}, {"cost_usd", "token_bucket", "8s", 2}}, 2, 1},
		"the longest counts": {[]limit{
			{"requests", "fixed", "5s", 4}, {"tokens", "fixed", "4s", 4}, {"cost_usd", "fixed", "3s", 4}}, 4, 4},
	}
	for _, dimension := range []string{"requests", "tokens", "cost_usd"} {
		scenarios[dimension+" fixed"] = scenario{[]limit{{dimension, "fixed", "4s", 5}}, 5, 5}
		scenarios[dimension+" sliding"] = scenario{[]limit{{dimension, "sliding", "4s", 1}}, 1, 1}
		scenarios[dimension+" token bucket"] = scenario{[]limit{{dimension, "token_bucket", "8s", 2}}, 2, 1}
	}

	var limits []string
	for name, s := range scenarios {
		for i, l := range s.limits {
			holds := strconv.Itoa(l.holds)
			switch l.dimension {
			case "tokens":
				holds = strconv.Itoa(l.holds * each)
			case "cost_usd": // A token costs a millionth of a US$.
				holds = strconv.FormatFloat(float64(l.holds*each)/1e6, 'f', -1, 64)
			}
			limits = append(limits, fmt.Sprintf(`{"name": "%s-%d", "dimension": %q, "limit": %s, "window": %q, "algorithm": %q, "match": {"attribute": {"scenario": [%q]}}}`,
				strings.ReplaceAll(name, " ", "-"), i, l.dimension, holds, l.window, l.algorithm, name))
		}
	}
	g := startGateway(t, setup{config: `{
		"attributes": {"scenario": {"headers": ["x-scenario"]}},
		"prices": {"*": {"input": 1, "output": 1}},
		"limits": [` + strings.Join(limits, ",") + `]}`})
	// No answer ends before all is over: nothing is settled meanwhile.
	g.provider.Use(func(fakellm.Request) fakellm.Script {
		return fakellm.Script{Chunks: 2, Gate: make(chan struct{})}
	})
	var all sync.WaitGroup
	for name, s := range scenarios {
		all.Go(func() {
			admitted, free := g.wave(t, name)
			if len(admitted) != s.first {
				t.Errorf("%s: %d are admitted, want %d", name, len(admitted), s.first)
				return
			}
			// The wait itself is what is tested: there is nothing to await.
			time.Sleep(time.Until(free))
			if admitted, _ = g.wave(t, name); len(admitted) != s.again {
				t.Errorf("%s: %d more are admitted after the wait, want %d", name, len(admitted), s.again)
			}
		})
	}
	all.Wait()
}

// A slot that was given back is free for exactly one more when a retry comes.
func TestASlotThatIsFreeAdmitsOneMore(t *testing.T) {
	const slots = 5
	g := startGateway(t, setup{config: `{"limits": [{"name": "slots", "scope": [], "dimension": "concurrency", "limit": 5}]}`})
	gate := make(chan struct{})
	g.provider.Use(func(fakellm.Request) fakellm.Script { return fakellm.Script{Chunks: 2, Gate: gate} })

	admitted, free := g.wave(t, "")
	if len(admitted) != slots {
		t.Fatalf("%d are admitted, want %d", len(admitted), slots)
	}
	ended := make(chan error, slots)
	for _, res := range admitted {
		go func() {
			_, err := io.Copy(io.Discard, res.Body)
			ended <- err
		}()
	}
	time.Sleep(time.Until(free))
	more, free := g.wave(t, "")
	if len(more) != 0 {
		t.Errorf("%d are admitted while all slots are taken", len(more))
	}
	gate <- struct{}{}
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	time.Sleep(time.Until(free))
	if more, _ = g.wave(t, ""); len(more) != 1 {
		t.Errorf("%d are admitted to one slot that is free", len(more))
	}
}

// wave sends some requests at once, and returns the answers to those that were
// admitted, and when the first of the others may come again.
func (g *gateway) wave(t *testing.T, scenario string) (admitted []*http.Response, free time.Time) {
	var mu sync.Mutex
	var all sync.WaitGroup
	for range retried {
		all.Go(func() {
			res, err := g.open(t, request{body: exactChat, header: http.Header{"X-Scenario": {scenario}}})
			if err != nil {
				t.Error(err)
				return
			}
			got := time.Now()
			if res.StatusCode == http.StatusOK {
				t.Cleanup(func() { res.Body.Close() })
				mu.Lock()
				defer mu.Unlock()
				admitted = append(admitted, res)
				return
			}
			defer res.Body.Close()
			wait, err := waitOf(res)
			if err != nil {
				t.Errorf("%s: %v", scenario, err)
				return
			}
			mu.Lock()
			defer mu.Unlock()
			if at := got.Add(wait); free.IsZero() || at.Before(free) {
				free = at
			}
		})
	}
	all.Wait()
	return admitted, free
}

// waitOf is the wait that a refusal tells, in its headers and its body alike.
func waitOf(res *http.Response) (time.Duration, error) {
	body, err := io.ReadAll(res.Body)
	if err != nil {
		return 0, err
	}
	var told struct {
		Error struct {
			RetryAfter *int `json:"retry_after"`
		}
	}
	if err := json.Unmarshal(body, &told); err != nil || res.StatusCode != http.StatusTooManyRequests {
		return 0, fmt.Errorf("%s: %s", res.Status, body)
	}
	ms, err := strconv.Atoi(res.Header.Get("retry-after-ms"))
	seconds := strconv.Itoa((ms + 999) / 1000)
	if err != nil || res.Header.Get("retry-after") != seconds || told.Error.RetryAfter == nil || strconv.Itoa(*told.Error.RetryAfter) != seconds {
		return 0, fmt.Errorf("the wait is told as %v and %s", res.Header, body)
	}
	return time.Duration(ms) * time.Millisecond, nil
}
