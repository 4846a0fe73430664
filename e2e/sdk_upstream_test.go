package e2e

import (
	"net/http"
	"time"

	"sluice/e2e/fakellm"
)

// upstream is how one provider answers, in its own words: what the SDK reads as
// an answer, and refusals by their class.
type upstream struct {
	answer   string
	refusals map[string]fakellm.Script
}

// stated is the wait that the refusals of class throttle state. No SDK's own
// first back-off is as long.
const stated = 3 * time.Second

const openaiAnswer = `{"id": "chatcmpl-1", "object": "chat.completion", "created": 1790000000, "model": "gpt-4o", ` +
	`"choices": [{"index": 0, "message": {"role": "assistant", "content": "Hello."}, "finish_reason": "stop"}], ` +
	`"usage": {"prompt_tokens": 10, "completion_tokens": 2, "total_tokens": 12}}`

// upstreams are the providers, by the name of Envoy's cluster.
var upstreams = map[string]upstream{
	"openai": {
		answer: openaiAnswer,
		refusals: map[string]fakellm.Script{
			"throttle": refuses(429, `{"error": {"message": "Rate limit reached for gpt-4o in organization org-fake on requests per min (RPM): Limit 500, Used 500, Requested 1. Please try again in 3s.", "type": "requests", "param": null, "code": "rate_limit_exceeded"}}`,
				"Retry-After", "3", "X-Ratelimit-Limit-Requests", "500", "X-Ratelimit-Remaining-Requests", "0", "X-Ratelimit-Reset-Requests", "3s"),
			// A wait through which an SDK would sleep, where it is passed on.
			"quota": refuses(429, `{"error": {"message": "You exceeded your current quota, please check your plan and billing details.", "type": "insufficient_quota", "param": null, "code": "insufficient_quota"}}`,
				"Retry-After", "2"),
			"overload":  refuses(503, `{"error": {"message": "The server is currently overloaded. Please try again later.", "type": "service_unavailable_error", "param": null, "code": "server_is_overloaded"}}`),
			"too-large": refuses(429, `{"error": {"message": "Request too large for gpt-4o in organization org-fake on tokens per min (TPM): Limit 30000, Requested 60000. The input or output tokens must be reduced in order to run successfully.", "type": "tokens", "param": null, "code": "rate_limit_exceeded"}}`),
		},
	},
	"anthropic": {
		answer: `{"id": "msg_1", "type": "message", "role": "assistant", "model": "claude-sonnet-5", "content": [{"type": "text", "text": "Hello."}], ` +
			`"stop_reason": "end_turn", "stop_sequence": null, "usage": {"input_tokens": 10, "output_tokens": 2}}`,
		refusals: map[string]fakellm.Script{
			"throttle": refuses(429, `{"type": "error", "error": {"type": "rate_limit_error", "message": "This request would exceed the rate limit for your organization of 40,000 input tokens per minute."}, "request_id": "req_fake"}`,
				"Retry-After", "3"),
			"quota": refuses(429, `{"type": "error", "error": {"type": "rate_limit_error", "message": "You have reached your API usage limits.", "details": {"error_code": "enforced_spend_limit_reached"}}, "request_id": "req_fake"}`,
				"Retry-After", "2", "X-Should-Retry", "true"),
			"overload": refuses(529, `{"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}, "request_id": "req_fake"}`),
		},
	},
	"groq": {
		answer: openaiAnswer,
		refusals: map[string]fakellm.Script{
			"throttle": refuses(429, `{"error": {"message": "Rate limit reached for model gpt-4o in organization org_fake service tier on_demand on tokens per minute (TPM): Limit 6000, Used 5900, Requested 400. Please try again in 3s. Need more tokens? Upgrade to Dev Tier today at https://console.groq.com/settings/billing", "type": "tokens", "code": "rate_limit_exceeded"}}`,
				"Retry-After", "3"),
			// https://console.groq.com/docs/spend-limits
			"quota":     refuses(400, `{"error": {"message": "The spend limit of your organization has been reached.", "type": "invalid_request_error", "code": "blocked_api_access"}}`),
			"overload":  refuses(498, `{"error": {"message": "Flex tier capacity exceeded. Please try again later.", "type": "flex_tier_error", "code": "capacity_exceeded"}}`),
			"too-large": refuses(413, `{"error": {"message": "Request too large for model gpt-4o in organization org_fake service tier on_demand on tokens per minute (TPM): Limit 6000, Requested 12000, please reduce your message size and try again. Need more tokens? Upgrade to Dev Tier today at https://console.groq.com/settings/billing", "type": "tokens", "code": "rate_limit_exceeded"}}`),
		},
	},
	"mistral": {
		answer: openaiAnswer,
		refusals: map[string]fakellm.Script{
			"throttle": refuses(429, `{"object": "error", "message": "Rate limit exceeded", "type": "rate_limited", "param": null, "code": "1300"}`, "Retry-After", "3"),
			"quota":    refuses(402, `{"object": "error", "message": "Payment required", "type": "payment_required", "param": null, "code": null}`),
			"overload": refuses(429, `{"object": "error", "message": "Service tier capacity exceeded for this model.", "type": "service_tier_capacity_exceeded", "param": null, "code": "3505"}`),
		},
	},
	"gemini": {
		answer: `{"candidates": [{"content": {"parts": [{"text": "Hello."}], "role": "model"}, "finishReason": "STOP", "index": 0}], ` +
			`"usageMetadata": {"promptTokenCount": 10, "candidatesTokenCount": 2, "totalTokenCount": 12}, "modelVersion": "gemini-2.5-flash"}`,
		refusals: map[string]fakellm.Script{
			"throttle": refuses(429, `{"error": {"code": 429, "message": "You exceeded your current quota, please check your plan and billing details.", "status": "RESOURCE_EXHAUSTED", "details": [`+
				`{"@type": "type.googleapis.com/google.rpc.QuotaFailure", "violations": [{"quotaMetric": "generativelanguage.googleapis.com/generate_content_paid_tier_requests", "quotaId": "GenerateRequestsPerMinutePerProjectPerModel", "quotaValue": "150"}]}, `+
				`{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "3s"}]}}`),
			// The short retryDelay is there, and not to be believed: the day is used up.
			"quota": refuses(429, `{"error": {"code": 429, "message": "You exceeded your current quota, please check your plan and billing details.", "status": "RESOURCE_EXHAUSTED", "details": [`+
				`{"@type": "type.googleapis.com/google.rpc.QuotaFailure", "violations": [{"quotaMetric": "generativelanguage.googleapis.com/generate_content_free_tier_requests", "quotaId": "GenerateRequestsPerDayPerProjectPerModel-FreeTier", "quotaValue": "50"}]}, `+
				`{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "3s"}]}}`),
			"overload": refuses(503, `{"error": {"code": 503, "message": "This model is currently experiencing high demand. Please try again later.", "status": "UNAVAILABLE"}}`),
		},
	},
	"bedrock": {
		answer: `{"output": {"message": {"role": "assistant", "content": [{"text": "Hello."}]}}, "stopReason": "end_turn", ` +
			`"usage": {"inputTokens": 10, "outputTokens": 2, "totalTokens": 12}, "metrics": {"latencyMs": 100}}`,
		refusals: map[string]fakellm.Script{
			"throttle": refuses(429, `{"message": "Too many requests, please wait before trying again."}`,
				"X-Amzn-Errortype", "ThrottlingException:http://internal.amazon.com/coral/com.amazon.bedrock/", "X-Amz-Retry-After", "3000"),
			"quota": refuses(429, `{"message": "Too many tokens per day, please wait before trying again."}`,
				"X-Amzn-Errortype", "ThrottlingException:http://internal.amazon.com/coral/com.amazon.bedrock/"),
			"overload": refuses(503, `{"message": "The service is temporarily unavailable."}`,
				"X-Amzn-Errortype", "ServiceUnavailableException:http://internal.amazon.com/coral/com.amazon.bedrock/"),
		},
	},
}

// refuses is an answer with headers, as name, value pairs.
func refuses(status int, body string, headers ...string) fakellm.Script {
	s := fakellm.Script{Status: status, Body: body, Header: http.Header{}}
	for i := 0; i < len(headers); i += 2 {
		s.Header.Set(headers[i], headers[i+1])
	}
	return s
}
