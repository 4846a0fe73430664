package main

import (
	"strings"
	"testing"

	"sluice/internal/envoytest"
)

func TestRequestsAndTokensAreCounted(t *testing.T) {
	onBoth(t, func(t *testing.T, start starter) {
		g := start(t, withLimits("", `"name":"rpm","limit":4`, `"name":"tpm","dimension":"tokens","limit":100000`))
		request := chat(aKey, `"max_tokens":500`)
		first := g.Do(request, answers(200, `{"usage":{"prompt_tokens":40,"completion_tokens":700,"total_tokens":740,
			"prompt_tokens_details":{"cached_tokens":30},"completion_tokens_details":{"reasoning_tokens":9}}}`))
		estimate := uint64(number(t, state(first, "reserve_tokens")))
		if got := g.Counter("sluice_requests;decision=allowed;provider=openai_compatible;model=other"); got != 0 {
			t.Error("a count is handed over at once: it is to wait for the tick")
		}
		g.Do(request, usage(1, 2))
		g.Do(request, ok)
		g.Do(request, answers(429, "{}"))
		g.Do(request, unasked(t))
		g.Do(chat(aKey, `"max_tokens":200000`), unasked(t))
		g.Do(with(chat(anotherKey), ":path", "/v1/messages"), ok)

		for name, want := range map[string]uint64{
			"sluice_requests;decision=allowed;provider=openai_compatible;model=other": 4,
			"sluice_requests;decision=denied;provider=openai_compatible;model=other":  2,
			"sluice_requests;decision=allowed;provider=anthropic;model=other":         1,
			"sluice_denied;limit=rpm;dimension=requests":                              1,
			"sluice_denied;limit=tpm;dimension=tokens":                                1,
			"sluice_tokens;kind=estimated;provider=openai_compatible;model=other":     4 * estimate,
			"sluice_tokens;kind=reserved;provider=openai_compatible;model=other":      4 * (estimate + 500),
			"sluice_tokens;kind=refunded;provider=openai_compatible;model=other":      estimate + 497 + estimate + 500,
			"sluice_tokens;kind=overrun;provider=openai_compatible;model=other":       740 - estimate - 500,
			"sluice_tokens;kind=input;provider=openai_compatible;model=other":         41,
			"sluice_tokens;kind=output;provider=openai_compatible;model=other":        702,
			"sluice_tokens;kind=cached;provider=openai_compatible;model=other":        30,
			"sluice_tokens;kind=reasoning;provider=openai_compatible;model=other":     9,
			"sluice_usage_unavailable;reason=not_reported":                            2,
		} {
			if got := g.counter(name); got != want {
				t.Errorf("%s is %d, want %d", name, got, want)
			}
		}
		before := g.counter("sluice_requests;decision=allowed;provider=openai_compatible;model=other")
		if after := g.counter("sluice_requests;decision=allowed;provider=openai_compatible;model=other"); after != before {
			t.Errorf("another tick counts anew: %d, then %d", before, after)
		}
	})
}

// P39: names are never forgotten, so a client must not be able to make them.
func TestNoClientMakesAMetric(t *testing.T) {
	onBoth(t, func(t *testing.T, start starter) {
		g := start(t, one(`"limit":1`))
		ask := func(id string) {
			r := post("/"+id, `{"model":"`+id+`","messages":[]}`, ":authority", id+".test", "authorization", id, "x-tier", id)
			g.Do(r, ok)
			g.Do(with(r, ":method", id), ok)
		}
		ask("first")
		g.Tick()
		before := len(g.Metrics())
		for _, id := range []string{"a", "b", "c"} {
			ask(id)
		}
		g.Tick()
		if after := g.Metrics(); len(after) != before {
			t.Errorf("%d metrics, then %q", before, after)
		}
		for _, name := range g.Metrics() {
			if !strings.HasPrefix(name, "sluice_") {
				t.Errorf("metric %q", name)
			}
		}
	})
}

// Each worker hands over its own counts, a replaced configuration its last ones.
func TestNoCountIsLost(t *testing.T) {
	onBoth(t, func(t *testing.T, start starter) {
		const counter = "sluice_requests;decision=allowed;provider=openai_compatible;model=other"
		g := start(t, one(`"limit":100`), func(o *envoytest.Options) { o.Workers = 2 })
		for worker := range 2 {
			r := chat(aKey)
			r.Worker = worker
			g.Do(r, ok)
		}
		if got := g.counter(counter); got != 2 {
			t.Errorf("%d requests are counted, want 2", got)
		}
		g.Do(chat(aKey), ok)
		g.reconfigure(t, one(`"limit":50`))
		if got := g.Counter(counter); got != 3 {
			t.Errorf("after an update: %d, want 3", got)
		}
	})
}

func TestSubjectsBeyondTheTableShareACounter(t *testing.T) {
	onBoth(t, func(t *testing.T, start starter) {
		g := start(t, withLimits(`"state":{"max_subjects":2}`, `"name":"rpm","limit":2`))
		for _, key := range []string{"a", "b", "c", "d"} {
			has(t, g.Do(chat(key), ok), 200)
		}
		has(t, g.Do(chat("e"), unasked(t)), 429) // c and d have used what all but a and b share
		has(t, g.Do(chat("a"), ok), 200, "x-ratelimit-remaining", "0")
		if got := g.counter("sluice_overflow_subjects;limit=rpm"); got != 3 {
			t.Errorf("%d overflows are counted, want 3", got)
		}
	})
}
