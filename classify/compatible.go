package classify

// compatibleRules are those of servers with OpenAI's or Anthropic's API that
// have no table of their own, told by codes that nobody else has.
var compatibleRules = []rule{
	// Z.ai and BigModel (GLM): https://docs.z.ai/api-reference/api-code
	{name: "GLM: account", class: Quota, words: []string{"1113"}},
	{name: "GLM: allowance", class: Quota, words: []string{"1304", "1308", "1309", "1310"}},
	{name: "GLM: overloaded", class: Overload, words: []string{"1305", "1312"}},
	{name: "GLM: rate", class: Throttle, words: []string{"1302", "1303"}},
	{name: "subscription", class: Quota, status: 429, also: unifiedRejected},

	// Baidu Qianfan: https://cloud.baidu.com/doc/WENXINWORKSHOP/s/tlmyncueh
	{name: "Qianfan: allowance", class: Quota, words: []string{"17", "19"}, also: qianfan},
	{name: "Qianfan: requests", class: Throttle, words: []string{"4", "18", "336501"}, also: qianfan, dimension: "requests"},
	{name: "Qianfan: tokens", class: Throttle, words: []string{"336502"}, also: qianfan, dimension: "tokens"},

	// Volcengine Ark (Doubao): https://www.volcengine.com/docs/82379/1299023
	{name: "Ark: account", class: Quota, words: []string{"accountoverdueerror", "quotaexceeded", "setlimitexceeded"}},
	{name: "Ark: burst", class: Acceleration, words: []string{"requestbursttoofast"}},
	{name: "Ark: overloaded", class: Overload, words: []string{"serveroverloaded"}},
	{name: "Ark: requests", class: Throttle, words: []string{"*rpmexceeded", "*rpmratelimitexceeded"}, dimension: "requests"},
	{name: "Ark: tokens", class: Throttle, words: []string{"*tpmexceeded", "*tpmratelimitexceeded"}, dimension: "tokens"},

	// OpenCode Zen: https://opencode.ai/docs/zen
	{name: "Zen: allowance", class: Quota, words: []string{"*usagelimiterror", "monthlylimiterror", "creditserror"}},

	// OpenAI's and Anthropic's own texts, passed on without their codes.
	{name: "shared pool, account empty", class: Overload, words: []string{"upstream_provider_shared_pool"}, also: poolEmpty},
	{name: "acceleration", class: Acceleration, says: []string{"acceleration limit", "usage increase rate"}},
	{name: "usage limits", class: Quota, says: []string{"api usage limits. you will regain access", "extra usage is required"}},

	// Hugging Face: a model that is not loaded yet, with an estimate of when.
	{name: "loading", class: Overload, status: 503, says: []string{"is currently loading"}},
}

// qianfan: a number so small is a code only in Baidu's own words.
func qianfan(x *reading) bool {
	return x.says([]string{"request limit reached", "rate limit reached", "open api"})
}
