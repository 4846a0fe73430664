package e2e

import "time"

// In OpenAI's shape.
const (
	rateLimit = "rate_limit_error"
	exceeded  = "rate_limit_exceeded"
	noQuota   = "insufficient_quota"
	noService = "service_unavailable_error"
	noRoom    = "server_is_overloaded"
	invalid   = "invalid_request_error"
	tooLarge  = "request_too_large"
)

// sdks are the SDKs, and what they do: docs/sdks.md has it for people.
var sdks = []sdk{
	{
		name: "openai (Python)", program: "clients.py", client: "openai", provider: "openai",
		throttle: raised{"RateLimitError", 429, rateLimit, exceeded},
		hour:     raised{"RateLimitError", 429, rateLimit, exceeded},
		quota:    raised{"RateLimitError", 429, noQuota, noQuota},
		quota402: raised{"APIStatusError", 402, noQuota, noQuota},
		overload: raised{"InternalServerError", 503, noService, noRoom},
		tooLarge: raised{"APIStatusError", 413, invalid, tooLarge},
	},
	{
		name: "openai (JavaScript)", program: "clients.mjs", client: "openai", provider: "openai",
		throttle: raised{"RateLimitError", 429, rateLimit, exceeded},
		hour:     raised{"RateLimitError", 429, rateLimit, exceeded},
		quota:    raised{"RateLimitError", 429, noQuota, noQuota},
		quota402: raised{"APIError", 402, noQuota, noQuota},
		overload: raised{"InternalServerError", 503, noService, noRoom},
		tooLarge: raised{"APIError", 413, invalid, tooLarge},
	},
	{
		name: "anthropic (Python)", program: "clients.py", client: "anthropic", provider: "anthropic",
		throttle:      raised{"RateLimitError", 429, rateLimit, exceeded},
		hour:          raised{"RateLimitError", 429, rateLimit, exceeded},
		quota:         raised{"RateLimitError", 429, rateLimit, noQuota},
		upstreamQuota: raised{"EnforcedSpendLimitReachedError", 429, rateLimit, noQuota},
		overload:      raised{"OverloadedError", 529, "overloaded_error", noRoom},
		tooLarge:      raised{"ContentTooLargeError", 413, invalid, tooLarge},
	},
	{
		name: "anthropic (JavaScript)", program: "clients.mjs", client: "anthropic", provider: "anthropic",
		throttle:      raised{"RateLimitError", 429, rateLimit, exceeded},
		hour:          raised{"RateLimitError", 429, rateLimit, exceeded},
		quota:         raised{"RateLimitError", 429, rateLimit, noQuota},
		upstreamQuota: raised{"EnforcedSpendLimitReachedError", 429, rateLimit, noQuota},
		overload:      raised{"OverloadedError", 529, "overloaded_error", noRoom},
		tooLarge:      raised{"ContentTooLargeError", 413, invalid, tooLarge},
	},
	{
		name: "groq (Python)", program: "clients.py", client: "groq", provider: "groq",
		throttle:      raised{"RateLimitError", 429, rateLimit, exceeded},
		hour:          raised{"RateLimitError", 429, rateLimit, exceeded},
		quota:         raised{"RateLimitError", 429, noQuota, noQuota},
		upstreamQuota: raised{"BadRequestError", 400, noQuota, noQuota},
		overload:      raised{"InternalServerError", 503, noService, noRoom},
		tooLarge:      raised{"APIStatusError", 413, invalid, tooLarge},
	},
	{
		name: "mistralai (Python)", program: "clients.py", client: "mistralai", provider: "mistral",
		throttle:      raised{"SDKError", 429, rateLimit, exceeded},
		quota:         raised{"SDKError", 429, noQuota, noQuota},
		upstreamQuota: raised{"SDKError", 402, noQuota, noQuota},
		quota402:      raised{"SDKError", 402, noQuota, noQuota},
		overload:      raised{"SDKError", 503, noService, noRoom},
		tooLarge:      raised{"SDKError", 413, invalid, tooLarge},
		quotaAttempts: span{4, 12}, // as long as its configuration says
	},
	{
		// It reads no header. Its first back-off is a second, and up to one more.
		name: "google-genai (Python)", program: "clients.py", client: "google-genai", provider: "gemini",
		throttle:        raised{"ClientError", 429, "RESOURCE_EXHAUSTED", exceeded},
		hour:            raised{"ClientError", 429, "RESOURCE_EXHAUSTED", exceeded},
		quota:           raised{"ClientError", 429, "RESOURCE_EXHAUSTED", noQuota},
		quota402:        raised{"ClientError", 402, "RESOURCE_EXHAUSTED", noQuota},
		overload:        raised{"ServerError", 503, "UNAVAILABLE", noRoom},
		tooLarge:        raised{"ClientError", 413, "INVALID_ARGUMENT", tooLarge},
		throttleBackoff: time.Second, overloadBackoff: time.Second,
		throttleAttempts: span{2, 5}, quotaAttempts: span{5, 5}, hourAttempts: span{5, 5},
	},
	{
		// It waits as long as it is told, but not more than 5 s and its own back-off.
		name: "boto3 (Python)", program: "clients.py", client: "boto3", provider: "bedrock",
		throttle:         raised{"ThrottlingException", 429, "", "ThrottlingException"},
		hour:             raised{"ThrottlingException", 429, "", "ThrottlingException"},
		quota:            raised{"ServiceQuotaExceededException", 400, "", "ServiceQuotaExceededException"},
		overload:         raised{"ServiceUnavailableException", 503, "", "ServiceUnavailableException"},
		tooLarge:         raised{"ValidationException", 400, "", "ValidationException"},
		throttleAttempts: span{2, 3}, hourAttempts: span{3, 3},
	},
	{
		// It does not read x-should-retry, and retries every 429, after two and
		// four seconds.
		name: "Vercel AI SDK (JavaScript)", program: "clients.mjs", client: "vercel", provider: "openai",
		throttle:      raised{"AI_APICallError", 429, rateLimit, exceeded},
		hour:          raised{"AI_RetryError", 429, rateLimit, exceeded},
		quota:         raised{"AI_RetryError", 429, noQuota, noQuota},
		quota402:      raised{"AI_APICallError", 402, noQuota, noQuota},
		overload:      raised{"AI_APICallError", 503, noService, noRoom},
		tooLarge:      raised{"AI_APICallError", 413, invalid, tooLarge},
		quotaAttempts: span{3, 3},
		hourAttempts:  span{3, 3},
	},
	{
		// It reads retry-after beside a 429 only. Its first back-off is a second,
		// and up to one more.
		name: "LangChain (JavaScript)", program: "clients.mjs", client: "langchain", provider: "openai",
		throttle:        raised{"RateLimitError", 429, rateLimit, exceeded},
		hour:            raised{"RateLimitCapacityError", 429, rateLimit, exceeded},
		quota:           raised{"InsufficientQuotaError", 429, noQuota, noQuota},
		overload:        raised{"InternalServerError", 503, noService, noRoom},
		tooLarge:        raised{"APIError", 413, invalid, tooLarge},
		overloadBackoff: time.Second,
	},
}
