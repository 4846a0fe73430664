package main

import (
	"strings"
	"testing"

	"sluice/internal/envoytest"
)

// What answers report corrects later estimates and guesses, in every worker,
// within a quarter and four times, whatever they report.
func TestAnswersTeach(t *testing.T) {
	onBoth(t, func(t *testing.T, start starter) {
		for name, c := range map[string]struct {
			config         string
			input, output  int   // that is reported, in parts of the estimate, and tokens
			ratio, reserve []int // how far the estimate, and the guess, may be afterwards: percent, tokens
		}{
			"as estimated":     {``, 1, 1024, []int{85, 115}, []int{800, 1300}},
			"longer prompts":   {``, 3, 100, []int{200, 300}, []int{256, 256}},
			"poisoned":         {``, 100, 1_000_000, []int{250, 400}, []int{4096, 4096}},
			"long answers":     {``, 1, 2000, []int{85, 115}, []int{1600, 2600}},
			"nothing is to be": {`"reserve":{"learn":false}`, 3, 100, []int{100, 100}, []int{1024, 1024}},
		} {
			t.Run(name, func(t *testing.T) {
				const plenty = 1_000_000_000
				g := start(t, withLimits(c.config, `"dimension":"output_tokens","limit":1000000000`),
					func(o *envoytest.Options) { o.Workers = 2 })
				estimate := number(t, state(g.Do(chat(aKey), answers(500, "{}")), "reserve_tokens"))
				for range 40 {
					has(t, g.Do(chat(aKey), usage(c.input*estimate, c.output)), 200)
				}
				g.Tick() // each worker hands over what it saw
				other := chat(anotherKey)
				other.Worker = 1
				r := g.Do(other, ok)
				if got := 100 * number(t, state(r, "reserve_tokens")) / estimate; got < c.ratio[0] || got > c.ratio[1] {
					t.Errorf("the estimate is %d %% of what it was, want %v", got, c.ratio)
				}
				if got := plenty - remaining(t, r, "output-tokens"); got < c.reserve[0] || got > c.reserve[1] {
					t.Errorf("%d tokens are reserved for the answer, want %v", got, c.reserve)
				}
				// Of another model nothing is known.
				unknown := with(post("/v1/chat/completions", strings.Replace(string(other.Body), "gpt-4o", "gpt-4o-x", 1)), "authorization", "Bearer x")
				if got := number(t, state(g.Do(unknown, ok), "reserve_tokens")); got != estimate {
					t.Errorf("another model's is estimated at %d, want %d", got, estimate)
				}
			})
		}
	})
}

// What could not be handed over waits, and is not lost.
func TestLessonsSurviveContention(t *testing.T) {
	onBoth(t, func(t *testing.T, start starter) {
		g := start(t, one(`"dimension":"tokens","limit":1000000`))
		estimate := number(t, state(g.Do(chat(aKey), answers(500, "{}")), "reserve_tokens"))
		g.Do(chat(aKey), usage(estimate, 10))
		g.Tick()
		for range 40 {
			g.Do(chat(aKey), usage(3*estimate, 10))
		}
		g.SharedData().BeforeSet = func(key string) { touch(g.SharedData(), key) }
		g.Tick()
		g.SharedData().BeforeSet = nil
		g.Tick()
		if got := number(t, state(g.Do(chat(aKey), ok), "reserve_tokens")); got < 2*estimate {
			t.Errorf("the estimate is %d, want more than %d", got, 2*estimate)
		}
		if n := g.counter("sluice_internal_errors;kind=lessons"); n != 1 {
			t.Errorf("%d failures were counted", n)
		}
	})
}
