package classify

// dashScopeRules: insufficient_quota, with OpenAI's very words, is the limit of
// tokens for a minute. Codes are those of the native API and their names in the
// OpenAI-compatible one. https://help.aliyun.com/zh/model-studio/error-code
var dashScopeRules = []rule{
	{name: "bill", class: Quota, words: []string{"arrearage", "*billoverdue", "*bill_overdue", "commoditynotpurchased", "commodity_not_purchased", "*.unpurchased", "budgetlimitexceeded"}},
	{name: "free tier", class: Quota, words: []string{"allocationquota.*", "*freetieronly", "*free_tier_only"}},
	{name: "free quota", class: Quota, says: []string{"free allocated quota exceeded", "free tier of the model has been exhausted", "free quota"}},
	{name: "Throttling.BurstRate", class: Acceleration, words: []string{"throttling.burstrate", "limit_burst_rate"}},
	{name: "rate increased", class: Acceleration, says: []string{"request rate increased too quickly"}},
	{name: "system capacity", class: Overload, says: []string{"system capacity limits"}},
	{name: "model serving", class: Overload, words: []string{"modelserviceunavailable", "modelunavailable", "model_unavailable"}},
	{name: "Throttling.AllocationQuota", class: Throttle, words: []string{"throttling.allocationquota", "insufficient_quota"}, also: notForbidden, dimension: "tokens"},
	{name: "Throttling.RateQuota", class: Throttle, words: []string{"throttling.ratequota", "limit_requests", "limitrequests"}, dimension: "requests"},
	{name: "Throttling", class: Throttle, words: []string{"throttling", "throttling.*"}},
}

// notForbidden: the status is none of those that are about money and rights.
func notForbidden(x *reading) bool { return x.status != 402 && x.status != 403 }
