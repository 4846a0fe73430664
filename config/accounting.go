package config

import (
	"github.com/tidwall/gjson"

	"sluice/limits"
)

// accounting reads how a limit counts tokens: a preset by its name, or an
// object: {"weights": {…}}, or a preset that takes something.
func (r *reader) accounting(n node, c *Config) limits.Accounting {
	presets := []struct {
		name string
		of   func() limits.Accounting
	}{
		{"total", limits.Total},
		{"openai", limits.OpenAI},
		{"azure_openai", func() limits.Accounting { return limits.AzureOpenAI(false) }},
		{"anthropic", limits.Anthropic},
		{"bedrock", func() limits.Accounting { return limits.Bedrock(nil) }},
		{"gemini", limits.Gemini},
		{"xai", limits.XAI},
	}
	names := make([]string, len(presets))
	for i, p := range presets {
		names[i] = p.name
	}
	if !n.value.IsObject() {
		if n.value.Type != gjson.String {
			r.problem(n, "must be the name of a preset, or an object, is "+kind(n.value))
			return limits.Total()
		}
		i, ok := r.oneOf(n, names...)
		if !ok {
			return limits.Total()
		}
		return presets[i].of()
	}
	out := limits.Total()
	forms := 0
	r.object(n, []field{
		{"weights", func(n node) { forms++; out.Weights = r.weights(n) }},
		{"azure_openai", func(n node) {
			forms++
			r.object(n, []field{{"ptu", func(n node) {
				ptu, _ := r.boolean(n)
				out = limits.AzureOpenAI(ptu)
			}}})
		}},
		{"bedrock", func(n node) {
			forms++
			r.object(n, []field{{"burndown", func(n node) { out = limits.Bedrock(r.burndown(n)) }}})
		}},
	})
	if forms != 1 {
		r.problem(n, `must have one of "weights", "azure_openai" and "bedrock"`)
	}
	return out
}

// weights reads how much each kind of token counts; a missing one is 1.
func (r *reader) weights(n node) limits.Weights {
	w := limits.One()
	r.object(n, []field{
		{"input", r.weight(&w.Input)},
		{"cached_input", r.weight(&w.CachedInput)},
		{"cache_write", r.weight(&w.CacheWrite)},
		{"output", r.weight(&w.Output)},
		{"reasoning", r.weight(&w.Reasoning)},
	})
	return w
}

func (r *reader) weight(to *float64) func(node) {
	return func(n node) {
		if v, ok := r.decimal(n, 0, 1e6); ok {
			*to = v
		}
	}
}

// burndown reads {"model glob": factor, …}.
func (r *reader) burndown(n node) []limits.Factor {
	out := []limits.Factor{}
	r.entries(n, func(model string, n node) {
		if v, ok := r.decimal(n, 0, 1e6); ok {
			out = append(out, limits.Factor{Models: limits.NewGlob(model), Factor: v})
		}
	})
	return out
}

// nanosPerMillion makes billionths of a US$ a token of US$ a million tokens.
const nanosPerMillion = limits.NanoDollars / 1e6

// prices reads {"model glob": {"input": US$ a million tokens, …}, …}. A missing
// price is that of input.
func (r *reader) prices(n node, c *Config) {
	r.entries(n, func(model string, n node) {
		given := map[string]float64{}
		price := func(name string) field {
			return field{name, func(n node) {
				if v, ok := r.decimal(n, 0, 1e6); ok {
					given[name] = v * nanosPerMillion
				}
			}}
		}
		before := len(r.problems)
		r.object(n, []field{price("input"), price("cached_input"), price("cache_write"), price("output")})
		if len(r.problems) > before {
			return
		}
		input, ok := given["input"]
		if !ok {
			r.problem(n.absent("input"), "is missing")
			return
		}
		or := func(name string) float64 {
			if v, ok := given[name]; ok {
				return v
			}
			return input
		}
		c.Prices = append(c.Prices, limits.Price{Models: limits.NewGlob(model), Weights: limits.Weights{
			Input: input, CachedInput: or("cached_input"), CacheWrite: or("cache_write"),
			Output: or("output"), Reasoning: or("output"),
		}})
	})
}
