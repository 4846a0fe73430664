package classify

import (
	"testing"
	"time"
)

func TestOpenRouter(t *testing.T) {
	runFixtures(t, []fixture{
		{name: "credits", provider: "openrouter", status: 402, body: `{"error":{"message":"This request requires more credits, or fewer max_tokens.","code":402}}`, class: Quota},
		{name: "credits, with the header of a proxy", provider: "openrouter", status: 403, body: `{"error":{"message":"Key limit exceeded (total limit).","code":403}}`, class: Quota},
		{name: "a day's free requests", provider: "openrouter", status: 429, body: `{"error":{"message":"Rate limit exceeded: free-models-per-day. Add 10 credits to unlock 1000 free model requests per day","code":429}}`, class: Quota, dimension: "requests"},
		{name: "a day's free requests with a return", provider: "openrouter", status: 429, headers: "date: Mon, 30 Nov 2026 12:00:00 GMT\n", body: `{"error":{"message":"Rate limit exceeded: free-models-per-day.","code":429,"metadata":{"headers":{"X-RateLimit-Limit":"50","X-RateLimit-Remaining":"0","X-RateLimit-Reset":"1796083200000"}}}}`, class: Throttle, dimension: "requests", wait: 12 * time.Hour},
		{name: "a day's free requests, by their source", provider: "openrouter", status: 429, body: `{"error":{"message":"Rate limited","code":429,"metadata":{"limit_source":"openrouter_free_tier_daily"}}}`, class: Quota, dimension: "requests"},
		{name: "a minute's free requests", provider: "openrouter", status: 429, body: `{"error":{"message":"Rate limit exceeded: free-models-per-min.","code":429}}`, class: Throttle, dimension: "requests"},
		{name: "the pool's account", provider: "openrouter", status: 429, body: `{"error":{"message":"Provider returned error","code":429,"metadata":{"provider_name":"OpenAI","limit_source":"upstream_provider_shared_pool","provider_error_code":"insufficient_quota","raw":"{\"error\":{\"code\":\"insufficient_quota\",\"message\":\"You exceeded your current quota.\"}}"}}}`, class: Overload},
		{name: "the pool's account, elsewhere", provider: "an-aggregator", status: 429, body: `{"error":{"message":"Refused","code":429,"limit_source":"upstream_provider_shared_pool","provider_error_code":"insufficient_quota"}}`, class: Overload},
		{name: "the pool's limit", provider: "openrouter", status: 429, body: `{"error":{"message":"Provider returned error","code":429,"metadata":{"provider_name":"Chutes","raw":"model m:free is temporarily rate-limited upstream. Please retry shortly."}}}`, class: Throttle},
		{name: "nested Gemini", provider: "openrouter", status: 429, body: `{"error":{"message":"Provider returned error","code":429,"metadata":{"provider_name":"Google AI Studio","raw":"{\"error\":{\"code\":429,\"message\":\"x\",\"status\":\"RESOURCE_EXHAUSTED\",\"details\":[{\"retryDelay\":\"11s\"}]}}"}}}`, class: Throttle, wait: 11 * time.Second},
		{name: "nested Anthropic", provider: "openrouter", status: 502, body: `{"error":{"message":"Provider returned error","code":502,"metadata":{"provider_name":"Anthropic","raw":"{\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}"}}}`, class: Overload},
		{name: "moderation", provider: "openrouter", status: 403, body: `{"error":{"message":"Flagged.","code":403,"metadata":{"reasons":["violence"],"flagged_input":"x","provider_name":"OpenAI"}}}`, class: NotRateLimit},
		{name: "in a 200", provider: "openrouter", status: 200, body: `{"error":{"message":"Rate limit exceeded","code":429},"user_id":"u"}`, class: Throttle},
		{name: "in a choice", provider: "openrouter", status: 200, body: `{"id":"g","choices":[{"delta":{"content":""},"finish_reason":"error","error":{"code":429,"message":"Rate limited"}}]}`, class: Throttle},
		{name: "502", provider: "openrouter", status: 502, body: `{"error":{"message":"Upstream is down","code":502}}`, class: NotRateLimit, passing: true},
		{name: "408", provider: "openrouter", status: 408, body: `{"error":{"message":"Timed out","code":408}}`, class: NotRateLimit, passing: true},
		{name: "no endpoints", provider: "openrouter", status: 404, body: `{"error":{"message":"No endpoints found that support image input","code":404}}`, class: NotRateLimit},
	})
}

func TestLiteLLMAndOthers(t *testing.T) {
	runFixtures(t, []fixture{
		{name: "Azure, as Python prints it", provider: "litellm", status: 429, body: `{"error":{"message":"litellm.RateLimitError: AzureException RateLimitError - Error code: 429 - {'error': {'code': '429', 'message': \"The system is currently experiencing high demand. Please retry after 20 seconds.\"}}\nReceived Model Group=m","type":"throttling_error","param":null,"code":"429"}}`, class: Overload, wait: 20 * time.Second},
		{name: "OpenAI's empty account", provider: "litellm", status: 429, body: `{"error":{"message":"litellm.RateLimitError: RateLimitError: OpenAIException - Error code: 429 - {'error': {'message': 'You exceeded your current quota.', 'type': 'insufficient_quota', 'param': None, 'code': 'insufficient_quota'}}","type":null,"param":null,"code":"429"}}`, class: Quota},
		{name: "OpenAI's limit", provider: "litellm", status: 429, body: `{"error":{"message":"litellm.RateLimitError: OpenAIException - Rate limit reached for gpt-x on tokens per min (TPM): Limit 30000, Used 20000, Requested 12000. Please try again in 4s.","type":null,"code":"429"}}`, class: Throttle, dimension: "tokens", numbers: "30000 10000 12000", wait: 4 * time.Second},
		{name: "Anthropic as bytes", provider: "litellm", status: 500, body: `{"error":{"message":"litellm.InternalServerError: AnthropicException - b'{\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}'","type":null,"code":"500"}}`, class: Overload},
		{name: "Gemini's day", provider: "litellm", status: 429, body: `{"error":{"message":"litellm.RateLimitError: geminiException - {\n  \"error\": {\n    \"code\": 429,\n    \"message\": \"You exceeded your current quota.\",\n    \"status\": \"RESOURCE_EXHAUSTED\",\n    \"details\": [{\"violations\": [{\"quotaId\": \"GenerateRequestsPerDayPerProjectPerModel-FreeTier\"}]}, {\"retryDelay\": \"30s\"}]\n  }\n}\n","type":"throttling_error","code":"429"}}`, class: Quota, dimension: "requests", wait: 30 * time.Second},
		{name: "DashScope's tokens", provider: "litellm", status: 429, body: `{"error":{"message":"litellm.RateLimitError: DashscopeException - Error code: 429 - {'error': {'code': 'insufficient_quota', 'message': 'You exceeded your current quota.', 'type': 'insufficient_quota'}}","code":"429"}}`, class: Throttle, dimension: "tokens"},
		{name: "Bedrock", provider: "litellm", status: 429, body: `{"error":{"message":"litellm.RateLimitError: BedrockException - {\"message\":\"Too many tokens per day, please wait before trying again.\"}","type":"throttling_error","code":"429"}}`, class: Quota, dimension: "tokens"},
		{name: "its own budget", provider: "litellm", status: 400, body: `{"error":{"message":"Budget has been exceeded! Current cost: 1.2, Max budget: 1.0","type":"budget_exceeded","param":null,"code":"400"}}`, class: Quota},
		{name: "its own budget as 429", provider: "litellm", status: 429, body: `{"error":{"message":"ExceededBudget: End User=u over budget.","type":"budget_exceeded","code":"429"}}`, class: Quota},
		{name: "cooling down", provider: "litellm", status: 429, body: `{"error":{"message":"No deployments available for selected model, Try again in 5 seconds. Passed model=m.","type":"None","code":"429"}}`, class: Throttle, wait: 5 * time.Second},
		{name: "at once", provider: "litellm", status: 429, headers: "retry-after: 60\n", body: `{"error":{"message":"Max parallel request limit reached.","type":"None","code":"429"}}`, class: Throttle, dimension: "concurrency", wait: time.Minute},
		{name: "context", provider: "litellm", status: 400, body: `{"error":{"message":"litellm.ContextWindowExceededError: OpenAIException - Error code: 400 - {'error': {'message': 'Too long', 'type': 'invalid_request_error', 'code': 'context_length_exceeded'}}","code":"400"}}`, class: NotRateLimit},
		{name: "a brace in a text", provider: "somebody", status: 429, body: `{"error":{"message":"Your schema {\"type\":\"object\"} came too fast.","code":"slow_down"}}`, class: Acceleration},
		{name: "a status inside", provider: "somebody", status: 429, body: `{"error":{"message":"said {\"error\":{\"code\":429}}","code":"slow_down"}}`, class: Acceleration},
		{name: "nested status", provider: "somebody", status: 502, body: `{"error":{"message":"all providers failed: {\"error\":{\"code\":429,\"message\":\"slower\"}}"}}`, class: Throttle},

		{name: "Hugging Face, credits", provider: "huggingface", status: 402, body: `{"error":"You have exceeded your monthly included credits for Inference Providers."}`, class: Quota},
		{name: "Hugging Face, limit", provider: "huggingface", status: 429, body: `{"error":"Rate limit reached. You reached the free usage limit (reset hourly)."}`, class: Throttle},
		{name: "Hugging Face, loading", provider: "huggingface", status: 503, body: `{"error":"Model m is currently loading","estimated_time":20.5}`, class: Overload, wait: 20500 * time.Millisecond},
		{name: "Hugging Face, busy", provider: "huggingface", status: 503, body: `{"error":"Model too busy, unable to get response in less than 60 second(s)"}`, class: Overload},
		{name: "Cloudflare, capacity", provider: "", status: 429, body: `{"errors":[{"message":"AiError: Capacity temporarily exceeded, please try again.","code":3040}],"success":false,"result":{},"messages":[]}`, class: Overload},
		{name: "ChatGPT's plan", provider: "", status: 429, body: `{"error":{"type":"usage_limit_reached","message":"The usage limit has been reached","plan_type":"plus","resets_in_seconds":7200}}`, class: Quota, wait: 2 * time.Hour},
		{name: "Ark, overdue", provider: "volcengine", status: 403, body: `{"error":{"code":"AccountOverdueError","message":"Overdue.","param":"","type":"Forbidden"}}`, class: Quota},
		{name: "Ark, limit of safety", provider: "", status: 429, body: `{"error":{"code":"SetLimitExceeded","message":"The set inference limit is reached.","type":"TooManyRequests"}}`, class: Quota},
		{name: "Ark, tokens", provider: "", status: 429, body: `{"error":{"code":"RateLimitExceeded.EndpointTPMExceeded","message":"Over the TPM limit of the endpoint.","type":"TooManyRequests"}}`, class: Throttle, dimension: "tokens"},
		{name: "Ark, requests", provider: "", status: 429, body: `{"error":{"code":"ModelAccountRpmRateLimitExceeded","message":"Over the limit.","type":"TooManyRequests"}}`, class: Throttle, dimension: "requests"},
		{name: "Ark, burst", provider: "", status: 429, body: `{"error":{"code":"RequestBurstTooFast","message":"Too fast.","type":"TooManyRequests"}}`, class: Acceleration},
		{name: "Ark, overloaded", provider: "", status: 429, body: `{"error":{"code":"ServerOverloaded","message":"Busy.","type":"TooManyRequests"}}`, class: Overload},
		{name: "Zen", provider: "", status: 429, body: `{"type":"error","error":{"type":"FreeUsageLimitError","message":"Rate limit exceeded."}}`, class: Quota},
		{name: "SiliconFlow, balance", provider: "", status: 403, body: `{"code":30001,"message":"Sorry, your account balance is insufficient","data":null}`, class: Quota},
		{name: "SiliconFlow, tokens", provider: "", status: 429, body: `{"message":"Request was rejected due to rate limiting. Details:TPM limit reached.","data":null}`, class: Throttle, dimension: "tokens"},
		{name: "SiliconFlow, overloaded", provider: "", status: 503, body: `{"code":50505,"message":"Model service overloaded. Please try again later.","data":null}`, class: Overload},
		{name: "GitHub Models", provider: "", status: 429, body: `{"error":{"code":"RateLimitReached","message":"Rate limit of 150 per 86400s exceeded for UserByModelByDay. Please wait 42600 seconds before retrying.","details":""}}`, class: Throttle, wait: 42600 * time.Second},
		{name: "Replicate", provider: "", status: 429, body: `{"title":"Request was throttled","detail":"Your rate limit is reduced to 6 requests per minute. It resets in ~30s.","status":429}`, class: Throttle, dimension: "requests", numbers: "6 - -", wait: 30 * time.Second},
		{name: "Ollama, a week's", provider: "", status: 429, body: `{"error":"you've reached your weekly usage limit, upgrade for higher limits"}`, class: Quota},
		{name: "words of the request in a 400", provider: "", status: 400, body: `{"error":{"message":"Invalid value 'the server is busy and is overloaded' for role","type":"invalid_request_error"}}`, class: NotRateLimit},
		{name: "vLLM", provider: "", status: 400, body: `{"object":"error","message":"This model's maximum context length is 4096 tokens.","type":"BadRequestError","param":null,"code":400}`, class: NotRateLimit},
		{name: "a code as the error", provider: "", status: 429, body: `{"error":"rate_limit_exceeded"}`, class: Throttle},
		{name: "new-api", provider: "", status: 403, body: `{"error":{"message":"Not enough.","type":"new_api_error","code":"insufficient_user_quota"}}`, class: Quota},
		{name: "detail", provider: "", status: 429, body: `{"detail":"Too many requests. Please try again in 1 minute and 30 seconds."}`, class: Throttle, wait: 90 * time.Second},
		{name: "text", provider: "", status: 429, headers: "content-type: text/plain\n", body: "Too Many Requests", class: Throttle},
		{name: "quota exceeded with a wait", provider: "", status: 429, headers: "retry-after: 10\n", body: `{"error":{"message":"You exceeded your current quota, please check your plan and billing details."}}`, class: Throttle, wait: 10 * time.Second},
		{name: "quota exceeded without", provider: "", status: 429, body: `{"error":{"message":"You exceeded your current quota, please check your plan and billing details."}}`, class: Quota},
		{name: "the words quota and billing", provider: "", status: 429, body: `{"error":{"message":"Limit reached. See quota and billing to raise it.","code":"rate_limit_exceeded"}}`, class: Throttle},
		{name: "events with an error's status", provider: "", status: 429, body: "event: error\ndata: {\"error\":{\"message\":\"slower\",\"code\":\"slow_down\"}}\n\n", class: Acceleration},
		{name: "Envoy found nobody", provider: "", status: 503, body: "no healthy upstream", class: NotRateLimit, passing: true},
		{name: "a page", provider: "", status: 503, body: "<html><head><title>503 Service Temporarily Unavailable</title></head></html>", class: Overload},
		{name: "truncated", provider: "", status: 429, body: `{"error":{"code":"insufficient_quota","message":"You exceeded yo`, class: Quota},
	})
}

func TestSlicesOwnErrors(t *testing.T) {
	const upstream = `"class":"throttle","source":"upstream","dimension":"input_tokens","limit_value":100,"remaining":0,"provider":"anthropic","upstream":{"status":429,"code":"rate_limit_error","message":"slower","request_id":"req_1"}`
	runFixtures(t, []fixture{
		{name: "of an upstream", provider: "openai", status: 429, headers: "retry-after: 12\nretry-after-ms: 11500\n", body: `{"error":{"message":"m","type":"rate_limit_error","param":null,"code":"rate_limit_exceeded",` + upstream + `,"retry_after":12,"reset_at":"2026-11-30T12:00:12Z"}}`, class: Throttle, dimension: "input_tokens", numbers: "100 0 -", wait: 11500 * time.Millisecond},
		{name: "of its body alone", provider: "openai", status: 429, body: `{"error":{"message":"m","code":"rate_limit_exceeded",` + upstream + `,"retry_after":12}}`, class: Throttle, dimension: "input_tokens", wait: 12 * time.Second},
		{name: "a wait that nobody stated", provider: "openai", status: 503, headers: "retry-after: 2\n", body: `{"error":{"message":"m","class":"overload","source":"upstream","retry_after":2,"retry_after_source":"default"}}`, class: Overload},
		{name: "a quota with a return", provider: "openai", status: 429, body: `{"error":{"message":"m","class":"quota","source":"upstream","reset_at":"2026-11-30T18:00:00Z"}}`, class: Quota, wait: 6 * time.Hour},
		{name: "of a gateway", provider: "", status: 413, body: `{"error":{"message":"m","code":"request_too_large","class":"too_large","source":"gateway","limit":"l","dimension":"tokens","limit_value":10,"requested":50}}`, class: TooLarge, dimension: "tokens", numbers: "10 - 50"},
		{name: "Anthropic's dialect", provider: "anthropic", status: 529, body: `{"type":"error","error":{"type":"overloaded_error","message":"m","class":"overload","source":"upstream","retry_after":3}}`, class: Overload, wait: 3 * time.Second},
		{name: "Gemini's dialect", provider: "gemini", status: 429, body: `{"error":{"code":429,"status":"RESOURCE_EXHAUSTED","message":"m","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"slow_down","metadata":{"class":"acceleration","source":"upstream","retry_after":"10"}}]}}`, class: Acceleration, wait: 10 * time.Second},
		{name: "Bedrock's dialect", provider: "bedrock", status: 400, headers: "x-amzn-errortype: ServiceQuotaExceededException\n", body: `{"message":"m","class":"quota","source":"gateway","dimension":"cost_usd"}`, class: Quota, dimension: "cost_usd"},
		{name: "somebody else's class", provider: "", status: 429, body: `{"error":{"message":"m","class":"quota","source":"somewhere"}}`, class: Throttle},
	})
}
