package classify

// togetherRules: 403 is a context that is too long; credit_limit is an empty
// account with 402, and with 429 the requests a minute of one that never paid.
// https://docs.together.ai/docs/error-codes
var togetherRules = []rule{
	{name: "credit_limit, a rate", class: Throttle, status: 429, words: []string{"credit_limit"}, says: []string{"rate limited", "rate limit is"}},
	{name: "credit_limit", class: Quota, words: []string{"credit_limit"}},
	{name: "403", class: NotRateLimit, status: 403},
	{name: "dynamic_token_limited", class: Throttle, words: []string{"dynamic_token_limited"}, dimension: "tokens"},
	{name: "dynamic_request_limited", class: Throttle, words: []string{"dynamic_request_limited"}, dimension: "requests"},
}
