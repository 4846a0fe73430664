package classify

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestRedactTakesOutWhatNamesTheAccount(t *testing.T) {
	for said, want := range map[string]string{
		// As providers say it.
		"Limit reached for gpt-4o in organization org-Ab12Cd34 on tokens per min (TPM): Limit 30000, Used 29937, Requested 385. Please try again in 644ms.": "Limit reached for gpt-4o in organization *** on tokens per min (TPM): Limit 30000, Used 29937, Requested 385. Please try again in 644ms.",
		"Limit reached for model `llama-3.3-70b-versatile` in organization `org_01hx` service tier `on_demand` on : Limit 6000":                             "Limit reached for model `llama-3.3-70b-versatile` in organization `***` service tier `on_demand` on : Limit 6000",
		"in organization ACMECORP on tokens":                                                            "in organization *** on tokens",
		"in your organization acme-corp.":                                                               "in your organization ***.",
		"organization 'acme corp' is over":                                                              "organization '***' is over",
		"Your account org-1f<ak-2e> is at max organization concurrency: 1":                              "Your account ***<***> is at max organization concurrency: 1",
		"Your account org-1f / proj-2a <ak-zz> reached organization TPD: 150000":                        "Your account *** / *** <***> reached organization TPD: 150000",
		"your organization (a22cf6e6-0000-4fff-8c4c-1580816ac7be) of 1,000,000 input tokens per minute": "your organization (***) of 1,000,000 input tokens per minute",
		"(org: a22cf6e6-0000-4fff-8c4c-1580816ac7be, model: claude-3-haiku-20240307)":                   "(org: ***, model: claude-3-haiku-20240307)",
		"for team 00000000-0000-0000-0000-000000000000 and model grok-4-0709. Your team's limit: 65/16": "for team *** and model grok-4-0709. Your team's limit: 65/16",
		"for consumer 'project_number:764086051850'.":                                                   "for consumer '***'.",
		"consumer project_number:1234 of x, project_number:1234":                                        "consumer *** of x, project_number:***",
		"projects/acme-prod-1/locations/us-central1":                                                    "projects/***/locations/us-central1",
		"projects/764086051850":                                                                         "projects/***",
		"Incorrect API key provided: <not-a-r****key>.":                                                 "Incorrect API key provided: <***>.",
		"Incorrect API key provided: hunter2horse.":                                                     "Incorrect API key provided: ***.",
		"key sk-abc***xyz or sk-ab...yz or sk-ab…yz":                                                    "key *** or *** or ***",
		"sk-proj-Ab_Cd-Ef, sk-ant-api03-xyz, sk_live_1, gsk_abc, xai-abcd, csk-abc":                     "***, ***, ***, ***, ***, ***",
		"AIzaSyA-1234567 AKIAIOSFODNN7EXAMPLE ASIAIOSFODNN7EXAMPLE LTAI5tAbCdEf":                        "*** *** *** ***",
		"Authorization: Bearer abcdef is bad":                                                           "Authorization: *** *** is bad",
		"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln and more":                                            "*** and more",
		"User: arn:aws:sts::123456789012:assumed-role/r/s is not authorized":                            "User: *** is not authorized",
		"on arn:aws:bedrock:us-east-1:1:inference-profile/us.anthropic.claude-v2:0":                     "on ***",
		"AWS account 123456789012 has":                                                                  "AWS account *** has",
		"of 123456789012":                                                                               "of ***",
		"ask jo.doe+x@mail.example.com now":                                                             "ask *** now",
		"svc@my-proj.iam.gserviceaccount.com":                                                           "***",
		"at https://acme-prod.openai.azure.com/openai/deployments/d?api-version=2024-10-21":             "at https://***.openai.azure.com/openai/deployments/d",
		"acme.cognitiveservices.azure.com:443":                                                          "***.cognitiveservices.azure.com:443",
		"See https://user:pw@host.example/x.":                                                           "See https://***.",
		"See https://x.example/a?key=hunter2&b=c.":                                                      "See https://x.example/a.",
		"https://console.x.ai/team/00000000-0000-0000-0000-000000000000/limits":                         "https://console.x.ai/team/***/limits",
		"wrkspc_01Ab user_2x workspace 'w' for user bob today, subscription 77aa":                       "*** *** workspace '***' for user *** today, subscription ***",
		`{"user_id": "user_REDACTED", "organization": "acme"}`:                                          `{"user_id": "***", "organization": "***"}`,
		"(Please include the request ID req_0123 or 6ddf5a4b9c3e4f21a8b7c6d5e4f3a2b1.)":                 "(Please include the request ID *** or ***.)",
		"token 0a1b2c3d4e5f60718293a4b5c6d7e8f9 and wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY/1":         "token *** and ***",
		"ft:gpt-4o-mini-2024-07-18:acme:suffix:7p4lURel":                                                "ft:gpt-4o-mini-2024-07-18:***",
		"您的账户org-abc<ak-1>已欠费":                                                                          "您的账户***<***>已欠费",
		`nested: {\"message\":\"a\norg-abc \u003cak-1\u003e\"}`:                                         `nested: {\"message\":\"a\n*** \u003c***\u003e\"}`,
		"hidden: s\u200bk-abc sk-\xffabc s\x00k-abc":                                                    "hidden: *** *** ***",
		// What stays.
		"gpt-4o-mini-2024-07-18 claude-3-5-sonnet-20241022 claude-3-7-sonnet@20250219 meta-llama/Llama-3.3-70B-Instruct-Turbo anthropic.claude-3-5-sonnet-20241022-v2:0": "gpt-4o-mini-2024-07-18 claude-3-5-sonnet-20241022 claude-3-7-sonnet@20250219 meta-llama/Llama-3.3-70B-Instruct-Turbo anthropic.claude-3-5-sonnet-20241022-v2:0",
		"Qwen/Qwen3-235B-A22B-Instruct-2507 mistralai/Mixtral-8x7B-Instruct-v0.1 us.meta.llama4-maverick-17b-instruct-v1:0 deepseek-ai/DeepSeek-R1-Distill-Llama-70B":    "Qwen/Qwen3-235B-A22B-Instruct-2507 mistralai/Mixtral-8x7B-Instruct-v0.1 us.meta.llama4-maverick-17b-instruct-v1:0 deepseek-ai/DeepSeek-R1-Distill-Llama-70B",
		"google/gemini-2.0-flash-exp:free accounts/fireworks/models/qwen2p5-vl-32b-instruct @cf/meta/llama-3.1-8b-instruct xai-org/grok-2 DeepSeekMathV2":                "google/gemini-2.0-flash-exp:free accounts/fireworks/models/qwen2p5-vl-32b-instruct @cf/meta/llama-3.1-8b-instruct xai-org/grok-2 DeepSeekMathV2",
		"key ending in ab12, or ...ab12, or starting with Zz":                                   "key ending in ***, or ...***, or starting with ***",
		"/subscriptions/s/resourceGroups/rg-a/providers/Microsoft.CognitiveServices/accounts/b": "/subscriptions/***/resourceGroups/***/providers/Microsoft.CognitiveServices/accounts/***",
		"user john.smith, tenant example.onmicrosoft.com, resource acme-east, [org=a;proj=b]":   "user ***, tenant ***, resource ***, [org=***;proj=***]",
		"accounts/acme/models/m": "accounts/***/models/m",
		"organization Acme-1 Corp has 5, org: Example Corp, Account my-acct is":                                                           "organization *** *** has 5, org: *** ***, Account *** is",
		"account id 12, user ID is missing, project number 77, token=abc":                                                                 "account id ***, user ID is missing, project number ***, token=***",
		"AQ.Ab8RN6xyz bedrock-api-key-YmVk 20261130T120000Z":                                                                              "*** *** 20261130T120000Z",
		"again in 1m47.5854s, at 2026-05-15T15:00:00Z, 2026-09-01 at 00:00 UTC; 58,276 of 68,276; 1526210; 0.000000001; 99.5%":            "again in 1m47.5854s, at 2026-05-15T15:00:00Z, 2026-09-01 at 00:00 UTC; 58,276 of 68,276; 1526210; 0.000000001; 99.5%",
		"Throttling.RateQuota rate_limit_exceeded organization_spend_limit_exceeded GenerateContentInputTokensPerModelPerMinute-FreeTier": "Throttling.RateQuota rate_limit_exceeded organization_spend_limit_exceeded GenerateContentInputTokensPerModelPerMinute-FreeTier",
		"generativelanguage.googleapis.com/generate_content_requests_per_minute_per_project_per_base_model":                               "generativelanguage.googleapis.com/generate_content_requests_per_minute_per_project_per_base_model",
		"Visit https://platform.openai.com/account/rate-limits, https://console.groq.com/settings/billing":                                "Visit https://platform.openai.com/account/rate-limits, https://console.groq.com/settings/billing",
		"Limit per organization: 300000, a payment method to your account at x, your account's limit, org-wide":                           "Limit per organization: 300000, a payment method to your account at x, your account's limit, org-wide",
		"two\nlines\tand a tab": "two lines and a tab",
		"":                      "",
		"...":                   "...",
		"***":                   "***",
	} {
		got := Redact(said)
		if got != want {
			t.Errorf("%q:\n%q, want\n%q", said, got, want)
		}
		if again := Redact(got); again != got {
			t.Errorf("%q becomes %q when redacted twice", got, again)
		}
	}
}

func TestRedactIsBounded(t *testing.T) {
	for name, s := range map[string]string{
		"words":           strings.Repeat("word ", 1<<18),
		"one word":        strings.Repeat("a", 1<<20),
		"no word":         strings.Repeat("日本", 1<<18),
		"stars":           strings.Repeat("*", 1<<20),
		"backslashes":     strings.Repeat(`\u`, 1<<19),
		"nothing visible": strings.Repeat("\u200b", 1<<18),
		"marks":           strings.Repeat(".:=", 1<<18),
	} {
		if got := Redact(s); len(got) > longestText || !utf8.ValidString(got) {
			t.Errorf("%s: %d bytes", name, len(got))
		}
	}
	// A key that the cut would halve is taken out whole, or not reached.
	for n := range 3000 {
		if got := Redact(strings.Repeat("x", n%50) + strings.Repeat(" ", n) + "AIzaSyPLANTEDPLANTED"); strings.Contains(got, "PLANTED") || strings.Contains(got, "AIza") {
			t.Fatalf("after %d: %q", n, got)
		}
	}
}

func TestRequestID(t *testing.T) {
	for id, want := range map[string]bool{
		"req_011CQabcDEF": true, "2ab2a5e6-0000-4b5c-9d0e-0123456789ab": true, "8f1a2b3c4d5e6f70-FRA": true, "": true,
		"sk-abc": false, "org-abc": false, "a b": false, "<x>": false, "x\n": false, "é": false, strings.Repeat("a", 129): false,
	} {
		if got := RequestID(id); (got == id) != want {
			t.Errorf("%q: %q", id, got)
		}
	}
}

// In the recorded responses, what names an account is replaced already, but it
// still stands where it stood.
func TestRedactOnRecordedResponses(t *testing.T) {
	texts := recordedTexts(t)
	changed := 0
	for _, said := range texts {
		got := Redact(said)
		if strings.Contains(got, "REDACTED") || strings.Contains(got, "00000000-0000") || strings.Contains(got, "org_x") {
			t.Errorf("%q", got)
		}
		if got != said {
			changed++
		}
	}
	if changed == 0 || changed > len(texts)/4 {
		t.Errorf("%d of %d texts are changed", changed, len(texts))
	}
}

// recordedTexts are all strings in the recorded bodies of errors. They are no
// part of the project.
func recordedTexts(t *testing.T) []string {
	var texts []string
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			for name, member := range v {
				if name != "id" && name != "request_id" { // which RequestID reads
					walk(member)
				}
			}
		case []any:
			for _, element := range v {
				walk(element)
			}
		case string:
			texts = append(texts, v)
		}
	}
	for _, line := range strings.Split(recordedResponses(t), "\n") {
		var response struct {
			Kind string
			Body any
		}
		if json.Unmarshal([]byte(line), &response) == nil && response.Kind == "error" {
			walk(response.Body)
		}
	}
	return texts
}

func recordedResponses(t *testing.T) string {
	shared := os.Getenv("SLUICE_SHARED")
	for dir := ".."; shared == "" && len(dir) < 30; dir += "/.." {
		if _, err := os.Stat(dir + "/shared/cases"); err == nil {
			shared = dir + "/shared"
		}
	}
	lines, err := os.ReadFile(filepath.Join(shared, "cases", "provider_responses.jsonl"))
	if shared == "" || err != nil {
		t.Skip("the recorded responses are not here")
	}
	return string(lines)
}

// plants are secrets as providers write them; MINE marks what must not be seen.
var plants = []string{
	"org-MINE1", "org_MINE1", "organization 'MINE'", "organization: MINE", "in organization MINE", "team MINE00a1", "proj_MINE", "proj-MINE",
	"projects/MINE", "projects/MINE/x", "project_number:MINE", "ak-MINE", "<ak-MINE>", "sk-MINE", "sk-ant-MINE", "sk-abMINE***MINE", "<not-a-MINE****MINE>",
	"gsk_MINE", "xai-MINE", "AIzaMINE12345", "AKIAMINEMINEMINE", "Bearer MINE", "bearer MINE", "arn:aws:iam::MINE:role/MINE", "MINE@mail.example",
	"https://x.example/?k=MINE", "https://MINE.openai.azure.com/x", "https://MINE:MINE@x.example", "wrkspc_MINE", "user_MINE", "eyJMINE99.MINE.MINE",
	"key ending in MINE", "key ...MINE", "key MINE...MINE", "“sk-MINE”", "sk-…MINE", "/subscriptions/MINE/resourceGroups/MINE/x", "MINE0a1b2c3d4e5f60718293a4b5c6", "api_key=MINE", "account id: MINE", "ft:gpt-4o:MINE:MINE:MINE",
}

func FuzzRedact(f *testing.F) {
	for i := range plants {
		f.Add("limit of ", uint8(i), ", try again")
	}
	f.Add("in the organization ", uint8(3), "…")
	f.Fuzz(func(t *testing.T, before string, which uint8, after string) {
		if strings.Contains(before+after, "MINE") {
			return
		}
		// Whatever is said before it, a secret that is a word of its own is seen.
		plant := plants[int(which)%len(plants)]
		for _, between := range []string{" ", "\n", ", ", "日"} {
			if s := before + between + plant + between + after; strings.Contains(Redact(s), "MINE") {
				t.Errorf("%q: %q", s, Redact(s))
			}
		}
		got := Redact(before + after)
		if len(got) > longestText || !utf8.ValidString(got) || strings.ContainsFunc(got, unicode.IsControl) {
			t.Errorf("%q", got)
		}
	})
}
