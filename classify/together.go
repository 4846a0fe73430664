package classify

// togetherRules: 403 is a context that is too long.
// https://docs.together.ai/docs/error-codes
var togetherRules = []rule{
	{name: "credit_limit", class: Quota, words: []string{"credit_limit"}},
	{name: "403", class: NotRateLimit, status: 403},
	{name: "dynamic_token_limited", class: Throttle, words: []string{"dynamic_token_limited"}, dimension: "tokens"},
	{name: "dynamic_request_limited", class: Throttle, words: []string{"dynamic_request_limited"}, dimension: "requests"},
}
