package limits_test

import (
	"testing"
	"time"

	"sluice/limits"
)

// Each accounting as its provider's own quota counts: what a request is charged
// when it comes, and what in the end.
func TestAccounting(t *testing.T) {
	reported := limits.Usage{Input: 1000, CachedInput: 300, CacheWrite: 100, Output: 400, Reasoning: 250}
	burndown := []limits.Factor{{Models: limits.NewGlob("m*"), Factor: 5}, {Models: limits.NewGlob("*"), Factor: 7}}
	known := limits.Demand{Input: 900, Output: 2000}
	guessed := limits.Demand{Input: 900, Output: 1024, Guessed: true}
	for _, test := range []struct {
		name       string
		accounting limits.Accounting
		dimension  limits.Dimension
		demand     limits.Demand
		arrival    int64
		end        int64
	}{
		{"total", limits.Total(), limits.Tokens, known, 2900, 1400},
		{"total, guessed", limits.Total(), limits.Tokens, guessed, 1924, 1400},
		{"total, input", limits.Total(), limits.InputTokens, known, 900, 1000},
		{"total, output", limits.Total(), limits.OutputTokens, known, 2000, 400},
		{"xai", limits.XAI(), limits.Tokens, known, 2900, 1400},

		{"openai charges a larger max_tokens", limits.OpenAI(), limits.Tokens, known, 2000, 2000},
		{"openai charges a larger prompt", limits.OpenAI(), limits.Tokens, limits.Demand{Input: 900, Output: 50}, 900, 900},
		{"openai charges the prompt alone where max_tokens is not given", limits.OpenAI(), limits.Tokens, guessed, 900, 900},
		{"openai, input", limits.OpenAI(), limits.InputTokens, known, 900, 900},

		{"azure charges both, and leaves it at that", limits.AzureOpenAI(false), limits.Tokens, known, 2900, 2900},
		{"azure ptu has cached tokens free", limits.AzureOpenAI(true), limits.Tokens, known, 2900, 1100},

		{"anthropic itpm", limits.Anthropic(), limits.InputTokens, known, 900, 700},
		{"anthropic otpm charges nothing at first", limits.Anthropic(), limits.OutputTokens, known, 0, 400},
		{"anthropic, both", limits.Anthropic(), limits.Tokens, known, 900, 1100},

		{"bedrock", limits.Bedrock(burndown), limits.Tokens, known, 2900, 700 + 5*400},
		{"bedrock, input", limits.Bedrock(burndown), limits.InputTokens, known, 900, 700},

		{"gemini counts input alone", limits.Gemini(), limits.Tokens, known, 900, 1000},

		{"weights", limits.Accounting{Weights: limits.Weights{Input: 1, CachedInput: 0.1, CacheWrite: 1.25, Output: 4, Reasoning: 2}},
			limits.Tokens, known, 900 + 4*2000, 600 + 30 + 125 + 4*150 + 2*250},
		{"weights round up", limits.Accounting{Weights: limits.Weights{Input: 0.3, CachedInput: 0.1}}, limits.Tokens, known, 270, 180 + 30 + 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := newWorld(t, limits.Limit{Name: "l", Dimension: test.dimension, Max: 10_000, Window: time.Minute, Accounting: test.accounting})
			test.demand.ModelCall, test.demand.Model = true, "m"
			w.demand = test.demand
			r := w.admit()
			w.used("l", test.arrival)
			w.settle(r, limits.Actual{Usage: reported, Model: "m", VoidExcept: -1})
			w.used("l", test.end)

			// An upstream error costs no tokens, whatever the accounting.
			w.settle(r, limits.Actual{Model: "m", VoidExcept: -1})
			w.used("l", 0)
		})
	}
}

func TestBedrockCountsFiveForOne(t *testing.T) {
	w := newWorld(t, limits.Limit{Name: "tpm", Dimension: limits.Tokens, Max: 10_000, Window: time.Minute, Accounting: limits.Bedrock(nil)})
	r := w.tokens(1000, 100).admit()
	w.used("tpm", 1100)
	w.settle(r, limits.Actual{Usage: limits.Usage{Input: 1000, Output: 100}, Model: "anthropic.claude-sonnet-4-20250514-v1:0"})
	w.used("tpm", 1500)
}

func TestPublishedBurndown(t *testing.T) {
	for model, factor := range map[string]int64{
		"anthropic.claude-3-5-sonnet-20240620-v1:0":    5,
		"us.anthropic.claude-3-7-sonnet-20250219-v1:0": 5,
		"anthropic.claude-opus-4-7":                    5,
		"anthropic.claude-opus-4-8":                    15,
		"us.anthropic.claude-sonnet-4-8-20260401-v1:0": 15,
		"anthropic.claude-sonnet-5-20260801-v1:0":      10,
		"anthropic.claude-opus-5":                      10,
		"global.anthropic.claude-fable-5-1-v1:0":       10,
		"openai.gpt-5.6":                               10,
		"openai.gpt-5-6-v1:0":                          10,
		"openai.gpt-oss-120b-1:0":                      1,
		"meta.llama3-3-70b-instruct-v1:0":              1,
		"amazon.nova-pro-v1:0":                         1,
	} {
		w := newWorld(t, limits.Limit{Name: "l", Dimension: limits.Tokens, Max: 10_000, Window: time.Minute, Accounting: limits.Bedrock(nil)})
		w.settle(w.tokens(10, 100).admit(), limits.Actual{Usage: limits.Usage{Input: 10, Output: 100}, Model: model})
		if s := w.state("l"); s.Used != 10+100*factor {
			t.Errorf("%s: %d used; want a factor of %d", model, s.Used, factor)
		}
	}
}

// Two million input tokens a minute let ten million through, if four of five
// come from the cache.
func TestAnthropicCacheReadsAreFree(t *testing.T) {
	w := newWorld(t, limits.Limit{Name: "itpm", Dimension: limits.InputTokens, Max: 2_000_000, Window: time.Minute, Accounting: limits.Anthropic()})
	through := int64(0)
	w.tokens(10_000, 500)
	for {
		d, r := w.reserve()
		if d.Refused() {
			break
		}
		through += 10_000
		w.settle(r, limits.Actual{Usage: limits.Usage{Input: 10_000, CachedInput: 8_000, Output: 500}})
	}
	// The last ones are refused while their whole estimate does not fit.
	if through < 9_950_000 || through > 10_000_000 {
		t.Errorf("%d tokens of input came through", through)
	}
}

func TestUnknownUsageKeepsTheReservation(t *testing.T) {
	for _, l := range []limits.Limit{
		{Dimension: limits.Tokens, Accounting: limits.Total()},
		{Dimension: limits.Cost, Accounting: limits.Total()},
	} {
		l.Name, l.Max, l.Window = "l", 1_000_000, time.Minute
		w := newWorldWith(t, limits.Options{Prices: prices}, l)
		w.demand.Model = "m"
		r := w.tokens(100, 50).admit()
		before := w.state("l").Used
		w.settle(r, limits.Actual{Estimated: true, Usage: limits.Usage{Input: 1}, Model: "m", VoidExcept: -1})
		w.used("l", before)
	}
}

var prices = []limits.Price{
	{Models: limits.NewGlob("m-mini*"), Weights: limits.Weights{Input: 150, CachedInput: 75, CacheWrite: 150, Output: 600, Reasoning: 600}},
	{Models: limits.NewGlob("m*"), Weights: limits.Weights{Input: 2500, CachedInput: 1250, CacheWrite: 3125, Output: 10_000, Reasoning: 10_000}},
	{Models: limits.NewGlob("tiny"), Weights: limits.Weights{Input: 0.4, CachedInput: 0.4, CacheWrite: 0.4, Output: 0.4, Reasoning: 0.4}},
}

func TestCost(t *testing.T) {
	w := newWorldWith(t, limits.Options{Prices: prices}, limits.Limit{Name: "l", Dimension: limits.Cost, Max: limits.NanoDollars, Window: time.Minute, Accounting: limits.Total()})
	for _, test := range []struct {
		name          string
		model         string
		input, output int64
		reserved      int64
		usage         limits.Usage
		answered      string
		settled       int64
	}{
		{"five cheap tokens are not nothing", "m-mini-2026", 5, 0, 750, limits.Usage{Input: 5}, "m-mini-2026", 750},
		{"the most specific price counts", "m-large", 100, 10, 350_000, limits.Usage{Input: 100, Output: 10}, "m-large", 350_000},
		{"cached, written and reasoned tokens have their own", "m", 1000, 100, 3_500_000,
			limits.Usage{Input: 1000, CachedInput: 400, CacheWrite: 200, Output: 100, Reasoning: 90}, "m", 400*2500 + 400*1250 + 200*3125 + 100*10_000},
		{"the model that answered counts", "m", 1000, 100, 3_500_000, limits.Usage{Input: 1000, Output: 100}, "m-mini", 210_000},
		{"one whose price nobody knows costs what was reserved", "m", 1000, 100, 3_500_000, limits.Usage{Input: 10, Output: 1}, "other", 3_500_000},
		{"an error is free even then", "m", 1000, 100, 3_500_000, limits.Usage{}, "other", 0},
		{"parts of a billionth are rounded up", "tiny", 1, 0, 1, limits.Usage{Input: 3}, "tiny", 2},
	} {
		t.Run(test.name, func(t *testing.T) {
			w.TB = t
			w.demand.Model = test.model
			r := w.tokens(test.input, test.output).admit()
			w.used("l", test.reserved)
			w.settle(r, limits.Actual{Usage: test.usage, Model: test.answered, VoidExcept: -1})
			w.used("l", test.settled)
			w.settle(r, void)
			w.used("l", 0)
		})
	}
}

// A request is charged by the model that it asks for, and settled by the one that
// answers: its price, its burndown. The counters are those it was charged to.
func TestAnotherModelAnswers(t *testing.T) {
	burndown := limits.Bedrock([]limits.Factor{{Models: limits.NewGlob("m-mini*"), Factor: 2}, {Models: limits.NewGlob("*"), Factor: 5}})
	for _, test := range []struct {
		name, asked, answered string
		cost, tokens          int64 // in the end, of 1000 and 100
	}{
		{"the same", "m", "m", 1000*2500 + 100*10_000, 1000 + 500},
		{"a cheaper one", "m", "m-mini", 1000*150 + 100*600, 1000 + 200},
		{"a dearer one", "m-mini", "m", 1000*2500 + 100*10_000, 1000 + 500},
		{"a dated name of the same", "m-mini", "m-mini-2026-11-30", 1000*150 + 100*600, 1000 + 200},
		{"one with a price for one without", "unheard-of", "m", 1000*2500 + 100*10_000, 1000 + 500},
		{"one without a price", "m", "unheard-of", 3_500_000, 1000 + 500}, // as reserved
	} {
		t.Run(test.name, func(t *testing.T) {
			configured := []limits.Limit{
				{Name: "cost", Dimension: limits.Cost, Max: limits.NanoDollars, Accounting: limits.Total(), FreeUnpriced: true},
				{Name: "tokens", Dimension: limits.Tokens, Max: 100_000, Accounting: burndown},
			}
			for i := range configured {
				configured[i].Window, configured[i].Scope = time.Minute, []int{key, model}
			}
			w := newWorldWith(t, limits.Options{Prices: prices}, configured...)
			w.facts = known("k", "o", test.asked)
			w.demand.Model = test.asked
			r := w.tokens(1000, 100).admit()
			w.settle(r, limits.Actual{Usage: limits.Usage{Input: 1000, Output: 100}, Model: test.answered, VoidExcept: -1})
			w.used("cost", test.cost)
			w.used("tokens", test.tokens)
			if test.answered != test.asked {
				w.facts = known("k", "o", test.answered)
				w.used("cost", 0)
				w.used("tokens", 0)
				w.facts = known("k", "o", test.asked)
			}
			w.settle(r, void)
			w.used("cost", 0)
			w.used("tokens", 0)
		})
	}
}

func TestCostOfAUsage(t *testing.T) {
	w := newWorldWith(t, limits.Options{Prices: prices})
	for _, test := range []struct {
		model, pattern string
		cost           int64
	}{{"m-large", "m*", 12_500}, {"m-mini-1", "m-mini*", 750}, {"other", "", 0}} {
		if p, c := w.PricedAs(test.model), w.Cost(test.model, limits.Usage{Input: 1, Output: 1}); p != test.pattern || c != test.cost {
			t.Errorf("%s: %q, %d", test.model, p, c)
		}
	}
}

func TestAmountsAreWrittenInTheirUnit(t *testing.T) {
	for _, test := range []struct {
		dimension limits.Dimension
		amount    int64
		want      string
	}{
		{limits.Tokens, 1234, "1234"}, {limits.Cost, 0, "0"}, {limits.Cost, 500 * limits.NanoDollars, "500"},
		{limits.Cost, 1_250_000_000, "1.25"}, {limits.Cost, 750, "0.00000075"},
	} {
		if got := test.dimension.Format(test.amount); got != test.want {
			t.Errorf("%s %d is written %q", test.dimension, test.amount, got)
		}
	}
}

func TestModelWithoutAPrice(t *testing.T) {
	l := limits.Limit{Name: "l", Dimension: limits.Cost, Max: limits.NanoDollars, Window: time.Minute, Accounting: limits.Total()}
	w := newWorldWith(t, limits.Options{Prices: prices}, l)
	w.tokens(10, 10).demand.Model = "unheard-of"
	if d := w.refuse(limits.Unpriced); d.Limit.Name != "l" || d.Attribute != "" {
		t.Errorf("%+v", d)
	}
	w.tokens(0, 0).admit() // before the body has told anything

	l.FreeUnpriced = true
	w = newWorldWith(t, limits.Options{Prices: prices}, l)
	w.tokens(10, 10).demand.Model = "unheard-of"
	w.settle(w.admit(), limits.Actual{Usage: limits.Usage{Input: 10, Output: 10}, Model: "unheard-of"})
	w.used("l", 0)

	l.FreeUnpriced, l.Shadow = false, true
	w = newWorldWith(t, limits.Options{Prices: prices}, l)
	w.tokens(10, 10).demand.Model = "unheard-of"
	if d, _ := w.reserve(); d.Refused() || d.Outcome != limits.Unpriced || !d.Observed {
		t.Errorf("%+v", d)
	}
}

func TestDemandThatIsKnownLaterIsChargedAsOnArrival(t *testing.T) {
	for _, test := range []struct {
		accounting limits.Accounting
		dimension  limits.Dimension
		want       int64
	}{
		{limits.Total(), limits.Tokens, 1100},
		{limits.OpenAI(), limits.Tokens, 1000},
		{limits.AzureOpenAI(false), limits.Tokens, 1100},
		{limits.Anthropic(), limits.OutputTokens, 0},
		{limits.Bedrock([]limits.Factor{{Models: limits.NewGlob("*"), Factor: 5}}), limits.Tokens, 1100},
		{limits.Accounting{}, limits.Requests, 1},
	} {
		w := newWorld(t, limits.Limit{Name: "l", Dimension: test.dimension, Max: 500, Window: time.Minute, Accounting: test.accounting})
		r := w.admit()
		w.demand = limits.Demand{Input: 1000, Output: 100, ModelCall: true}
		if err := w.Charge(w.now, w.demand, r); err != nil {
			t.Fatal(err)
		}
		w.demand = limits.Demand{ModelCall: true}
		w.used("l", test.want) // above the limit: it is admitted already
	}

	w := newWorld(t, limits.Limit{Name: "l", Dimension: limits.Tokens, Max: 500, Window: time.Minute, Accounting: limits.Total()})
	r := w.admit()
	if err := w.Charge(w.now, limits.Demand{Input: 100, Output: 1024, Guessed: true, ModelCall: true}, r); err != nil {
		t.Fatal(err)
	}
	w.used("l", 500) // a guess is cut
}
