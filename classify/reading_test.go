package classify

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
)

func TestDurationsInTexts(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"20s.":                        20 * time.Second,
		"1m26.4s. visit":              86400 * time.Millisecond,
		"7m12s":                       432 * time.Second,
		"120ms":                       120 * time.Millisecond,
		"5h59m59s.":                   6*time.Hour - time.Second,
		"1 seconds":                   time.Second,
		"1 second.":                   time.Second,
		"86400 seconds. please":       day,
		"2 minutes and 30 seconds":    150 * time.Second,
		"1 hour, 5 minutes":           65 * time.Minute,
		"3 days":                      3 * day,
		"about 5 minutes":             5 * time.Minute,
		"~4s":                         4 * time.Second,
		"38.5":                        38500 * time.Millisecond,
		"9, please":                   9 * time.Second,
		"2.03:00:00.":                 51 * time.Hour,
		"01:02:03":                    time.Hour + 2*time.Minute + 3*time.Second,
		"a moment":                    -1,
		"":                            -1,
		"2026-05-15t15:00:00z":        -1,
		"99999999999999999999 years":  -1,
		"400 days":                    -1,
		"25:00:00":                    -1,
		"5 apples":                    5 * time.Second, // a number alone is seconds
		strings.Repeat("1h", 1<<10):   40 * time.Hour,  // of what is read
		strings.Repeat("9", 1<<10):    -1,
		"-5s":                         -1,
		"1..2s":                       time.Second,
		"0s":                          0,
		"12.5 minutes before it ends": 750 * time.Second,
	} {
		got, ok := leadingDuration(text)
		if ok != (want >= 0) || ok && got != want {
			t.Errorf("%.40q: %v %t, want %v", text, got, ok, want)
		}
	}
}

func TestMomentsInTexts(t *testing.T) {
	for text, want := range map[string]string{
		"2026-05-15T15:00:00Z (2056)":     "2026-05-15T15:00:00Z",
		"2026-05-15t15:00:00+02:00, then": "2026-05-15T13:00:00Z",
		"2026-09-01 at 00:00 utc.":        "2026-09-01T00:00:00Z",
		"2026-09-01 00:00:30 utc":         "2026-09-01T00:00:30Z",
		"2026-09-01 21:31:39":             "", // in which zone, nobody says
		"tomorrow":                        "",
		"":                                "",
		"2026-13-01T00:00:00Z":            "",
	} {
		got := ""
		if at, ok := leadingMoment(text); ok {
			got = at.UTC().Format(time.RFC3339)
		}
		if got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestNumbersInTexts(t *testing.T) {
	for text, want := range map[string]float64{
		"limit 30000, used":        30000,
		"limit: 1,500,000.":        1500000,
		"limit = 9.5 per":          9.5,
		"the limits are. limit 4":  4,
		"limit is high, limit ~12": 12,
		"limit reached":            -1,
		"unlimited":                -1,
		"":                         -1,
	} {
		if got := numberAfter(text, "limit"); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}

func TestPythonToJSON(t *testing.T) {
	for python, want := range map[string]string{
		`{'a': 'b', 'c': None, 'd': True, 'e': False, 'f': 1.5}`: `{"a":"b","c":null,"d":true,"e":false,"f":1.5}`,
		`{'a': "it's \"so\"", 'b': 'say "x"'}`:                   `{"a":"it's \"so\"","b":"say \"x\""}`,
		`{'a': 'it\'s', 'b': [{'c': '\n'}]}`:                     `{"a":"it's","b":[{"c":"\n"}]}`,
		`{"a": "b'c", "d": null}`:                                `{"a":"b'c","d":null}`,
	} {
		var got, wanted any
		if err := json.Unmarshal([]byte(pythonToJSON(python)), &got); err != nil {
			t.Errorf("%s: %v", python, err)
		}
		if err := json.Unmarshal([]byte(want), &wanted); err != nil {
			t.Fatal(err)
		}
		a, _ := json.Marshal(got)
		b, _ := json.Marshal(wanted)
		if string(a) != string(b) {
			t.Errorf("%s: %s, want %s", python, a, b)
		}
	}
}

func TestErrorEvent(t *testing.T) {
	for stream, want := range map[string]string{
		"":                                   "",
		"data: [DONE]\n\n":                   "",
		"data: {\"choices\":[]}\n\n":         "",
		"data: {\"error\":null}\n\n":         "",
		": keep-alive\n\n: keep-alive\n\n":   "",
		"data: {\"error\":{\"code\":1}}\n\n": `{"error":{"code":1}}`,
		"data: {\"error\":{\"code\":1}}":     `{"error":{"code":1}}`,
		"event: error\ndata: {\"x\":1}\n\n":  `{"x":1}`,
		"id: 1\r\nevent: error\r\n:HTTP_STATUS/429\r\ndata:{\"code\":\"Throttling\",\"message\":\"m\"}\r\n\r\n": `{"code":"Throttling","message":"m"}`,
		"data: {\"choices\":[]}\n\ndata: {\"error\":{\"code\":2}}\n\ndata: {\"error\":{\"code\":3}}\n\n":        `{"error":{"code":2}}`,
		"data: {\"error\":\ndata: {\"code\":4}}\n\n":                                                            "{\"error\":\n{\"code\":4}}",
		"event: error\n\ndata: {\"choices\":[]}\n\n":                                                            "",
	} {
		if got := string(ErrorEvent([]byte(stream))); got != want {
			t.Errorf("%q: %q, want %q", stream, got, want)
		}
	}
}

func TestCanonical(t *testing.T) {
	for name, want := range map[string]string{
		"azure": "azure_openai", "vertex": "vertex_ai", "kimi": "moonshot", "OpenAI": "openai", "openai_compatible": OpenAICompatible,
	} {
		if got, known := Canonical(name); got != want || !known {
			t.Errorf("%s: %s %t", name, got, known)
		}
	}
	for _, name := range []string{"", "litellm", "azure "} {
		if got, known := Canonical(name); got != OpenAICompatible || known {
			t.Errorf("%q: %s %t", name, got, known)
		}
	}
	for _, p := range Providers() {
		if got, known := Canonical(p); got != p || !known {
			t.Errorf("%s has no rules", p)
		}
	}
}

func TestDetectProviderOfResponse(t *testing.T) {
	for _, c := range []struct{ headers, body, want string }{
		{"anthropic-ratelimit-requests-limit: 5\n", "", "anthropic"},
		{"x-amzn-requestid: 1\n", "", "bedrock"},
		{"x-ms-region: East US\n", "", "azure_openai"},
		{"x-ms-region: East US\nopenai-processing-ms: 3\n", "", "azure_openai"},
		{"openai-processing-ms: 3\n", "", "openai"},
		{"x-groq-region: us\n", "", "groq"},
		{"x-request-id: 1\n", "", OpenAICompatible},
		{"", `{"error":{"code":429,"message":"m","status":"RESOURCE_EXHAUSTED"}}`, "gemini"},
		{"", `{"error":{"code":429,"message":"of aiplatform.googleapis.com/x","status":"RESOURCE_EXHAUSTED"}}`, "vertex_ai"},
		{"", `{"type":"error","error":{"type":"overloaded_error","message":"m"}}`, "anthropic"},
		{"", `{"base_resp":{"status_code":1002,"status_msg":"m"}}`, "minimax"},
		{"", `{"error":{"message":"m","type":"rate_limit_reached_error"}}`, "moonshot"},
		{"", `{"code":"Throttling.RateQuota","message":"m","request_id":"r"}`, "dashscope"},
		{"", `{"__type":"com.amazon#ThrottlingException","message":"m"}`, "bedrock"},
		{"", `{"error":{"message":"m","code":429,"metadata":{"provider_name":"X"}}}`, "openrouter"},
		{"", `{"error":{"message":"litellm.RateLimitError: see platform.openai.com","code":"429"}}`, OpenAICompatible},
		{"", `{"error":{"message":"m","code":"rate_limit_exceeded"}}`, OpenAICompatible},
		{"", "", OpenAICompatible},
	} {
		f := fixture{status: 429, headers: c.headers, body: c.body}
		if got := read(f.response(), OpenAICompatible).detected(); got != c.want {
			t.Errorf("%s%s: %s, want %s", c.headers, c.body, got, c.want)
		}
	}
}

// What names the account behind the gateway is not told.
func TestRefusalsAreRedacted(t *testing.T) {
	got := Classify(&Response{Provider: "openai", Status: 429, Headers: [][2]string{{"x-request-id", "req_0123456789abcdef"}},
		Body: []byte(`{"error":{"message":"Rate limit reached in organization org-AbCdEfGhIjKlMnOp on tokens per min (TPM): Limit 10, Used 5, Requested 6.","code":"rate_limit_exceeded"}}`)})
	if strings.Contains(got.Message, "AbCdEf") || !strings.Contains(got.Message, "Limit 10") {
		t.Errorf("message %q", got.Message)
	}
	if got.Code != "rate_limit_exceeded" || got.RequestID != "req_0123456789abcdef" {
		t.Errorf("code %q, request id %q", got.Code, got.RequestID)
	}
}
