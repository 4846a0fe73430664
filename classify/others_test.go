package classify

import (
	"testing"
	"time"
)

func TestXAI(t *testing.T) {
	runFixtures(t, []fixture{
		{name: "tokens", provider: "xai", status: 429, body: `{"code":"Some resource has been exhausted","error":"Too many tokens for team 0000 and model grok-x. Your team's rate limit is — Tokens per Minute (actual/limit): 70000/16000."}`, class: Throttle, dimension: "tokens", numbers: "16000 0 -"},
		{name: "requests", provider: "xai", status: 429, body: `{"code":"Some resource has been exhausted","error":"Too many requests for team 0000 and model grok-x. Your team's rate limit is — Requests per Second (actual/limit): 9/8."}`, class: Throttle, dimension: "requests", numbers: "8 0 -"},
		{name: "credits", provider: "xai", status: 403, body: `{"code":"The caller does not have permission to execute the specified operation","error":"Your team 0000 has either used all available credits or reached its monthly spending limit."}`, class: Quota},
		{name: "new team", provider: "xai", status: 403, body: `{"code":"permission-denied","error":"Your newly created team doesn't have any credits or licenses yet. You can purchase those on the console."}`, class: Quota},
		{name: "spending limit", provider: "xai", status: 403, body: `{"code":"personal-team-blocked:spending-limit","error":"You have run out of credits or need a subscription."}`, class: Quota},
		{name: "no permission", provider: "xai", status: 403, body: `{"code":"permission-denied","error":"This API key is blocked."}`, class: NotRateLimit},
		{name: "capacity", provider: "xai", status: 429, body: `{"code":"Some resource has been exhausted","error":"The model is at capacity and currently cannot serve this request. Please try again later."}`, class: Overload},
		{name: "unavailable", provider: "xai", status: 503, body: `{"code":"The service is currently unavailable","error":"Service temporarily unavailable."}`, class: Overload},
		{name: "gRPC credits", provider: "xai", status: 200, headers: "grpc-status: 8\ngrpc-message: Your team has used all available credits\n", class: Quota},
		{name: "gRPC limit", provider: "xai", status: 200, headers: "grpc-status: 8\ngrpc-message: Too many requests for team 0000\n", class: Throttle, dimension: "requests"},
		{name: "bad key", provider: "xai", status: 400, body: `{"code":"Client specified an invalid argument","error":"Incorrect API key provided."}`, class: NotRateLimit},
	})
}

func TestMistral(t *testing.T) {
	runFixtures(t, []fixture{
		{name: "limit", provider: "mistral", status: 429, body: `{"object":"error","message":"Rate limit exceeded","type":"rate_limited","param":null,"code":"1300","raw_status_code":429}`, class: Throttle},
		{name: "requests", provider: "mistral", status: 429, body: `{"message":"Requests rate limit exceeded"}`, class: Throttle, dimension: "requests"},
		{name: "capacity", provider: "mistral", status: 429, body: `{"object":"error","message":"Service tier capacity exceeded for this model.","type":"invalid_request_error","param":null,"code":null}`, class: Overload},
		{name: "month", provider: "mistral", status: 429, body: `{"object":"error","message":"Monthly token limit reached.","type":"rate_limited","code":"1300"}`, class: Quota, dimension: "tokens"},
		{name: "subscription", provider: "mistral", status: 401, body: `{"detail":"Inactive subscription or usage limit reached"}`, class: Quota},
		{name: "402", provider: "mistral", status: 402, body: `{"detail":"Payment required"}`, class: Quota},
		{name: "key", provider: "mistral", status: 401, body: `{"detail":"Unauthorized"}`, class: NotRateLimit},
		{name: "422", provider: "mistral", status: 422, body: `{"object":"error","message":{"detail":[{"type":"missing","loc":["body","messages"],"msg":"Field required"}]},"type":"invalid_request_error"}`, class: NotRateLimit},
		{name: "event", provider: "mistral", status: 200, body: `{"object":"error","message":"Rate limit exceeded","type":"rate_limited","code":"1300"}`, class: Throttle},
		{name: "503", provider: "mistral", status: 503, body: `{"object":"error","message":"Service unavailable.","type":"internal_server_error","code":"1000"}`, class: Overload},
		{name: "500", provider: "mistral", status: 500, body: `{"object":"error","message":"Failed.","type":"server_error","code":"3700"}`, class: NotRateLimit, passing: true},
	})
}

func TestGroq(t *testing.T) {
	runFixtures(t, []fixture{
		{name: "tokens", provider: "groq", status: 429, headers: "retry-after: 6\n", body: "{\"error\":{\"message\":\"Rate limit reached for model `m` in organization `org_1` on tokens per minute (TPM): Limit 6000, Used 5034, Requested 1443. Please try again in 4.77s.\",\"type\":\"tokens\",\"code\":\"rate_limit_exceeded\"}}", class: Throttle, dimension: "tokens", numbers: "6000 966 1443", wait: 6 * time.Second},
		{name: "estimate above the limit, with a wait", provider: "groq", status: 429, body: `{"error":{"message":"Rate limit reached for model m on tokens per minute (TPM): Limit 7000, Used 0, Requested ~12903. Please try again in 50.5s.","type":"tokens","code":"rate_limit_exceeded"}}`, class: Throttle, dimension: "tokens", numbers: "7000 7000 12903", wait: 50500 * time.Millisecond},
		{name: "tokens a day", provider: "groq", status: 429, body: `{"error":{"message":"Rate limit reached for model m on tokens per day (TPD): Limit 100000, Used 99000, Requested 3000. Please try again in 28m48s.","type":"tokens","code":"rate_limit_exceeded"}}`, class: Throttle, dimension: "tokens", wait: 28*time.Minute + 48*time.Second},
		{name: "audio", provider: "groq", status: 429, body: `{"error":{"message":"Rate limit reached for model m on seconds of audio per hour (ASPH): Limit 7200, Used 7000, Requested 900. Please try again in 5m.","type":"seconds","code":"rate_limit_exceeded"}}`, class: Throttle, wait: 5 * time.Minute},
		{name: "too large", provider: "groq", status: 413, body: `{"error":{"message":"Request too large for model m on tokens per minute (TPM): Limit 6000, Requested 9000, please reduce your message size and try again.","type":"tokens","code":"rate_limit_exceeded"}}`, class: TooLarge, dimension: "tokens"},
		{name: "body too large", provider: "groq", status: 413, body: `{"error":{"message":"Request Entity Too Large","type":"invalid_request_error","code":"request_too_large"}}`, class: TooLarge},
		{name: "flex", provider: "groq", status: 498, body: `{"error":{"message":"Flex tier capacity exceeded.","type":"flex"}}`, class: Overload},
		{name: "over capacity", provider: "groq", status: 503, body: `{"error":{"message":"m is currently over capacity. Please try again and back off exponentially.","type":"internal_server_error"}}`, class: Overload},
		{name: "spend", provider: "groq", status: 400, body: `{"error":{"message":"The API is blocked: spend limit reached.","type":"invalid_request_error","code":"blocked_api_access"}}`, class: Quota},
		{name: "restricted", provider: "groq", status: 400, body: `{"error":{"message":"Organization has been restricted.","type":"invalid_request_error","code":"organization_restricted"}}`, class: NotRateLimit},
		{name: "424", provider: "groq", status: 424, body: `{"error":{"message":"Failed dependency.","type":"invalid_request_error"}}`, class: NotRateLimit},
	})
}

func TestCohere(t *testing.T) {
	runFixtures(t, []fixture{
		{name: "minute of a trial", provider: "cohere", status: 429, body: `{"message":"You are using a Trial key, which is limited to 20 API calls / minute. You can continue to use it for free or upgrade."}`, class: Throttle, dimension: "requests", numbers: "20 - -"},
		{name: "month of a trial", provider: "cohere", status: 429, body: `{"message":"You are using a Trial key, which is limited to 1000 API calls / month. You can upgrade."}`, class: Quota, dimension: "requests", numbers: "1000 - -"},
		{name: "tokens of a trial", provider: "cohere", status: 429, body: `{"message":"trial token rate limit exceeded, limit is 100000 tokens per minute"}`, class: Throttle, dimension: "tokens"},
		{name: "payment", provider: "cohere", status: 402, body: `{"message":"Please add or update your payment method."}`, class: Quota},
		{name: "blocked token", provider: "cohere", status: 498, body: `{"message":"Blocked."}`, class: NotRateLimit},
		{name: "499", provider: "cohere", status: 499, body: `{"message":"Request cancelled by user."}`, class: NotRateLimit},
		{name: "503", provider: "cohere", status: 503, body: `{"message":"Service unavailable."}`, class: Overload},
		{name: "too many tokens", provider: "cohere", status: 400, body: `{"message":"too many tokens: total number of tokens in the prompt cannot exceed 4081"}`, class: NotRateLimit},
	})
}

func TestSmallerProviders(t *testing.T) {
	runFixtures(t, []fixture{
		{name: "requests", provider: "together", status: 429, body: `{"error":{"message":"Request rate limit exceeded.","type":"dynamic_request_limited","code":"rate_limit"}}`, class: Throttle, dimension: "requests"},
		{name: "tokens", provider: "together", status: 429, body: `{"error":{"message":"Token rate limit exceeded.","type":"dynamic_token_limited","code":"rate_limit"}}`, class: Throttle, dimension: "tokens"},
		{name: "model's rate", provider: "together", status: 429, body: `{"error":{"message":"You have reached the rate limit specific to this model m. The maximum rate limit for this model is 6.0 queries per minute.","type":"model_rate_limit","code":null}}`, class: Throttle, dimension: "requests", numbers: "6 - -"},
		{name: "credit limit that is a rate", provider: "together", status: 429, body: `{"error":{"message":"You have been rate limited. Your rate limit is 60 queries per minute. Go to api.together.xyz to upgrade to a paid plan.","type":"credit_limit","param":null,"code":null}}`, class: Throttle, dimension: "requests", numbers: "60 - -"},
		{name: "credit limit that is a rate, detected", provider: "", status: 429, body: `{"error":{"message":"You have been rate limited. Your rate limit is 60 queries per minute. Go to api.together.xyz to upgrade to a paid plan.","type":"credit_limit"}}`, class: Throttle, dimension: "requests"},
		{name: "credits", provider: "together", status: 402, body: `{"error":{"message":"Credit limit exceeded.","type":"credit_limit"}}`, class: Quota},
		{name: "context", provider: "together", status: 403, body: `{"error":{"message":"The input is longer than the context.","type":"invalid_request_error"}}`, class: NotRateLimit},
		{name: "overloaded", provider: "together", status: 503, body: `{"error":{"message":"The server is overloaded or not ready yet.","type":"service_unavailable"}}`, class: Overload},
		{name: "overloaded, as 529", provider: "together", status: 529, class: Overload},

		{name: "suspended", provider: "fireworks", status: 412, body: `{"error":{"message":"Account a is suspended, possibly due to reaching the monthly spending limit or failure to pay past invoices.","code":"PRECONDITION_FAILED","type":"error"},"request_id":"r"}`, class: Quota},
		{name: "adapter", provider: "fireworks", status: 412, body: `{"error":{"message":"The LoRA failed to load.","code":"PRECONDITION_FAILED","type":"error"}}`, class: NotRateLimit},
		{name: "limits", provider: "fireworks", status: 429, headers: "x-ratelimit-over-limit: yes\n", body: `{"error":"Too Many Requests","message":"You have exceeded your usage limits. Please try again later."}`, class: Throttle},
		{name: "402", provider: "fireworks", status: 402, body: `{"error":{"message":"Payment required."}}`, class: Quota},

		{name: "requests", provider: "cerebras", status: 429, body: `{"message":"Requests per second limit exceeded - too many requests sent.","type":"too_many_requests_error","param":"quota","code":"request_quota_exceeded"}`, class: Throttle, dimension: "requests"},
		{name: "tokens", provider: "cerebras", status: 429, body: `{"message":"Tokens per minute limit exceeded - too many tokens processed.","type":"too_many_tokens_error","param":"quota","code":"token_quota_exceeded"}`, class: Throttle, dimension: "tokens"},
		{name: "a day's requests", provider: "cerebras", status: 429, body: `{"message":"Requests per day limit exceeded - too many requests sent.","type":"too_many_requests_error","param":"quota","code":"request_quota_exceeded"}`, class: Quota, dimension: "requests"},
		{name: "a day's requests with a return", provider: "cerebras", status: 429, headers: "x-ratelimit-limit-requests-day: 100\nx-ratelimit-remaining-requests-day: 0\nx-ratelimit-reset-requests-day: 33011.5\n", body: `{"message":"Requests per day limit exceeded - too many requests sent.","type":"too_many_requests_error","param":"quota","code":"request_quota_exceeded"}`, class: Throttle, dimension: "requests", wait: 33011500 * time.Millisecond},
		{name: "queue", provider: "cerebras", status: 429, body: `{"message":"We're experiencing high traffic right now! Please try again soon.","type":"too_many_requests_error","param":"queue","code":"queue_exceeded"}`, class: Overload},
		{name: "payment", provider: "cerebras", status: 402, body: `{"message":"Payment required.","type":"payment_required_error","code":"payment_required"}`, class: Quota},
		{name: "detected", provider: "", status: 429, body: `{"message":"Tokens per hour limit exceeded.","type":"too_many_tokens_error","param":"quota","code":"token_quota_exceeded"}`, class: Throttle, dimension: "tokens"},

		{name: "requests", provider: "perplexity", status: 429, body: `{"error":{"message":"Request rate limit exceeded.","type":"request_rate_limit_exceeded","code":429}}`, class: Throttle, dimension: "requests"},
		{name: "credits", provider: "perplexity", status: 401, body: `{"error":{"message":"You exceeded your current quota, please check your plan and billing details.","type":"insufficient_quota","code":401}}`, class: Quota},
		{name: "HTML", provider: "perplexity", status: 429, headers: "content-type: text/html\n", body: "<html><head><title>429 Too Many Requests</title></head><body>billing quota</body></html>", class: Throttle},
		{name: "bad key", provider: "perplexity", status: 401, body: `<html><head><title>401 Authorization Required</title></head></html>`, class: NotRateLimit},
	})
}
