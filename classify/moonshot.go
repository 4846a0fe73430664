package classify

// moonshotRules: the type tells; of Kimi's Anthropic-compatible endpoint, whose
// types are Anthropic's, the text.
// https://platform.moonshot.ai/docs/api/errors
var moonshotRules = []rule{
	{name: "exceeded_current_quota_error", class: Quota, words: []string{"exceeded_current_quota_error"}},
	{name: "engine_overloaded_error", class: Overload, words: []string{"engine_overloaded_error"}},
	{name: "engine overloaded", class: Overload, says: []string{"engine is currently overloaded"}},
	{name: "usage limit", class: Quota, says: []string{"usage limit for this", "reached your usage limit", "exceeded current quota"}},
	{name: "a day's limit, no return stated", class: Quota, words: []string{"rate_limit_reached_error"}, also: longWindow},
	{name: "rate_limit_reached_error", class: Throttle, words: []string{"rate_limit_reached_error"}},
}
