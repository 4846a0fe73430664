package main

import (
	"strings"
	"testing"

	"sluice/classify"
	"sluice/internal/envoytest"
)

// Ways in which a client, or an upstream, got more than a limit.

func TestABodyThatNeverEndsIsChargedAllTheSame(t *testing.T) {
	onBoth(t, func(t *testing.T, start starter) {
		g := start(t, early(`"dimension":"tokens","limit":10000`), unheld)
		r := chat(aKey, `"max_tokens":500`)
		s := g.NewStream(envoytest.StreamOptions{})
		s.RequestHeaders(append(envoytest.Headers{{":authority", "h"}}, r.Headers...), false)
		s.RequestBody(r.Body, false) // and no more
		s.ResponseHeaders(envoytest.Headers{{":status", "200"}, {"content-type", "text/event-stream"}}, false)
		s.ResponseBody([]byte("data: [DONE]\n\n"), true)
		s.Done()
		second := g.Do(r, ok)
		if got := remaining(t, second, "tokens"); got > 10000-2*500 {
			t.Errorf("%d remain: the first request was free", got)
		}
	})
}

func TestAnAnswerTooDeepToReadIsOnlyNotReported(t *testing.T) {
	onBoth(t, func(t *testing.T, start starter) {
		g := start(t, withLimits("", `"dimension":"tokens","limit":10000`))
		r := g.Do(chat(aKey), answers(200, strings.Repeat("[", 50_000)))
		has(t, r, 200)
		if got := state(r, "usage_source"); got != "estimated" {
			t.Errorf("usage %s", got)
		}
	})
}

func TestACallThatOnlyThePathTellsIsCounted(t *testing.T) {
	onBoth(t, func(t *testing.T, start starter) {
		for name, r := range map[string]envoytest.Request{
			"Titan":             post("/model/amazon.titan-text/invoke", `{"inputText":"Say hello to the world, please."}`),
			"keys in capitals":  post("/v1/chat/completions", `{"Model":"m","Messages":[{"Role":"user","Content":"Say hello."}]}`),
			"Gemini embeddings": post("/v1beta/models/e:embedContent", `{"content":{"parts":[{"text":"Say hello to the world."}]}}`),
		} {
			t.Run(name, func(t *testing.T) {
				g := start(t, withLimits("", `"scope":[],"dimension":"tokens","limit":10000`))
				if got := remaining(t, g.Do(r, ok), "tokens"); got >= 10000 {
					t.Errorf("%d tokens remain", got)
				}
			})
		}
	})
}

func TestEveryChoiceIsReservedFor(t *testing.T) {
	onBoth(t, func(t *testing.T, start starter) {
		g := start(t, withLimits("", `"dimension":"tokens","limit":1000000`))
		if got := remaining(t, g.Do(chat(aKey, `"n":10`), ok), "tokens"); got > 1_000_000-10*1024 {
			t.Errorf("%d tokens remain", got)
		}
	})
}

func TestHowACredentialIsSpacedMakesNoOther(t *testing.T) {
	onBoth(t, func(t *testing.T, start starter) {
		g := start(t, withLimits("", `"limit":1`))
		has(t, g.Do(chat(aKey), ok), 200)
		has(t, g.Do(post("/v1/chat/completions", string(chat(aKey).Body), "authorization", "Bearer\t"+aKey), ok), 429)
	})
}

func TestHowAHostIsWrittenMakesNoOtherProvider(t *testing.T) {
	for host, want := range map[string]string{
		"api.openai.com": "openai", "API.OpenAI.com": "openai", "api.openai.com.": "openai",
		"api.openai.com:443": "openai", "API.OPENAI.COM.:443": "openai", "example.com": "openai_compatible",
	} {
		if got := newTarget("", host, "/v1/chat/completions", nil).provider; got != want {
			t.Errorf("%s: %s, want %s", host, got, want)
		}
	}
}

// A gRPC client must see a status at which it does not retry at once.
func TestGRPCRefusalsHaveAStatusOfTheirOwn(t *testing.T) {
	policy := classify.DefaultPolicy()
	for want, e := range map[int]classify.Error{
		8:  {Class: classify.Throttle},
		13: internalError(),
		3:  badRequest("c", "m"),
	} {
		if got := policy.Answer(&e, classify.GRPC, 0, nil).GRPCStatus; got != want {
			t.Errorf("%+v is %d", e, got)
		}
	}
}

func TestObservingHoldsNothing(t *testing.T) {
	onBoth(t, func(t *testing.T, start starter) {
		g := start(t, withLimits(`"mode":"observe"`, `"dimension":"tokens","limit":1`), unheld)
		r := g.Do(inPieces(chat(aKey, `"max_tokens":500`), 20), usage(7, 16))
		has(t, r, 200)
		if r.Headers.Has("x-ratelimit-limit-tokens") {
			t.Errorf("headers %v", r.Headers)
		}
		for name, want := range map[string]string{
			"decision": "shadow_denied", "limit": "l0", "class": "too_large", "usage_source": "reported"} {
			if got := state(r, name); got != want {
				t.Errorf("%s is %q, want %q", name, got, want)
			}
		}
	})
}

func TestObservingTellsWhatABodyAloneWouldHaveCost(t *testing.T) {
	onBoth(t, func(t *testing.T, start starter) {
		g := start(t, withLimits(`"mode":"observe","body":{"unreadable":"deny"}`, `"limit":10`), unheld)
		r := g.Do(post("/v1/chat/completions", "no JSON"), ok)
		has(t, r, 200)
		if got := state(r, "decision"); got != "shadow_denied" {
			t.Errorf("decision %s", got)
		}
	})
}
