package classify

// openRouterRules: metadata tells whose limit it was.
// https://openrouter.ai/docs/api-reference/errors
var openRouterRules = []rule{
	{name: "402", class: Quota, status: 402},
	{name: "shared pool, account empty", class: Overload, words: []string{"upstream_provider_shared_pool"}, also: poolEmpty},
	{name: "a day's free requests, no return stated", class: Quota, status: 429, also: longWindow, dimension: "requests"},
	{name: "a day's free requests", class: Throttle, status: 429, says: []string{"free-models-per-day"}, dimension: "requests"},
	{name: "a minute's free requests", class: Throttle, status: 429, says: []string{"free-models-per-min"}, dimension: "requests"},
	{name: "key limit", class: Quota, says: []string{"key limit exceeded"}},
}

// poolEmpty: the aggregator's own account at a provider is empty.
func poolEmpty(x *reading) bool { return x.hasWord(quotaWords) }
