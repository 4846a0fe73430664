package classify

import (
	"encoding/json"
	"testing"
	"time"
)

func TestAnErrorIsWhatItsClassSays(t *testing.T) {
	at := time.Date(2026, 11, 30, 12, 0, 12, 0, time.FixedZone("", 3600)) // 11:00:12 UTC
	for name, c := range map[string]struct {
		err  Error
		want string
	}{
		"throttle": {Error{Class: Throttle, Message: "m \"q\"", Limit: "l", Dimension: "tokens", ScopeKind: "key+model", ScopeTarget: "3f9a1c0b77de+gpt-4o",
			Max: "100000", Remaining: "1000", Requested: "4000", Wait: 11001 * time.Millisecond, ResetAt: at},
			`{"error":{"message":"m \"q\" Try again at 2026-11-30T11:00:12Z","type":"rate_limit_error","param":null,"code":"rate_limit_exceeded","class":"throttle","source":"gateway",` +
				`"limit":"l","dimension":"tokens","scope_kind":"key+model","scope_target_id":"3f9a1c0b77de+gpt-4o",` +
				`"limit_value":100000,"remaining":1000,"requested":4000,"retry_after":12,"reset_at":"2026-11-30T11:00:12Z"}}`},
		"quota in US$": {Error{Class: Quota, Message: "m", Limit: "l", Dimension: "cost_usd", ScopeKind: "all", ScopeTarget: "all", Max: "0.05", Remaining: "0", Requested: "0.000000001"},
			`{"error":{"message":"m","type":"insufficient_quota","param":null,"code":"insufficient_quota","class":"quota","source":"gateway",` +
				`"limit":"l","dimension":"cost_usd","scope_kind":"all","scope_target_id":"all","limit_value":0.05,"remaining":0,"requested":0.000000001}}`},
		"too large, of no limit": {Error{Class: TooLarge, Message: "m"},
			`{"error":{"message":"m","type":"invalid_request_error","param":null,"code":"request_too_large","class":"too_large","source":"gateway"}}`},
		"no rate limit": {Error{Type: "api_error", Code: "internal_error", Message: "m"},
			`{"error":{"message":"m","type":"api_error","param":null,"code":"internal_error","source":"gateway"}}`},
	} {
		got := string(c.err.AppendJSON(nil))
		if got != c.want || !json.Valid([]byte(got)) {
			t.Errorf("%s:\n%s\nwant\n%s", name, got, c.want)
		}
	}
}

func TestClassesAndTheirStatus(t *testing.T) {
	for c, want := range map[Class]struct {
		name   string
		status int
	}{Throttle: {"throttle", 429}, Acceleration: {"acceleration", 429}, Quota: {"quota", 429}, Overload: {"overload", 503},
		TooLarge: {"too_large", 413}, NotRateLimit: {"not_rate_limit", 0}} {
		if c.String() != want.name || c.Status() != want.status {
			t.Errorf("%s is %d", c, c.Status())
		}
	}
}

func TestDetectProvider(t *testing.T) {
	for target, want := range map[[2]string]string{
		{"api.openai.com", "/v1/chat/completions"}:                                           "openai",
		{"API.OpenAI.com.:443", "/v1/chat/completions"}:                                      "openai",
		{"eu.api.openai.com", "/v1/responses"}:                                               "openai",
		{"myapi.openai.com.evil.example", "/"}:                                               OpenAICompatible,
		{"notapi.openai.com", "/"}:                                                           OpenAICompatible,
		{"x.openai.azure.com", "/"}:                                                          "azure_openai",
		{"gateway", "/openai/deployments/d/chat/completions"}:                                "azure_openai",
		{"api.anthropic.com", "/v1/messages"}:                                                "anthropic",
		{"gateway", "/v1/messages"}:                                                          "anthropic",
		{"us-central1-aiplatform.googleapis.com", "/v1/x"}:                                   "vertex_ai",
		{"gateway", "/v1/projects/p/locations/l/publishers/google/models/m:generateContent"}: "vertex_ai",
		{"gateway", "/v1beta/models/gemini-2:streamGenerateContent"}:                         "gemini",
		{"bedrock-runtime.us-east-1.amazonaws.com", "/model/m/converse"}:                     "bedrock",
		{"gateway", "/model/anthropic.claude-v2:0/invoke-with-response-stream"}:              "bedrock",
		{"gateway", "/api/v1/services/aigc/text-generation/generation"}:                      "dashscope",
		{"[::1]:10000", "/v1/chat/completions"}:                                              OpenAICompatible,
		{"", ""}:                                                                             OpenAICompatible,
	} {
		if got := DetectProvider(target[0], target[1]); got != want {
			t.Errorf("%v: %s, want %s", target, got, want)
		}
	}
}

func TestEveryDetectedProviderIsKnown(t *testing.T) {
	known := map[string]bool{}
	for _, p := range Providers() {
		known[p] = true
	}
	for _, h := range hosts {
		if !known[h.provider] {
			t.Errorf("%s of %s", h.provider, h.host)
		}
	}
}

func TestModelOfPath(t *testing.T) {
	for path, want := range map[string]string{
		"/v1beta/models/gemini-2.5-flash:generateContent":                                      "gemini-2.5-flash",
		"/v1/projects/p/locations/l/publishers/google/models/gemini-2:streamGenerateContent":   "gemini-2",
		"/v1/projects/p/locations/l/publishers/anthropic/models/claude-x@2026:rawPredict":      "claude-x@2026",
		"/model/anthropic.claude-3-5-sonnet-20241022-v2:0/converse":                            "anthropic.claude-3-5-sonnet-20241022-v2:0",
		"/model/arn:aws:bedrock:us-east-1:1:inference-profile/us.anthropic.claude-v2:0/invoke": "arn:aws:bedrock:us-east-1:1:inference-profile/us.anthropic.claude-v2:0",
		"/openai/deployments/my-gpt/chat/completions":                                          "my-gpt",
		"/v1/models":           "",
		"/v1/models/gpt-4o":    "",
		"/v1/chat/completions": "",
		"/model/m/something":   "",
		"/openai/deployments/": "",
		"":                     "",
	} {
		if got := ModelOfPath(path); got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
}
