package classify

// perplexityRules: an empty account is answered with 401 and OpenAI's words.
// https://docs.perplexity.ai/guides/api-error-codes
var perplexityRules = []rule{
	{name: "insufficient_quota", class: Quota, words: []string{"insufficient_quota"}},
	{name: "request_rate_limit_exceeded", class: Throttle, words: []string{"request_rate_limit_exceeded"}, dimension: "requests"},
}
