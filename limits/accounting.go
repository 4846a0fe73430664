package limits

import "math"

// Weights say how much each kind of token counts: of a limit on tokens in
// tokens, of one on cost in billionths of a US$.
type Weights struct {
	Input       float64 // of the prompt, neither read from a cache nor written to one
	CachedInput float64 // read from a cache
	CacheWrite  float64
	Output      float64 // without reasoning
	Reasoning   float64
}

// One is the weights that count every token once.
func One() Weights { return Weights{1, 1, 1, 1, 1} }

// A Usage is the tokens that an answer took.
type Usage struct {
	Input       int64 // all of the prompt, cached and cache writes included
	CachedInput int64
	CacheWrite  int64
	Output      int64 // all of the answer, reasoning included
	Reasoning   int64
}

// of weighs a usage, rounded up.
func (w *Weights) of(u Usage) int64 {
	plainInput := max(0, u.Input-u.CachedInput-u.CacheWrite)
	plainOutput := max(0, u.Output-u.Reasoning)
	return ceil(w.Input*float64(plainInput) + w.CachedInput*float64(u.CachedInput) +
		w.CacheWrite*float64(u.CacheWrite) + w.Output*float64(plainOutput) + w.Reasoning*float64(u.Reasoning))
}

// ceil rounds up, but not what only the representation put above a whole number.
// An amount is never below 0.
func ceil(f float64) int64 { return int64(max(0, min(math.Ceil(f-1e-6), 1<<62))) }

// A Rule is how the quotas of some provider count.
type Rule uint8

const (
	// ByWeights reserves input and output, and settles to the weights.
	ByWeights Rule = iota
	// ByInput reserves the input alone, and settles to the weights: nothing is
	// charged for an answer before it is there.
	ByInput
	// ByArrival charges input and output on arrival, and leaves it at that.
	ByArrival
	// ByLarger charges the larger of input and stated output maximum on
	// arrival, and leaves it at that.
	ByLarger
)

// An Accounting is which tokens count against a limit. The zero value counts
// nothing: see Total.
type Accounting struct {
	Rule    Rule
	Weights Weights
	// Burndown multiplies the output's weights on settlement, by model.
	Burndown []Factor
}

// A Factor is a number for the models that a glob matches.
type Factor struct {
	Models Glob
	Factor float64
}

// Total counts all input and all output: what a token limit counts by default.
func Total() Accounting { return Accounting{Weights: One()} }

// OpenAI counts as its rate limits do: the larger of max_tokens and the prompt,
// on arrival (https://platform.openai.com/docs/guides/rate-limits).
func OpenAI() Accounting { return Accounting{Rule: ByLarger, Weights: One()} }

// AzureOpenAI counts prompt and max_tokens on arrival. With provisioned
// throughput it is what was used in the end, cached tokens free.
func AzureOpenAI(provisioned bool) Accounting {
	if provisioned {
		return Accounting{Weights: Weights{Input: 1, CacheWrite: 1, Output: 1, Reasoning: 1}}
	}
	return Accounting{Rule: ByArrival, Weights: One()}
}

// Anthropic counts input without cache reads, and output as it is produced:
// max_tokens plays no part.
func Anthropic() Accounting {
	return Accounting{Rule: ByInput, Weights: Weights{Input: 1, CacheWrite: 1, Output: 1, Reasoning: 1}}
}

// Bedrock counts input and max_tokens on arrival, and in the end the output
// times a factor that depends on the model, cache reads free. Nil factors are
// the published ones.
func Bedrock(burndown []Factor) Accounting {
	if burndown == nil {
		burndown = publishedBurndown
	}
	return Accounting{Weights: Weights{Input: 1, CacheWrite: 1, Output: 1, Reasoning: 1}, Burndown: burndown}
}

// publishedBurndown is what Bedrock multiplies output by, as of 2026-09.
var publishedBurndown = []Factor{
	{NewGlob("*claude*"), 5}, {NewGlob("*claude-*-4-8*"), 15},
	{NewGlob("*claude-sonnet-5*"), 10}, {NewGlob("*claude-opus-5*"), 10}, {NewGlob("*claude-fable-5-1*"), 10},
	{NewGlob("*gpt-5.6*"), 10}, {NewGlob("*gpt-5-6*"), 10},
}

// Gemini counts input alone.
func Gemini() Accounting {
	return Accounting{Rule: ByInput, Weights: Weights{Input: 1, CachedInput: 1, CacheWrite: 1}}
}

// XAI counts everything.
func XAI() Accounting { return Total() }

// burndown is the factor of a model: that of the most specific glob, or 1.
func (a *Accounting) burndown(model string) float64 {
	factor, best := 1.0, -1
	for i := range a.Burndown {
		if f := &a.Burndown[i]; f.Models.Literals() > best && f.Models.Match(model) {
			factor, best = f.Factor, f.Models.Literals()
		}
	}
	return factor
}

// A Price is what the tokens of some models cost, in billionths of a US$ each.
type Price struct {
	Models Glob
	Weights
}

// price returns the price of a model, or nil.
func (e *Engine) price(model string) *Price {
	var found *Price
	best := -1
	for i := range e.prices {
		if p := &e.prices[i]; p.Models.Literals() > best && p.Models.Match(model) {
			found, best = p, p.Models.Literals()
		}
	}
	return found
}

// dearest is the price that a demand would cost most by, nil if there are none.
func (e *Engine) dearest(d *Demand) *Price {
	var found *Price
	most := -1.0
	for i := range e.prices {
		p := &e.prices[i]
		if cost := p.Input*float64(d.Input) + p.Output*float64(d.Output); cost > most {
			found, most = p, cost
		}
	}
	return found
}

// PricedAs returns the pattern by which a model is priced, or "".
func (e *Engine) PricedAs(model string) string {
	if p := e.price(model); p != nil {
		return p.Models.String()
	}
	return ""
}

// Cost is what a usage costs, in billionths of a US$; 0 where the model has no
// price.
func (e *Engine) Cost(model string, u Usage) int64 {
	if p := e.price(model); p != nil {
		return p.Weights.of(u)
	}
	return 0
}

// A Demand is what one request wants to use, as far as it is known.
type Demand struct {
	// Input is the estimate of the prompt's tokens, at least 0.
	Input int64
	// Output is the number of tokens reserved for the answer, at least 0.
	Output int64
	// Guessed says that Output is only a guess, which may be cut to what a
	// limit can hold; InputGuessed says so of Input too.
	Guessed, InputGuessed bool
	// ModelCall says that the request calls a model: limits of tokens and cost
	// without a matcher count no other.
	ModelCall bool
	// Model is the one that is called; it has a price, or not.
	Model string
	// ModelUnread says that nobody knows it, for the body cannot be read: it
	// costs as much as the dearest.
	ModelUnread bool
}

// charge returns what a demand costs a limit on arrival, and how much of that
// can't be cut because it is no guess. Not ok: the model has no price.
func (e *Engine) charge(l *limit, d *Demand) (amount, atLeast int64, ok bool) {
	if l.Dimension == Requests || l.Dimension == Concurrency {
		return 1, 1, true
	}
	w := l.Accounting.Weights
	if l.Dimension == Cost {
		price := e.price(d.Model)
		if price == nil && d.ModelUnread {
			price = e.dearest(d)
		}
		if price == nil {
			return 0, 0, l.FreeUnpriced || d.Input+d.Output == 0
		}
		w = price.Weights
	}
	l.Dimension.restrict(&w)
	input, output := w.Input*float64(d.Input), w.Output*float64(d.Output)
	switch l.Accounting.Rule {
	case ByInput:
		output = 0
	case ByLarger:
		if d.Guessed || output <= input {
			output = 0
		} else {
			input = 0
		}
	}
	atLeastInput, atLeastOutput := input, output
	if d.Guessed {
		atLeastOutput = 0
	}
	if d.InputGuessed {
		atLeastInput, atLeastOutput = 0, 0
	}
	return ceil(input + output), ceil(atLeastInput + atLeastOutput), true
}

// restrict leaves of some weights what a dimension counts.
func (d Dimension) restrict(w *Weights) {
	switch d {
	case InputTokens:
		w.Output, w.Reasoning = 0, 0
	case OutputTokens:
		w.Input, w.CachedInput, w.CacheWrite = 0, 0, 0
	}
}
