package main

import (
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"testing"

	"sluice/internal/envoytest"
)

const workers = 4

func manyWorkers(o *envoytest.Options) { o.Workers = workers }

// race lets every third write meet a newer value, so that it has to be done
// again.
func race(shared *envoytest.SharedData) {
	var mu sync.Mutex
	dice := rand.New(rand.NewPCG(1, 2))
	shared.BeforeSet = func(key string) {
		mu.Lock()
		defer mu.Unlock()
		if dice.IntN(3) == 0 {
			touch(shared, key)
		}
	}
}

// P15: of two who both found no counter, the second must not overwrite the first.
func TestTwoFirstRequestsAreBothCounted(t *testing.T) {
	onBoth(t, func(t *testing.T, start starter) {
		first, second := envoytest.NewSharedData(), envoytest.NewSharedData()
		other := start(t, one(`"limit":10`), func(o *envoytest.Options) { o.SharedData = first })
		for _, seed := range first.Keys() {
			value, _ := first.Get(seed)
			second.Set(seed, value)
		}
		other.Do(chat(aKey), ok)

		g := start(t, one(`"limit":10`), func(o *envoytest.Options) { o.SharedData = second })
		second.BeforeSet = func(key string) {
			if strings.HasSuffix(key, "/depths") {
				return // of the table, not yet a counter
			}
			second.BeforeSet = nil
			value, there := first.Get(key)
			if !there {
				t.Errorf("no counter is found at %s", key)
			}
			second.Set(key, value)
		}
		has(t, g.Do(chat(aKey), ok), 200, "x-ratelimit-remaining", "8")
	})
}

// P15: of any number of requests at once as many pass as the limit holds.
func TestParallelRequestsAreAdmittedExactly(t *testing.T) {
	const each, maximum = 40, 500 // requests of a worker, tokens
	onBoth(t, func(t *testing.T, start starter) {
		request := chat(aKey, `"max_tokens":500`)
		e := maximum + number(t, state(start(t, "").Do(request, ok), "reserve_tokens"))
		for name, config := range map[string]string{
			"requests":         one(`"limit":50`),
			"tokens":           one(`"dimension":"tokens","limit":` + strconv.Itoa(50*e+e/2)),
			"both, two scopes": withLimits("", `"limit":50`, `"scope":[],"dimension":"tokens","limit":`+strconv.Itoa(100*e)),
		} {
			t.Run(name, func(t *testing.T) {
				g := start(t, config, manyWorkers)
				race(g.SharedData())
				var statuses [workers][]int
				var all sync.WaitGroup
				for worker := range workers {
					all.Go(func() {
						r := request
						r.Worker = worker
						for range each {
							statuses[worker] = append(statuses[worker], g.Do(r, ok).Status)
						}
					})
				}
				all.Wait()
				count := map[int]int{}
				for _, of := range statuses {
					for _, status := range of {
						count[status]++
					}
				}
				if count[200] != 50 || count[429] != workers*each-50 {
					t.Errorf("statuses %v, want 50 times 200 and else 429", count)
				}
				if g.counter("sluice_cas_retries") == 0 {
					t.Error("no race was lost: this tests nothing")
				}
			})
		}
	})
}

// Whole requests come between a worker's read and its write. Only VMs of their
// own can run inside each other, so this is for the wasm alone.
func TestRequestsInsideARequestAreAllCounted(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the wasm binary")
	}
	const limit = 10
	g := started(newWasm)(t, withLimits("", `"limit":`+strconv.Itoa(limit), `"scope":[],"limit":1000`), manyWorkers)
	admitted, depth := 0, 0
	ask := func(worker int) {
		r := chat(aKey)
		r.Worker = worker
		if g.Do(r, ok).Status == 200 {
			admitted++
		}
	}
	g.SharedData().BeforeSet = func(string) {
		if depth++; depth < workers {
			ask(depth)
		}
		depth--
	}
	for range limit {
		ask(0)
	}
	if admitted != limit {
		t.Errorf("%d requests are admitted, want %d", admitted, limit)
	}
}

// Charges and refunds that race lose nothing.
func TestParallelSettlementsLoseNothing(t *testing.T) {
	onBoth(t, func(t *testing.T, start starter) {
		const each = 20
		g := start(t, one(`"dimension":"tokens","limit":1000000`), manyWorkers)
		race(g.SharedData())
		var all sync.WaitGroup
		for worker := range workers {
			all.Go(func() {
				r := chat(aKey, `"max_tokens":500`)
				r.Worker = worker
				for range each {
					g.Do(r, usage(7, 16))
				}
			})
		}
		all.Wait()
		g.SharedData().BeforeSet = nil
		r := g.Do(chat(aKey, `"max_tokens":500`), ok)
		want := 1000000 - workers*each*23 - 500 - number(t, state(r, "reserve_tokens"))
		if got := remaining(t, r, "tokens"); got != want {
			t.Errorf("%d remain, want %d", got, want)
		}
	})
}
