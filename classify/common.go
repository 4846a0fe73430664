package classify

// commonRules hold for whoever answers: the words of OpenAI's API are used by
// most, and the statuses mean the same everywhere. They are the only rules for
// a provider that is not known.
var commonRules = []rule{
	{name: "request_too_large", class: TooLarge, words: []string{"request_too_large"}},
	{name: "request too large for a limit", class: TooLarge, says: []string{"request too large for"}, also: namesLimit},
	{name: "requested more than the limit", class: TooLarge, status: 429, also: neverFits},
	// A context that is too long is no limit on traffic, whatever its words.
	{name: "context_length_exceeded", class: NotRateLimit, words: []string{"context_length_exceeded", "context_window_exceeded", "string_above_max_length"}},

	{name: "money or plan", class: Quota, words: quotaWords},
	{name: "402", class: Quota, status: 402},
	{name: "balance or credits", class: Quota, says: quotaPhrases},

	{name: "slow_down", class: Acceleration, words: []string{"slow_down", "limit_burst_rate", "throttling.burstrate"}},
	{name: "overloaded", class: Overload, words: overloadWords},
	{name: "overloaded", class: Overload, says: overloadPhrases, also: serversFault},
	{name: "529", class: Overload, status: 529},
	{name: "498", class: Overload, status: 498}, // as Groq has it

	// OpenAI's words for an empty account; others say so of a minute's limit,
	// and then when to come back.
	{name: "exceeded your current quota", class: Quota, says: []string{"exceeded your current quota"}, also: noReturn},
	{name: "a month's limit", class: Quota, status: 429, also: monthWindow},
	{name: "a day's limit, no return stated", class: Quota, status: 429, also: longWindow},
	{name: "a wait of a day or more", class: Quota, status: 429, also: dayWait},
	{name: "rate limit", class: Throttle, words: throttleWords},
	{name: "429", class: Throttle, status: 429},

	{name: "no capacity of a proxy in between", class: NotRateLimit, status: 503, says: proxyPhrases},
	{name: "503", class: Overload, status: 503},
	{name: "413", class: TooLarge, status: 413},
}

var quotaWords = []string{
	"insufficient_quota", "insufficient_balance", "insufficient_balance_error", "insufficient_user_quota",
	"insufficient_credits", "insufficient_funds", "insufficient_credit", "not_enough_balance", "no_credits",
	"billing_hard_limit_reached", "billing_not_active", "billing_error", "billing_disabled",
	"credit_balance_exhausted", "credit_limit", "credits_exhausted", "exceeded_current_quota_error",
	"free_quota_exceeded", "servicequotaexceededexception", "payment_required", "payment_required_error", "budget_exceeded", "budgetexceedederror",
	"usage_limit_reached", "usage_not_included", "usage_limit_exceeded", "arrearage", "blocked_api_access", "*spend_limit*", "*spending_limit*", "*spending-limit*",
}

var quotaPhrases = []string{
	"insufficient balance", "balance is insufficient", "insufficient credit", "insufficient fund", "credit balance is too low",
	"out of credits", "no credits left", "run out of credit", "used all available credits", "not enough credits",
	"requires more credits", "purchase more credits", "doesn't have any credits", "exceeded your monthly included credits", "prepayment credits are depleted",
	"monthly spending limit", "monthly spending cap", "exceeded its spending cap", "spending limit has been reached",
	"usage limit for this billing cycle", "usage limit for this period", "inactive subscription or usage limit", "out of call volume quota",
	"budget has been exceeded", "exceeded budget", "crossed budget", "exceededbudget",
	"余额不足", "欠费", // balance too low; in arrears
}

var overloadWords = []string{
	"server_is_overloaded", "server_overloaded", "overloaded_error", "overloaded", "engine_overloaded_error", "engine_overloaded",
	"model_overloaded", "model_capacity_exhausted", "service_tier_capacity_exceeded", "capacity_exceeded", "over_capacity",
	"service_unavailable", "service_unavailable_error", "serviceunavailable", "serviceunavailableerror", "serviceunavailableexception",
	"unavailable", "resource_unavailable", "no_capacity", "nocapacity", "queue_exceeded",
}

var overloadPhrases = []string{
	"currently overloaded", "is overloaded", "temporarily overloaded", "server overloaded", "service overloaded", "overloaded_error", "overloaded, please",
	"currently experiencing high demand", "experiencing high traffic", "no capacity available", "currently over capacity",
	"currently at capacity", "is at capacity", "capacity temporarily exceeded", "system capacity limits", "service tier capacity exceeded",
	"service is too busy", "server is busy", "model too busy", "model is too busy",
}

var throttleWords = []string{
	"rate_limit_exceeded", "rate_limit_error", "rate_limit_reached_error", "rate_limit_reached", "rate_limit", "rate_limited", "ratelimitreached",
	"ratelimitexceeded", "ratelimiterror", "ratelimit", "request_rate_limit_exceeded", "too_many_requests", "too_many_requests_error",
	"too_many_tokens_error", "toomanyrequests", "toomanyrequestsexception", "throttling_error", "throttling", "throttling.*", "throttlingexception",
	"throttled", "resource_exhausted", "rpm_rate_limit_exceeded", "tpm_rate_limit_exceeded", "limit_requests", "concurrency_limit_exceeded",
}

// proxyPhrases are those of Envoy and load balancers that found nobody to ask.
var proxyPhrases = []string{
	"no healthy upstream", "upstream connect error", "no available server", "dns cache overflow",
}

// serversFault: the status is none that blames the request, whose words a text
// may repeat.
func serversFault(x *reading) bool { return x.status < 400 || x.status == 429 || x.status >= 498 }

// namesLimit: the numbers of a limit are there. What is too large for a body or
// a context names none.
func namesLimit(x *reading) bool { return x.numbers.limit > 0 }
