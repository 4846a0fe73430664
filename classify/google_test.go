package classify

import (
	"testing"
	"time"
)

const quotaFailure = `{"error":{"code":429,"message":"You exceeded your current quota, please check your plan and billing details.","status":"RESOURCE_EXHAUSTED","details":[{"@type":"type.googleapis.com/google.rpc.QuotaFailure","violations":[`

func TestGemini(t *testing.T) {
	runFixtures(t, []fixture{
		{name: "requests a minute", provider: "gemini", status: 429,
			body:  quotaFailure + `{"quotaMetric":"generativelanguage.googleapis.com/generate_content_free_tier_requests","quotaId":"GenerateRequestsPerMinutePerProjectPerModel-FreeTier","quotaValue":"10"}]},{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"21.5s"}]}}`,
			class: Throttle, dimension: "requests", numbers: "10 - -", wait: 21500 * time.Millisecond},
		{name: "input tokens a minute", provider: "gemini", status: 429,
			body:  quotaFailure + `{"quotaId":"GenerateContentPaidTierInputTokensPerModelPerMinute","quotaValue":"1000000"}]}]}}`,
			class: Throttle, dimension: "input_tokens", numbers: "1000000 - -"},
		{name: "requests a day", provider: "gemini", status: 429,
			body:  quotaFailure + `{"quotaId":"GenerateRequestsPerDayPerProjectPerModel","quotaValue":"1500"}]},{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":{"seconds":12}}]}}`,
			class: Quota, dimension: "requests", numbers: "1500 - -", wait: 12 * time.Second},
		{name: "a minute's and a day's", provider: "gemini", status: 429,
			body:  quotaFailure + `{"quotaId":"GenerateContentInputTokensPerModelPerMinute","quotaValue":"5"},{"quotaId":"GenerateRequestsPerDayPerProjectPerModel","quotaValue":"25"}]}]}}`,
			class: Quota, dimension: "requests", numbers: "25 - -"},
		{name: "a plan without any", provider: "gemini", status: 429,
			body:  `{"error":{"code":429,"message":"Quota exceeded for metric: generativelanguage.googleapis.com/generate_content_free_tier_requests, limit: 0\nPlease retry in 20s.","status":"RESOURCE_EXHAUSTED","details":[{"@type":"type.googleapis.com/google.rpc.QuotaFailure","violations":[{"quotaId":"GenerateRequestsPerMinutePerProjectPerModel-FreeTier"}]}]}}`,
			class: Quota, dimension: "requests", wait: 20 * time.Second},
		{name: "retry hint only", provider: "gemini", status: 429, body: `{"error":{"code":429,"message":"Resource has been exhausted (e.g. check quota).","status":"RESOURCE_EXHAUSTED","details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"3s"}]}}`, class: Throttle, wait: 3 * time.Second},
		{name: "nothing told", provider: "gemini", status: 429, body: `{"error":{"code":429,"message":"You exceeded your current quota, please check your plan and billing details.","status":"RESOURCE_EXHAUSTED"}}`, class: Throttle},
		{name: "rate of the client library", provider: "gemini", status: 429, body: `{"error":{"code":429,"message":"You have exhausted your capacity on this model.","status":"RESOURCE_EXHAUSTED","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"RATE_LIMIT_EXCEEDED","metadata":{"quotaResetDelay":"1.2s"}}]}}`, class: Throttle, wait: 1200 * time.Millisecond},
		{name: "allowance of the client library", provider: "gemini", status: 429, body: `{"error":{"code":429,"message":"You have exhausted your capacity on this model.","status":"RESOURCE_EXHAUSTED","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"QUOTA_EXHAUSTED","metadata":{"quotaResetDelay":"6h"}}]}}`, class: Quota, wait: 6 * time.Hour},
		{name: "a minute's limit by its name in the metadata", provider: "gemini", status: 429, body: `{"error":{"code":429,"message":"Quota exceeded.","status":"RESOURCE_EXHAUSTED","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"RATE_LIMIT_EXCEEDED","metadata":{"quota_limit":"GenerateContentRequestsPerMinutePerProjectPerRegion","quota_limit_value":"60"}}]}}`, class: Throttle, dimension: "requests", numbers: "60 - -"},
		{name: "a day's limit by its name in the metadata", provider: "gemini", status: 429, body: `{"error":{"code":429,"message":"Quota exceeded.","status":"RESOURCE_EXHAUSTED","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"RATE_LIMIT_EXCEEDED","metadata":{"quota_limit":"GenerateRequestsPerDayPerProject","quota_limit_value":"50"}}]}}`, class: Quota, dimension: "requests", numbers: "50 - -"},
		{name: "capacity", provider: "gemini", status: 429, body: `{"error":{"code":429,"message":"No capacity available for model x on the server","status":"RESOURCE_EXHAUSTED","errors":[{"reason":"rateLimitExceeded"}],"details":[{"reason":"MODEL_CAPACITY_EXHAUSTED"}]}}`, class: Overload},
		{name: "overloaded", provider: "gemini", status: 503, body: `{"error":{"code":503,"message":"The model is overloaded. Please try again later.","status":"UNAVAILABLE"}}`, class: Overload},
		{name: "credits", provider: "gemini", status: 429, body: `{"error":{"code":429,"message":"Your prepayment credits are depleted.","status":"RESOURCE_EXHAUSTED"}}`, class: Quota},
		{name: "spending cap", provider: "gemini", status: 429, body: `{"error":{"code":429,"message":"Your project has exceeded its monthly spending cap.","status":"RESOURCE_EXHAUSTED"}}`, class: Quota},
		{name: "billing", provider: "gemini", status: 403, body: `{"error":{"code":403,"message":"Billing is off.","status":"PERMISSION_DENIED","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"BILLING_DISABLED"}]}}`, class: Quota},
		{name: "a list", provider: "gemini", status: 429, body: `[{"error":{"code":429,"message":"Resource exhausted.","status":"RESOURCE_EXHAUSTED","details":[{"@type":"x/google.rpc.RetryInfo","retryDelay":"8s"}]}}]`, class: Throttle, wait: 8 * time.Second},
		{name: "a list, after content", provider: "gemini", status: 200, body: `[{"candidates":[{"content":{"parts":[{"text":"error"}]}}]},{"error":{"code":503,"message":"Overloaded","status":"UNAVAILABLE"}}]`, class: Overload},
		{name: "an event", provider: "gemini", status: 200, body: `{"error":{"code":429,"message":"Resource exhausted.","status":"RESOURCE_EXHAUSTED"}}`, class: Throttle},
		{name: "OpenAI's endpoint", provider: "gemini", status: 429, body: `[{"error":{"code":429,"message":"Quota exceeded.","status":"RESOURCE_EXHAUSTED"}}]`, class: Throttle},
		{name: "content", provider: "gemini", status: 200, body: `[{"candidates":[{"content":{"parts":[{"text":"x"}]}}],"usageMetadata":{"totalTokenCount":4}}]`, class: NotRateLimit},
		{name: "bad argument", provider: "gemini", status: 400, body: `{"error":{"code":400,"message":"API key not valid.","status":"INVALID_ARGUMENT","details":[{"@type":"x","reason":"API_KEY_INVALID"}]}}`, class: NotRateLimit},
		{name: "500", provider: "gemini", status: 500, body: `{"error":{"code":500,"message":"An internal error has occurred.","status":"INTERNAL"}}`, class: NotRateLimit, passing: true},
		{name: "504", provider: "gemini", status: 504, body: `{"error":{"code":504,"message":"Deadline expired.","status":"DEADLINE_EXCEEDED"}}`, class: NotRateLimit, passing: true},
	})
}

func TestVertex(t *testing.T) {
	runFixtures(t, []fixture{
		{name: "shared pool", provider: "vertex", status: 429, body: `{"error":{"code":429,"message":"Resource exhausted. Please try again later.","status":"RESOURCE_EXHAUSTED"}}`, class: Throttle},
		{name: "partner model", provider: "vertex_ai", status: 429, body: `{"error":{"code":429,"message":"Quota exceeded for aiplatform.googleapis.com/online_prediction_input_tokens_per_minute_per_base_model with base model: claude-x. Please submit a quota increase request.","status":"RESOURCE_EXHAUSTED"}}`, class: Throttle, dimension: "input_tokens"},
		{name: "a day", provider: "vertex", status: 429, body: `{"error":{"code":429,"message":"Quota exceeded for aiplatform.googleapis.com/generate_content_requests_per_day_per_project_per_base_model.","status":"RESOURCE_EXHAUSTED"}}`, class: Quota, dimension: "requests"},
		{name: "anthropic's own error", provider: "vertex", status: 529, body: `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, class: Overload},
		{name: "anthropic's own limit", provider: "vertex", status: 429, body: `{"type":"error","error":{"type":"rate_limit_error","message":"Too many."}}`, class: Throttle},
		{name: "gRPC, exhausted", provider: "vertex", status: 200, headers: "content-type: application/grpc\ngrpc-status: 8\ngrpc-message: Quota%20exceeded%20for%20requests%20per%20minute\n", class: Throttle, dimension: "requests"},
		{name: "gRPC, unavailable", provider: "vertex", status: 200, headers: "grpc-status: 14\ngrpc-message: no room\n", class: Overload},
		{name: "gRPC, internal", provider: "vertex", status: 200, headers: "grpc-status: 13\n", class: NotRateLimit, passing: true},
		{name: "gRPC, fine", provider: "vertex", status: 200, headers: "grpc-status: 0\n", class: NotRateLimit},
	})
}

// What is said to be back in seconds, beside a limit per day, is not told.
func TestADaysLimitIsNotBackInSeconds(t *testing.T) {
	policy := DefaultPolicy()
	for delay, told := range map[string]bool{"12s": false, "7200s": true} {
		r := Classify(&Response{Provider: "gemini", Status: 429, Now: time.Unix(1_800_000_000, 0), Body: []byte(
			`{"error":{"code":429,"message":"Over it.","status":"RESOURCE_EXHAUSTED","details":[{"@type":"type.googleapis.com/google.rpc.QuotaFailure","violations":[` +
				`{"quotaId":"GenerateRequestsPerDayPerProjectPerModel"}]},{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"` + delay + `"}]}}`)})
		e := policy.FromUpstream(&r, 429, time.Unix(1_800_000_000, 0))
		if r.Class != Quota || !r.Stated || e.ResetAt.IsZero() == told {
			t.Errorf("%s: %+v is told as %+v", delay, r, e)
		}
	}
}

// The code is the code, wherever a type stands.
func TestTheCodeIsNoType(t *testing.T) {
	for body, want := range map[string]string{
		`{"error":{"type":"requests","code":"rate_limit_exceeded"}}`: "rate_limit_exceeded",
		`{"error":{"code":"rate_limit_exceeded","type":"requests"}}`: "rate_limit_exceeded",
		`{"error":{"type":"rate_limit_error","code":null}}`:          "rate_limit_error",
	} {
		if got := Classify(&Response{Provider: "openai", Status: 429, Body: []byte(body)}); got.Code != want {
			t.Errorf("%s: %q, want %q", body, got.Code, want)
		}
	}
}
