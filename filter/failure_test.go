package main

import (
	"errors"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm/types"

	"sluice/internal/envoytest"
)

const failedAllowed = "sluice_requests;decision=error;provider=openai_compatible;model=other"

// A store that fails does with requests what on_error says, and nothing worse.
func TestABrokenStoreObeysOnError(t *testing.T) {
	for _, admission := range []string{"body", "headers"} {
		for _, policy := range []string{"allow", "deny"} {
			t.Run(admission+"/"+policy, func(t *testing.T) {
				onBoth(t, func(t *testing.T, start starter) {
					g := start(t, withLimits(`"on_error":"`+policy+`","admission":"`+admission+`"`, `"limit":5`))
					g.SharedData().Broken = func(string) bool { return true }
					r := g.Do(chat(aKey), answers(200, "{}", "x-ratelimit-limit", "junk"))
					if policy == "allow" {
						has(t, r, 200, "x-ratelimit-limit", "-")
						if string(r.Body) != "{}" || string(r.Upstream.Body) != string(chat(aKey).Body) {
							t.Errorf("it did not pass as it came: %+v", r)
						}
					} else {
						wantInternalError(t, r)
					}
					if got := state(r, "decision"); got != "error" {
						t.Errorf("the decision is %q", got)
					}
					if got := g.counter("sluice_internal_errors;kind=store"); got != 1 {
						t.Errorf("%d failures are counted", got)
					}
					if got := g.counter(failedAllowed); got != 1 {
						t.Errorf("%d requests are counted as failed", got)
					}
					if logs := g.Logs(envoytest.Error); len(logs) != 1 || !strings.Contains(logs[0].Message, "store") {
						t.Errorf("logs %v", logs)
					}

					// The next one is as if nothing had been.
					g.SharedData().Broken = nil
					has(t, g.Do(chat(aKey), ok), 200, "x-ratelimit-remaining", "4")
				})
			})
		}
	}
}

func wantInternalError(t *testing.T, r *envoytest.Result) {
	t.Helper()
	has(t, r, 500, "content-type", "application/json", "retry-after", "-", "x-ratelimit-limit", "-")
	if p := problem(t, r); p["type"] != "api_error" || p["code"] != "internal_error" || p["source"] != "gateway" {
		t.Errorf("error %v", p)
	}
	if r.Upstream != nil {
		t.Error("it reached the upstream")
	}
}

// A request is over when it is settled: a failure there is counted, and that
// is all.
func TestAStoreThatBreaksBeforeTheEnd(t *testing.T) {
	onBoth(t, func(t *testing.T, start starter) {
		g := start(t, withLimits(`"on_error":"deny"`, `"dimension":"tokens","limit":5000`))
		r := g.Do(chat(aKey, `"max_tokens":100`), func(r envoytest.Request) envoytest.Response {
			g.SharedData().Broken = func(string) bool { return true }
			return usage(1, 1)(r)
		})
		has(t, r, 200)
		if got := g.counter("sluice_internal_errors;kind=settle"); got != 1 {
			t.Errorf("%d failures are counted", got)
		}
		if state(r, "decision") != "allowed" || state(r, "total_tokens") != "2" {
			t.Errorf("filter state %v", r.FilterState)
		}
	})
}

// A store whose every write comes too late: busy, not broken.
func TestContentionIsAThrottle(t *testing.T) {
	for _, policy := range []string{"allow", "deny"} {
		t.Run(policy, func(t *testing.T) {
			onBoth(t, func(t *testing.T, start starter) {
				g := start(t, withLimits(`"on_error":"`+policy+`"`, `"limit":5`))
				g.Do(chat(aKey), ok)
				shared := g.SharedData()
				shared.BeforeSet = func(key string) { touch(shared, key) }
				r := g.Do(chat(aKey), unasked(t))
				has(t, r, 429, "retry-after", "1", "x-should-retry", "true")
				if p := problem(t, r); p["class"] != "throttle" {
					t.Errorf("error %v", p)
				}
				shared.BeforeSet = nil
				if g.counter("sluice_cas_retries") == 0 {
					t.Error("the lost races are not counted")
				}
				has(t, g.Do(chat(aKey), ok), 200, "x-ratelimit-remaining", "3")
			})
		})
	}
}

// touch makes a value newer: to the filter another worker has changed it.
func touch(shared *envoytest.SharedData, key string) {
	if value, there := shared.Get(key); there {
		shared.Set(key, value)
	}
}

// P41, P42: a panic ends neither the VM nor what it says in the log as dozens of
// lines. Only the native filter can be made to panic from outside.
func TestAPanicObeysOnError(t *testing.T) {
	type failure func(*envoytest.SharedData, func())
	write := func(shared *envoytest.SharedData, panics func()) { shared.BeforeSet = func(string) { panics() } }
	read := func(shared *envoytest.SharedData, panics func()) {
		shared.Broken = func(string) bool { panics(); return false }
	}
	var none []int
	for name, c := range map[string]struct {
		fail   failure
		panics func()
		says   string
	}{
		"of the runtime, while it writes": {write, func() { _ = none[len(none)] }, "index out of range"},
		"of the runtime, while it reads":  {read, func() { _ = none[len(none)] }, "index out of range"},
		"with a text of its own":          {write, func() { panic("holds sk-secret") }, "panic"},
		"with an error of its own":        {write, func() { panic(errors.New("holds sk-secret")) }, "panic"},
	} {
		for _, policy := range []string{"allow", "deny"} {
			t.Run(name+"/"+policy, func(t *testing.T) {
				start := started(newNative)
				g := start(t, withLimits(`"reserve":{"learn":false},"on_error":"`+policy+`"`, `"limit":5`))
				c.fail(g.SharedData(), c.panics)
				r := g.Do(chat(aKey), ok)
				if policy == "allow" {
					has(t, r, 200, "x-ratelimit-limit", "-")
				} else {
					wantInternalError(t, r)
				}
				if got := state(r, "decision"); got != "error" {
					t.Errorf("the decision is %q", got)
				}
				logs := g.Logs(envoytest.Error)
				if len(logs) != 1 || !strings.Contains(logs[0].Message, c.says) || !strings.Contains(logs[0].Message, "sluice/limits.(*Engine)") ||
					strings.Contains(logs[0].Message, "secret") || strings.Contains(logs[0].Message, "\n") {
					t.Errorf("logs %v", logs)
				}
				if got := g.counter("sluice_internal_errors;kind=panic"); got != 1 {
					t.Errorf("%d panics are counted", got)
				}
				g.SharedData().BeforeSet, g.SharedData().Broken = nil, nil
				has(t, g.Do(chat(aKey), ok), 200, "x-ratelimit-remaining", "4")
			})
		}
	}
}

func TestAPanicAtTheEndIsCounted(t *testing.T) {
	g := started(newNative)(t, withLimits(`"on_error":"deny"`, `"dimension":"tokens","limit":5000`)) // too late to deny
	r := g.Do(chat(aKey), func(r envoytest.Request) envoytest.Response {
		g.SharedData().BeforeSet = func(string) { panic("late") }
		return usage(1, 1)(r)
	})
	has(t, r, 200)
	if got := g.counter("sluice_internal_errors;kind=panic"); got != 1 {
		t.Errorf("%d panics are counted", got)
	}
}

// One at the start refuses the configuration, and no VM dies of it.
func TestAPanicAtTheStartRefusesTheConfiguration(t *testing.T) {
	g := prepared(t, newNative)
	g.SharedData().Broken = func(string) bool { panic("early") }
	if err := g.Start([]byte(one(`"limit":5`))); err == nil || !strings.Contains(err.Error(), "panic") {
		t.Errorf("Start: %v", err)
	}
}

func TestABrokenStoreAtTheStartRefusesTheConfiguration(t *testing.T) {
	g := prepared(t, newNative)
	g.SharedData().Broken = func(string) bool { return true }
	if err := g.Start([]byte(one(`"limit":5`))); err == nil || !strings.Contains(err.Error(), "shared data") {
		t.Errorf("Start: %v", err)
	}
}

// P17: what others write under the filter's keys is replaced and counted.
func TestGarbageInTheStoreIsSurvived(t *testing.T) {
	random := rand.NewChaCha8([32]byte{7})
	dice := rand.New(random)
	noise := func(n int) []byte {
		b := make([]byte, n)
		random.Read(b)
		return b
	}
	onBoth(t, func(t *testing.T, start starter) {
		g := start(t, withLimits("", `"limit":5`, `"dimension":"tokens","limit":100000`))
		has(t, g.Do(chat(aKey), ok), 200)
		var bucket string
		for _, key := range g.SharedData().Keys() {
			if !strings.HasSuffix(key, "/seed") {
				bucket = key
			}
		}
		whole, _ := g.SharedData().Get(bucket)
		for i := range 300 {
			var value []byte
			switch i % 4 {
			case 0:
				value = noise(1 + dice.IntN(400))
			case 1: // of the right version
				value = append([]byte{whole[0]}, noise(dice.IntN(400))...)
			case 2: // cut
				value = slices.Clone(whole[:1+dice.IntN(len(whole)-1)])
			case 3: // with changed bytes
				value = slices.Clone(whole)
				for range 3 {
					value[dice.IntN(len(value))] = byte(dice.Uint32())
				}
			}
			g.SharedData().Set(bucket, value)
			if r := g.Do(chat(aKey), ok); r.Status != 200 && r.Status != 429 {
				t.Fatalf("%x: status %d", value, r.Status)
			}
		}
		g.SharedData().Set(bucket, []byte("garbage"))
		has(t, g.Do(chat(aKey), ok), 200, "x-ratelimit-remaining", "4")
		has(t, g.Do(chat(aKey), ok), 200, "x-ratelimit-remaining", "3")
		if g.counter("sluice_internal_errors;kind=state") < 100 {
			t.Errorf("only %d pieces of garbage are counted", g.counter("sluice_internal_errors;kind=state"))
		}

		// The seed, too: at the next start there is another.
		for _, key := range g.SharedData().Keys() {
			g.SharedData().Set(key, noise(40))
		}
		g.reconfigure(t, one(`"limit":5`))
		has(t, g.Do(chat(aKey), ok), 200, "x-ratelimit-remaining", "4")
	})
}

// The recover of a callback that panics even while it fails lets the stream go.
func TestAFailureThatFails(t *testing.T) {
	s := &stream{} // without a plug-in nothing works
	action := types.ActionPause
	func() {
		defer s.recover(&action)
		panic(runtime.Error(&runtime.TypeAssertionError{}))
	}()
	if action != types.ActionContinue {
		t.Errorf("action %v", action)
	}
}
