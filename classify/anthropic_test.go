package classify

import (
	"testing"
	"time"
)

func TestAnthropic(t *testing.T) {
	runFixtures(t, []fixture{
		{name: "input tokens", provider: "anthropic", status: 429, headers: "retry-after: 12\nrequest-id: req_1\n",
			body:  `{"type":"error","error":{"type":"rate_limit_error","message":"This request would exceed your organization's rate limit of 40,000 input tokens per minute. Please reduce the prompt length or the maximum tokens requested."}}`,
			class: Throttle, dimension: "input_tokens", numbers: "40000 - -", wait: 12 * time.Second},
		{name: "output tokens", provider: "anthropic", status: 429,
			body:  `{"type":"error","error":{"type":"rate_limit_error","message":"This request would exceed the rate limit for your organization of 8,000 output tokens per minute."}}`,
			class: Throttle, dimension: "output_tokens", numbers: "8000 - -"},
		{name: "requests", provider: "anthropic", status: 429,
			body:  `{"type":"error","error":{"type":"rate_limit_error","message":"This request would exceed your organization's rate limit of 50 requests per minute."}}`,
			class: Throttle, dimension: "requests", numbers: "50 - -"},
		{name: "tokens a day", provider: "anthropic", status: 429,
			body:  `{"type":"error","error":{"type":"rate_limit_error","message":"Number of request tokens has exceeded your daily rate limit (https://docs.anthropic.com/claude/reference/rate-limits)."}}`,
			class: Quota, dimension: "tokens"},
		{name: "tokens a day with a return", provider: "anthropic", status: 429, headers: "retry-after: 3600\n",
			body:  `{"type":"error","error":{"type":"rate_limit_error","message":"Number of request tokens has exceeded your daily rate limit."}}`,
			class: Throttle, dimension: "tokens", wait: time.Hour},
		{name: "at once", provider: "anthropic", status: 429, body: `{"type":"error","error":{"type":"rate_limit_error","message":"Number of concurrent connections has exceeded your rate limit."}}`, class: Throttle, dimension: "concurrency"},
		{name: "acceleration", provider: "anthropic", status: 429, body: `{"type":"error","error":{"type":"rate_limit_error","message":"This request would exceed your organization's maximum usage increase rate for input tokens per minute. Scale up gradually to stay within the acceleration limit."}}`, class: Acceleration, dimension: "input_tokens"},
		{name: "spend", provider: "anthropic", status: 429, body: `{"type":"error","error":{"type":"rate_limit_error","message":"Threshold crossed.","details":{"error_code":"enforced_spend_limit_reached"}}}`, class: Quota},
		{name: "usage limits of the workspace", provider: "anthropic", status: 400, headers: "date: Mon, 30 Nov 2026 12:00:00 GMT\n", body: `{"type":"error","error":{"type":"invalid_request_error","message":"You have reached your specified workspace API usage limits. You will regain access on 2026-12-01 at 00:00 UTC."}}`, class: Quota, wait: 12 * time.Hour},
		{name: "credits", provider: "anthropic", status: 400, body: `{"type":"error","error":{"type":"invalid_request_error","message":"Your credit balance is too low to access the API."}}`, class: Quota},
		{name: "billing", provider: "anthropic", status: 402, body: `{"type":"error","error":{"type":"billing_error","message":"A problem."}}`, class: Quota},
		{name: "extra usage", provider: "anthropic", status: 400, body: `{"type":"error","error":{"type":"invalid_request_error","message":"You're out of extra usage. Add more in the settings."}}`, class: Quota},
		{name: "subscription's window", provider: "anthropic", status: 429, headers: "anthropic-ratelimit-unified-status: rejected\nanthropic-ratelimit-unified-reset: 1796040000\nretry-after: 7200\n", body: `{"type":"error","error":{"type":"rate_limit_error","message":"This request would exceed your account's rate limit. Please try again later."}}`, class: Quota, wait: 2 * time.Hour},
		{name: "subscription allowed", provider: "anthropic", status: 429, headers: "anthropic-ratelimit-unified-status: allowed\nretry-after: 7\n", body: `{"type":"error","error":{"type":"rate_limit_error","message":"Please try again later."}}`, class: Throttle, wait: 7 * time.Second},
		{name: "overloaded", provider: "anthropic", status: 529, body: `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, class: Overload},
		{name: "overloaded, as 500", provider: "anthropic", status: 500, body: `{"type":"error","error":{"type":"api_error","message":"Overloaded"}}`, class: Overload},
		{name: "overloaded, in a stream", provider: "anthropic", status: 200, body: `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, class: Overload},
		{name: "limit, in a stream", provider: "anthropic", status: 200, body: `{"type":"error","error":{"type":"rate_limit_error","message":"Over the limit of 10 requests per minute."}}`, class: Throttle, dimension: "requests"},
		{name: "failure, in a stream", provider: "anthropic", status: 200, body: `{"type":"error","error":{"type":"api_error","message":"Internal server error"}}`, class: NotRateLimit, passing: true},
		{name: "529 without a body", provider: "anthropic", status: 529, class: Overload},
		{name: "body too large", provider: "anthropic", status: 413, body: `{"type":"error","error":{"type":"request_too_large","message":"Request exceeds the maximum size"}}`, class: TooLarge},
		{name: "prompt too long", provider: "anthropic", status: 400, body: `{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 210000 tokens > 200000 maximum"}}`, class: NotRateLimit},
		{name: "no permission", provider: "anthropic", status: 403, body: `{"type":"error","error":{"type":"permission_error","message":"No."}}`, class: NotRateLimit},
		{name: "timeout", provider: "anthropic", status: 504, body: `{"type":"error","error":{"type":"timeout_error","message":"Timed out."}}`, class: NotRateLimit, passing: true},
		{name: "a message", provider: "anthropic", status: 200, body: `{"type":"message","role":"assistant","content":[{"type":"text","text":"overloaded_error"}],"usage":{"input_tokens":1}}`, class: NotRateLimit},
		{name: "the start of a stream", provider: "anthropic", status: 200, body: `{"type":"message_start","message":{"id":"m","type":"message","usage":{"input_tokens":1}}}`, class: NotRateLimit},
	})
}
