package main

import (
	"strings"
	"testing"
	"time"

	"sluice/internal/envoytest"
)

// P19: a configuration is refused as a whole, with all that is wrong.
func TestABadConfigurationNamesAllProblems(t *testing.T) {
	const bad = `{"surprise":1,"limits":[{"name":"A b","dimension":"wishes","limit":0,"window":"soon"},{"name":"x"}],"on_error":"maybe"}`
	problems := []string{"surprise", "limits[0].name", "limits[0].dimension", "limits[0].limit", "limits[0].window",
		"limits[1].dimension", "limits[1].limit", "limits[1].window", "on_error"}
	for runner, run := range map[string]runner{"native": newNative, "wasm": newWasm} {
		t.Run(runner, func(t *testing.T) {
			if runner == "wasm" && testing.Short() {
				t.Skip("builds the wasm binary")
			}
			g := prepared(t, run)
			err := g.Start([]byte(bad))
			if err == nil {
				t.Fatal("it is accepted")
			}
			for _, p := range problems {
				if !strings.Contains(err.Error(), p) {
					t.Errorf("%s is not named: %v", p, err)
				}
			}
			if logs := g.Logs(envoytest.Error, envoytest.Warn); len(logs) != 1 {
				t.Errorf("it takes %d messages: %v", len(logs), logs)
			}
		})
	}
}

func TestNoConfigurationMeansNoLimits(t *testing.T) {
	onBoth(t, func(t *testing.T, start starter) {
		for _, config := range []string{"", "{}", `{"limits":[]}`} {
			r := start(t, config).Do(chat(aKey), usage(7, 16))
			has(t, r, 200, "x-ratelimit-limit", "-")
			if state(r, "total_tokens") != "23" || state(r, "decision") != "allowed" {
				t.Errorf("filter state %v", r.FilterState)
			}
		}
	})
}

// P18: counters outlive a configuration, and its ceilings hold at once.
func TestAnUpdateKeepsTheCounters(t *testing.T) {
	onBoth(t, func(t *testing.T, start starter) {
		g := start(t, one(`"name":"rpm","limit":5`))
		for range 3 {
			g.Do(chat(aKey), ok)
		}
		g.pass(20 * time.Second)
		g.reconfigure(t, one(`"name":"rpm","limit":10`))
		has(t, g.Do(chat(aKey), ok), 200, "x-ratelimit-limit", "10", "x-ratelimit-remaining", "6", "x-ratelimit-reset", "40")
		g.reconfigure(t, one(`"name":"rpm","limit":2`))
		has(t, g.Do(chat(aKey), unasked(t)), 429, "x-ratelimit-limit", "2", "x-ratelimit-remaining", "0", "retry-after", "40")

		// Beside other limits, too, and in another order.
		g.reconfigure(t, withLimits("", `"name":"first","limit":50`, `"name":"rpm","limit":5`, `"name":"all","scope":[],"limit":50`))
		has(t, g.Do(chat(aKey), ok), 200, "x-ratelimit-limit", "5", "x-ratelimit-remaining", "0")
	})
}

func TestABadUpdateChangesNothing(t *testing.T) {
	onBoth(t, func(t *testing.T, start starter) {
		g := start(t, one(`"limit":2`))
		g.Do(chat(aKey), ok)
		if err := g.Reconfigure([]byte(`{"limits":[{"name":"x"}]}`)); err == nil {
			t.Fatal("it is accepted")
		}
		has(t, g.Do(chat(aKey), ok), 200, "x-ratelimit-remaining", "0")
		has(t, g.Do(chat(aKey), unasked(t)), 429)
	})
}

// A stream stays with the configuration that it began with, and is settled by it.
func TestAStreamOutlivesItsConfiguration(t *testing.T) {
	onBoth(t, func(t *testing.T, start starter) {
		g := start(t, one(`"name":"tpm","dimension":"tokens","limit":10000`))
		request := chat(aKey, `"max_tokens":500`)
		s := g.NewStream(envoytest.StreamOptions{})
		s.RequestHeaders(request.Headers, false)
		s.RequestBody(request.Body, true)
		g.reconfigure(t, one(`"name":"tpm","dimension":"tokens","limit":5000`))
		answer := usage(100, 200)(envoytest.Request{})
		s.ResponseHeaders(append(envoytest.Headers{{":status", "200"}}, answer.Headers...), false)
		s.ResponseBody(answer.Body, true)
		s.Done()
		has(t, s.Result(), 200, "x-ratelimit-limit-tokens", "10000")
		next := g.Do(request, ok)
		if got, want := remaining(t, next, "tokens"), 5000-300-500-number(t, state(next, "reserve_tokens")); got != want {
			t.Errorf("%d remain, want %d", got, want)
		}
	})
}

// P18: counters outlive a VM, and another namespace has others.
func TestCountersOutliveTheVM(t *testing.T) {
	onBoth(t, func(t *testing.T, start starter) {
		shared := envoytest.NewSharedData()
		same := func(o *envoytest.Options) { o.SharedData = shared }
		start(t, one(`"limit":5`), same).Do(chat(aKey), ok)
		has(t, start(t, one(`"limit":5`), same).Do(chat(aKey), ok), 200, "x-ratelimit-remaining", "3")
		has(t, start(t, withLimits(`"state":{"namespace":"other"}`, `"limit":5`), same).Do(chat(aKey), ok), 200, "x-ratelimit-remaining", "4")
	})
}
