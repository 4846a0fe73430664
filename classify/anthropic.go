package classify

// anthropicRules: the type is rate_limit_error for what passes and for what is
// paid up; overloaded_error comes with any status, and in streams.
// https://docs.anthropic.com/en/api/errors, /en/api/rate-limits
var anthropicRules = []rule{
	{name: "overloaded_error", class: Overload, words: []string{"overloaded_error"}},
	{name: "overloaded", class: Overload, words: []string{"api_error", "rate_limit_error"}, says: []string{"overloaded"}},
	{name: "spend limit", class: Quota, words: []string{"*spend_limit*", "billing_error"}},
	{name: "credit balance", class: Quota, says: []string{"credit balance is too low"}},
	{name: "usage limits", class: Quota, says: []string{"api usage limits", "usage limits: your organization"}},
	{name: "extra usage", class: Quota, says: []string{"extra usage is required", "out of extra usage", "from your extra usage"}},
	{name: "subscription", class: Quota, status: 429, also: unifiedRejected},
	{name: "acceleration", class: Acceleration, says: []string{"acceleration limit", "usage increase rate"}},
	{name: "a day's limit, no return stated", class: Quota, words: []string{"rate_limit_error"}, also: longWindow},
	{name: "rate_limit_error", class: Throttle, words: []string{"rate_limit_error"}},
}

// unifiedRejected: the allowance of a subscription for hours or a week is used
// up. Servers with Anthropic's API send the header too.
func unifiedRejected(x *reading) bool { return x.headers.Rejected }
