package main

import (
	"strconv"
	"strings"
	"testing"

	"sluice/internal/envoytest"
)

const priced = `"prices":{"gpt-4o*":{"input":1,"output":2},"dear":{"input":10,"output":20}}`

// A model that cannot be read costs as much as the dearest, until the answer
// says which it was; one that is not named has no price.
func TestTheModelOfAnUnreadableBody(t *testing.T) {
	answer := answers(200, `{"model":"gpt-4o-2024","usage":{"prompt_tokens":1000,"completion_tokens":0}}`)
	compressed := with(chat(aKey), "content-encoding", "gzip")
	compressed.Body = []byte(zipped(string(chat(aKey).Body)))
	large := chat(aKey)
	large.Body = append(large.Body, strings.Repeat(" ", 3000)...)
	for name, request := range map[string]envoytest.Request{
		"compressed": compressed,
		"broken":     with(post("/v1/chat/completions", `{"messages":[{"content":"hi"`), "authorization", "Bearer "+aKey),
		"too large":  large,
	} {
		t.Run(name, func(t *testing.T) {
			onBoth(t, func(t *testing.T, start starter) {
				g := start(t, withLimits(priced+`,"body":{"max_bytes":2000},"reserve":{"learn":false,"default_output_tokens":1000}`, `"dimension":"cost_usd","limit":1`))
				r := g.Do(request, answer)
				has(t, r, 200)
				reserved := 0.02 + 10e-6*float64(number(t, state(r, "reserve_tokens")))
				if got := 1 - decimal(t, r.Headers.Get("x-ratelimit-remaining-cost")); got < reserved-1e-9 || got > reserved+1e-9 {
					t.Errorf("US$ %v are reserved, want %v", got, reserved)
				}
				next := g.Do(chat(aKey), answer) // of a known model
				reserve := 0.002 + 1e-6*float64(number(t, state(next, "reserve_tokens")))
				if spent := 1 - decimal(t, next.Headers.Get("x-ratelimit-remaining-cost")) - reserve; spent < 0.001-1e-9 || spent > 0.001+1e-9 {
					t.Errorf("US$ %v were charged in the end, want 0.001", spent)
				}
			})
		})
	}
	onBoth(t, func(t *testing.T, start starter) {
		g := start(t, withLimits(priced, `"dimension":"cost_usd","limit":1`))
		r := g.Do(post("/v1/chat/completions", `{"messages":[]}`, "authorization", "Bearer "+aKey), ok)
		has(t, r, 400)
		if p := problem(t, r); p["code"] != "model_not_priced" || !strings.Contains(p["message"].(string), "names no model") {
			t.Errorf("error %v", p)
		}
	})
}

// What is less than a millionth of a US$ adds up.
func TestSmallCostsAddUp(t *testing.T) {
	onBoth(t, func(t *testing.T, start starter) {
		g := start(t, withLimits(`"prices":{"gpt-4o":{"input":0.25}}`, `"dimension":"cost_usd","limit":1`))
		for range 10 {
			g.Do(chat(aKey), answers(200, `{"usage":{"prompt_tokens":1,"completion_tokens":0}}`))
		}
		if got := g.counter("sluice_cost_microusd;provider=openai_compatible;model=gpt-4o"); got != 2 { // 10 × 0.25
			t.Errorf("%d millionths were counted, want 2", got)
		}
	})
}

// decimal is a header's number of US$; 0 where there is none.
func decimal(t *testing.T, text string) float64 {
	t.Helper()
	if text == "" {
		return 0
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}
