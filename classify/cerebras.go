package classify

// cerebrasRules: "quota" in a code is a limit of any window; the text names it.
// https://inference-docs.cerebras.ai/support/error
var cerebrasRules = []rule{
	{name: "queue_exceeded", class: Overload, words: []string{"queue_exceeded"}},
	{name: "high traffic", class: Overload, says: []string{"high traffic"}},
	{name: "a day's limit, no return stated", class: Quota, status: 429, also: longWindow},
	{name: "request_quota_exceeded", class: Throttle, words: []string{"request_quota_exceeded"}, dimension: "requests"},
	{name: "token_quota_exceeded", class: Throttle, words: []string{"token_quota_exceeded"}, dimension: "tokens"},
}
