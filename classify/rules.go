package classify

import "strings"

// A rule says what a refusal means that has all the signs it names. The rules
// of a provider stand in order: the first that holds decides.
type rule struct {
	// name tells people which sign it was.
	name  string
	class Class
	// status is the HTTP status; 0: any.
	status int
	// words: one of the codes, types, states and reasons in the response is one
	// of these. They are in lower case; a star stands for anything at the
	// beginning or the end.
	words []string
	// says: the texts for people have one of these phrases, in lower case. Only
	// for what a provider tells in no other way, and long enough that it can
	// mean nothing else.
	says []string
	// also is what else must hold.
	also func(*reading) bool
	// dimension is what the sign says was exceeded; "": it does not say.
	dimension string
}

func (r *rule) holds(x *reading) bool {
	return (r.status == 0 || r.status == x.status) &&
		(r.words == nil || x.hasWord(r.words)) &&
		(r.says == nil || x.says(r.says)) &&
		(r.also == nil || r.also(x))
}

// statusOnly says whether the rule has no other sign than the status.
func (r *rule) statusOnly() bool { return r.words == nil && r.says == nil && r.also == nil }

// first returns the first rule that holds, nil where none does.
func first(rules []rule, x *reading) *rule {
	for i := range rules {
		if rules[i].holds(x) {
			return &rules[i]
		}
	}
	return nil
}

// providerRules are each provider's own rules. What they leave open, the common
// rules decide.
var providerRules = []struct {
	provider string
	rules    []rule
}{
	{"openai", openAIRules},
	{"azure_openai", azureRules},
	{"anthropic", anthropicRules},
	{"gemini", googleRules},
	{"vertex_ai", googleRules},
	{"bedrock", bedrockRules},
	{"xai", xaiRules},
	{"dashscope", dashScopeRules},
	{"deepseek", deepSeekRules},
	{"mistral", mistralRules},
	{"minimax", miniMaxRules},
	{"moonshot", moonshotRules},
	{"groq", groqRules},
	{"cohere", cohereRules},
	{"together", togetherRules},
	{"fireworks", fireworksRules},
	{"cerebras", cerebrasRules},
	{"openrouter", openRouterRules},
	{"perplexity", perplexityRules},
	{OpenAICompatible, compatibleRules},
}

func rulesOf(provider string) []rule {
	for i := range providerRules {
		if providerRules[i].provider == provider {
			return providerRules[i].rules
		}
	}
	return nil
}

// hasWord says whether one of the response's words is one of the patterns.
func (x *reading) hasWord(patterns []string) bool {
	for _, word := range x.words {
		for _, p := range patterns {
			if matchesWord(p, word) {
				return true
			}
		}
	}
	return false
}

func matchesWord(pattern, word string) bool {
	head, after := strings.CutPrefix(pattern, "*")
	body, before := strings.CutSuffix(head, "*")
	switch {
	case after && before:
		return strings.Contains(word, body)
	case after:
		return strings.HasSuffix(word, body)
	case before:
		return strings.HasPrefix(word, body)
	}
	return word == pattern
}

// says says whether the response's texts have one of the phrases.
func (x *reading) says(phrases []string) bool {
	for _, p := range phrases {
		if strings.Contains(x.text, p) {
			return true
		}
	}
	return false
}

// Conditions that several providers' rules share.

// noReturn: nothing says when to come back.
func noReturn(x *reading) bool { return !x.stated }

// longWindow: the limit is one of a day or longer, and nothing says when to
// come back. Where something does, a day's limit is like any other.
func longWindow(x *reading) bool { return x.window >= day && !x.stated }

// monthWindow: the limit is an allowance for weeks, which no wait brings back.
func monthWindow(x *reading) bool { return x.window > day }

// dayWait: the wait is so long that no client can sit it out.
func dayWait(x *reading) bool { return x.stated && x.wait >= day }

// neverFits: the request alone is more than the limit, by the provider's own
// numbers, and nothing says when it would fit.
func neverFits(x *reading) bool {
	return !x.stated && x.numbers.requested > x.numbers.limit && x.numbers.limit > 0
}
