package classify

// openAIRules: one type and code, rate_limit_exceeded, stands for a limit that
// passes and for a request that is larger than the limit. For the rest the code
// tells: https://platform.openai.com/docs/guides/error-codes.
var openAIRules = []rule{
	{name: "request too large", class: TooLarge, says: []string{"request too large for"}},
	{name: "insufficient_quota", class: Quota, words: []string{"insufficient_quota"}},
	{name: "slow_down", class: Acceleration, words: []string{"slow_down"}},
	{name: "slow down", class: Acceleration, status: 503, says: []string{"slow down", "sudden increase in"}},
	{name: "server_is_overloaded", class: Overload, words: []string{"server_is_overloaded"}},
	// Of batches: https://platform.openai.com/docs/guides/batch#rate-limits
	{name: "enqueued tokens", class: Throttle, says: []string{"enqueued token limit reached"}, dimension: "tokens"},
	// Flex processing: https://platform.openai.com/docs/guides/flex-processing
	{name: "resource_unavailable", class: Overload, words: []string{"resource_unavailable"}},
}
