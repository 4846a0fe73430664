package tokens

import (
	"strings"
	"testing"
)

// reported reads a whole JSON body.
func reported(provider, body string) (Usage, Reason) {
	a := NewAnswer(provider, "application/json", "")
	a.Write([]byte(body))
	a.End()
	return a.Usage()
}

func TestUsageOfJSON(t *testing.T) {
	tests := []struct {
		name, provider, body string
		want                 Usage
		reason               Reason
	}{
		{"chat", "openai", `{"model":"gpt-4o","usage":{"prompt_tokens":10,"completion_tokens":5,"total_tokens":15}}`,
			Usage{Input: 10, Output: 5, Total: 15}, ""},
		{"chat details", "openai", `{"usage":{"prompt_tokens":100,"completion_tokens":50,"total_tokens":150,"prompt_tokens_details":{"cached_tokens":64,"cache_write_tokens":7},"completion_tokens_details":{"reasoning_tokens":40}}}`,
			Usage{Input: 100, Output: 50, Total: 150, CachedInput: 64, CacheWrite: 7, Reasoning: 40}, ""},
		{"embeddings", "openai", `{"usage":{"prompt_tokens":8,"total_tokens":8}}`, Usage{Input: 8, Total: 8}, ""},
		{"images", "openai", `{"data":[{"b64_json":"eA=="}],"usage":{"input_tokens":30,"input_tokens_details":{"text_tokens":10,"image_tokens":20},"output_tokens":272,"total_tokens":302}}`,
			Usage{Input: 30, Output: 272, Total: 302}, ""},
		{"a transcription by tokens", "openai", `{"text":"hi","usage":{"type":"tokens","input_tokens":14,"input_token_details":{"audio_tokens":14,"text_tokens":0},"output_tokens":3,"total_tokens":17}}`,
			Usage{Input: 14, Output: 3, Total: 17}, ""},
		{"a transcription by seconds", "openai", `{"text":"hi","usage":{"type":"duration","seconds":9}}`, Usage{}, NotReported},
		{"Responses", "openai", `{"object":"response","error":null,"usage":{"input_tokens":11,"input_tokens_details":{"cached_tokens":3},"output_tokens":7,"output_tokens_details":{"reasoning_tokens":2},"total_tokens":18},"user":null}`,
			Usage{Input: 11, Output: 7, Total: 18, CachedInput: 3, Reasoning: 2}, ""},
		{"DeepSeek", "deepseek", `{"usage":{"prompt_tokens":563,"completion_tokens":116,"prompt_cache_hit_tokens":512,"prompt_cache_miss_tokens":51}}`,
			Usage{Input: 563, Output: 116, Total: 679, CachedInput: 512}, ""},
		{"Mistral", "mistral", `{"usage":{"prompt_tokens":64,"completion_tokens":6,"total_tokens":70,"num_cached_tokens":32}}`,
			Usage{Input: 64, Output: 6, Total: 70, CachedInput: 32}, ""},
		{"Kimi", "moonshot", `{"choices":[{"index":0,"usage":{"prompt_tokens":19,"completion_tokens":13,"total_tokens":32,"cached_tokens":10}}]}`,
			Usage{Input: 19, Output: 13, Total: 32, CachedInput: 10}, ""},
		{"Groq", "groq", `{"usage":{"queue_time":0.0051,"prompt_tokens":9,"prompt_time":0.5,"completion_tokens":3,"total_tokens":12,"total_time":1.25},"x_groq":{"id":"r"}}`,
			Usage{Input: 9, Output: 3, Total: 12}, ""},
		{"xAI", "xai", `{"usage":{"prompt_tokens":10,"completion_tokens":5,"total_tokens":22,"completion_tokens_details":{"reasoning_tokens":7}}}`,
			Usage{Input: 10, Output: 12, Total: 22, Reasoning: 7}, ""},
		{"xAI, unnamed: the total tells", "", `{"usage":{"prompt_tokens":10,"completion_tokens":5,"total_tokens":22,"completion_tokens_details":{"reasoning_tokens":7}}}`,
			Usage{Input: 10, Output: 12, Total: 22, Reasoning: 7}, ""},
		{"xAI without a total", "xai", `{"usage":{"prompt_tokens":10,"completion_tokens":9,"completion_tokens_details":{"reasoning_tokens":7}}}`,
			Usage{Input: 10, Output: 16, Total: 26, Reasoning: 7}, ""},
		{"xAI's Responses", "xai", `{"usage":{"input_tokens":10,"output_tokens":9,"output_tokens_details":{"reasoning_tokens":7},"total_tokens":19}}`,
			Usage{Input: 10, Output: 9, Total: 19, Reasoning: 7}, ""},
		{"Perplexity", "perplexity", `{"usage":{"prompt_tokens":33,"completion_tokens":70,"total_tokens":103,"citation_tokens":200,"num_search_queries":18,"reasoning_tokens":900}}`,
			Usage{Input: 33, Output: 970, Total: 1003, Reasoning: 900}, ""},
		{"OpenRouter", "openrouter", `{"usage":{"prompt_tokens":14,"completion_tokens":164,"total_tokens":178,"cost":0.00417,"is_byok":true,"prompt_tokens_details":{"cached_tokens":4,"cache_write_tokens":6},"completion_tokens_details":{"reasoning_tokens":46}}}`,
			Usage{Input: 14, Output: 164, Total: 178, CachedInput: 4, CacheWrite: 6, Reasoning: 46}, ""},
		{"MiniMax", "minimax", `{"usage":{"total_tokens":249,"total_characters":0,"prompt_tokens":26,"completion_tokens":223,"completion_tokens_details":{"reasoning_tokens":214}},"base_resp":{"status_code":0,"status_msg":""}}`,
			Usage{Input: 26, Output: 223, Total: 249, Reasoning: 214}, ""},
		{"MiniMax's embeddings", "minimax", `{"vectors":[[0.1]],"total_tokens":6,"base_resp":{"status_code":0}}`, Usage{Input: 6, Total: 6}, ""},
		{"a proxy of two styles", "", `{"usage":{"prompt_tokens":86,"completion_tokens":23,"total_tokens":109,"input_tokens":0,"output_tokens":0,"input_tokens_details":null}}`,
			Usage{Input: 86, Output: 23, Total: 109}, ""},
		{"a proxy that has Anthropic's cache within", "", `{"usage":{"prompt_tokens":86,"completion_tokens":23,"total_tokens":109,"cache_read_input_tokens":50,"cache_creation_input_tokens":6}}`,
			Usage{Input: 86, Output: 23, Total: 109, CachedInput: 50, CacheWrite: 6}, ""},

		{"Anthropic", "anthropic", `{"type":"message","content":[],"usage":{"input_tokens":16,"cache_creation_input_tokens":700,"cache_read_input_tokens":1300,"cache_creation":{"ephemeral_5m_input_tokens":700},"output_tokens":344,"output_tokens_details":{"thinking_tokens":33},"service_tier":"standard"}}`,
			Usage{Input: 2016, Output: 344, Total: 2360, CachedInput: 1300, CacheWrite: 700, Reasoning: 33}, ""},
		{"Anthropic without cache", "anthropic", `{"usage":{"input_tokens":16,"cache_creation_input_tokens":null,"output_tokens":3}}`, Usage{Input: 16, Output: 3, Total: 19}, ""},
		{"Anthropic with a compaction", "anthropic", `{"usage":{"input_tokens":220,"output_tokens":8,"iterations":[{"type":"compaction","input_tokens":5000,"output_tokens":9},{"type":"message","input_tokens":220,"output_tokens":8}]}}`,
			Usage{Input: 220, Output: 8, Total: 228}, ""},

		{"Gemini", "gemini", `{"candidates":[],"usageMetadata":{"promptTokenCount":3520,"candidatesTokenCount":2,"thoughtsTokenCount":42,"totalTokenCount":3564,"cachedContentTokenCount":3512},"modelVersion":"g"}`,
			Usage{Input: 3520, Output: 44, Total: 3564, CachedInput: 3512, Reasoning: 42}, ""},
		{"Gemini with tools", "vertex_ai", `{"usageMetadata":{"promptTokenCount":85,"toolUsePromptTokenCount":132,"candidatesTokenCount":28,"thoughtsTokenCount":54,"totalTokenCount":299}}`,
			Usage{Input: 217, Output: 82, Total: 299, Reasoning: 54}, ""},
		{"Gemini with its thoughts within", "gemini", `{"usageMetadata":{"promptTokenCount":10,"candidatesTokenCount":60,"thoughtsTokenCount":40,"totalTokenCount":70}}`,
			Usage{Input: 10, Output: 60, Total: 70, Reasoning: 40}, ""},
		{"Gemini answered nothing", "gemini", `{"usageMetadata":{"promptTokenCount":85,"totalTokenCount":85}}`, Usage{Input: 85, Total: 85}, ""},
		{"Gemini in OpenAI's clothes", "gemini", `{"usage":{"prompt_tokens":8,"completion_tokens":7,"total_tokens":38}}`,
			Usage{Input: 8, Output: 30, Total: 38, Reasoning: 23}, ""},
		{"Gemini's interactions", "gemini", `{"usage":{"total_input_tokens":7,"total_output_tokens":20,"total_thought_tokens":22,"total_cached_tokens":0,"total_tool_use_tokens":1,"total_tokens":50}}`,
			Usage{Input: 8, Output: 42, Total: 50, Reasoning: 22}, ""},
		{"embeddings of Vertex AI", "vertex_ai", `{"predictions":[{"embeddings":{"statistics":{"truncated":false,"token_count":6},"values":[0.1]}},{"embeddings":{"statistics":{"token_count":4.0}}}],"metadata":{"billableCharacterCount":40}}`,
			Usage{Input: 10, Total: 10}, ""},

		{"Converse", "bedrock", `{"output":{"message":{"content":[{"text":"hi"}]}},"stopReason":"end_turn","usage":{"inputTokens":52,"outputTokens":30,"totalTokens":82}}`,
			Usage{Input: 52, Output: 30, Total: 82}, ""},
		{"Converse with a cache", "bedrock", `{"usage":{"inputTokens":3,"outputTokens":61,"totalTokens":435,"cacheReadInputTokens":74,"cacheReadInputTokenCount":74,"cacheWriteInputTokens":297,"cacheWriteInputTokenCount":297},"metrics":{"latencyMs":9}}`,
			Usage{Input: 374, Output: 61, Total: 435, CachedInput: 74, CacheWrite: 297}, ""},
		{"InvokeModel of Titan", "bedrock", `{"inputTextTokenCount":9,"results":[{"tokenCount":12,"outputText":"a"},{"tokenCount":3,"outputText":"b"}]}`,
			Usage{Input: 9, Output: 15, Total: 24}, ""},
		{"InvokeModel of Llama", "bedrock", `{"generation":"a","prompt_token_count":9,"generation_token_count":12,"stop_reason":"stop"}`,
			Usage{Input: 9, Output: 12, Total: 21}, ""},
		{"Bedrock's own count", "bedrock", `{"completion":"a","amazon-bedrock-invocationMetrics":{"inputTokenCount":9,"outputTokenCount":12,"invocationLatency":7}}`,
			Usage{Input: 9, Output: 12, Total: 21}, ""},

		{"DashScope", "dashscope", `{"output":{"text":"a"},"usage":{"input_tokens":30,"output_tokens":10,"total_tokens":40,"image_tokens":20,"prompt_tokens_details":{"cached_tokens":5,"cache_creation_input_tokens":6},"output_tokens_details":{"reasoning_tokens":4}},"request_id":"r"}`,
			Usage{Input: 30, Output: 10, Total: 40, CachedInput: 5, CacheWrite: 6, Reasoning: 4}, ""},
		{"an application of DashScope", "dashscope", `{"output":{"text":"a"},"usage":{"models":[{"model_id":"q","input_tokens":30,"output_tokens":10},{"model_id":"r","input_tokens":3,"output_tokens":1}]}}`,
			Usage{Input: 33, Output: 11, Total: 44}, ""},
		{"embeddings of DashScope", "dashscope", `{"output":{"embeddings":[]},"usage":{"total_tokens":23}}`, Usage{Input: 23, Total: 23}, ""},

		{"Cohere", "cohere", `{"usage":{"billed_units":{"input_tokens":377,"output_tokens":113},"tokens":{"input_tokens":577,"output_tokens":113},"cached_tokens":576}}`,
			Usage{Input: 577, Output: 113, Total: 690, CachedInput: 576}, ""},
		{"Cohere, tokens first", "cohere", `{"usage":{"tokens":{"input_tokens":577,"output_tokens":113},"billed_units":{"input_tokens":377,"output_tokens":113}}}`,
			Usage{Input: 577, Output: 113, Total: 690}, ""},
		{"Cohere v1", "cohere", `{"text":"a","meta":{"api_version":{"version":"1"},"billed_units":{"input_tokens":7,"output_tokens":13},"tokens":{"input_tokens":70,"output_tokens":13}}}`,
			Usage{Input: 70, Output: 13, Total: 83}, ""},
		{"embeddings of Cohere", "cohere", `{"embeddings":{},"meta":{"billed_units":{"input_tokens":7}}}`, Usage{Input: 7, Total: 7}, ""},
		{"Cohere's rerank", "cohere", `{"results":[{"index":0}],"meta":{"billed_units":{"search_units":1}}}`, Usage{}, NotReported},
		{"another's meta", "", `{"meta":{"page":1,"total_tokens":7}}`, Usage{}, NotReported},
		{"Ollama", "", `{"model":"m","message":{"role":"assistant","content":"a"},"done":true,"prompt_eval_count":9,"eval_count":12}`,
			Usage{Input: 9, Output: 12, Total: 21}, ""},

		{"no total", "", `{"usage":{"prompt_tokens":1,"completion_tokens":2}}`, Usage{Input: 1, Output: 2, Total: 3}, ""},
		{"whole in other forms", "", `{"usage":{"prompt_tokens":1e2,"completion_tokens":3.0}}`, Usage{Input: 100, Output: 3, Total: 103}, ""},
		{"nothing used", "", `{"usage":{"prompt_tokens":0,"completion_tokens":0,"total_tokens":0}}`, Usage{}, ""},
		{"null", "", `{"usage":null}`, Usage{}, NotReported},
		{"null counts", "", `{"usage":{"prompt_tokens":null,"completion_tokens":null,"total_tokens":null}}`, Usage{}, NotReported},
		{"negative", "", `{"usage":{"prompt_tokens":-1,"completion_tokens":5,"total_tokens":-4}}`, Usage{}, NotReported},
		{"one absurd", "", `{"usage":{"prompt_tokens":10,"completion_tokens":1e12}}`, Usage{}, NotReported},
		{"more cached than there is", "", `{"usage":{"prompt_tokens":10,"completion_tokens":5,"prompt_tokens_details":{"cached_tokens":900000}}}`, Usage{}, NotReported},
		{"more thought than answered", "", `{"usage":{"prompt_tokens":10,"completion_tokens":5,"completion_tokens_details":{"reasoning_tokens":900000}}}`, Usage{}, NotReported},
		{"absurd", "", `{"usage":{"prompt_tokens":1000000001,"completion_tokens":1e300}}`, Usage{}, NotReported},
		{"beyond numbers", "", `{"usage":{"prompt_tokens":1e999}}`, Usage{}, NotReported},
		{"a fraction", "", `{"usage":{"prompt_tokens":1.5}}`, Usage{}, NotReported},
		{"absurd units", "cohere", `{"meta":{"billed_units":{"input_tokens":-7}}}`, Usage{}, NotReported},
		{"strings", "", `{"usage":{"prompt_tokens":"10"}}`, Usage{}, NotReported},
		{"a list", "", `{"usage":[{"prompt_tokens":10}]}`, Usage{}, NotReported},
		{"none", "", `{"choices":[]}`, Usage{}, NotReported},
		{"elsewhere", "", `{"choices":[{"message":{"content":"\"usage\":{\"prompt_tokens\":10}"},"x":{"usage":{"prompt_tokens":10}}}]}`, Usage{}, NotReported},
		{"null after a report", "", `{"usage":{"prompt_tokens":3},"usage":null}`, Usage{Input: 3, Total: 3}, ""},
		{"details are null", "", `{"usage":{"prompt_tokens":3,"prompt_tokens_details":null}}`, Usage{Input: 3, Total: 3}, ""},
		{"deep beside it", "", `{"usage":{"prompt_tokens":1},"x":` + strings.Repeat("[", 20000) + `"\\"` + strings.Repeat("]", 20000) + `}`, Usage{Input: 1, Total: 1}, ""},
		{"deep and broken", "", strings.Repeat("[", 20000), Usage{}, NotReported},
		{"deep and wrong", "", `{"usage":` + strings.Repeat(`{"usage":`, 20000), Usage{}, NotReported},
		{"broken off", "", `{"usage":{"prompt_tokens":1}`, Usage{}, NotReported},
		{"not an object", "", `[]`, Usage{}, NotReported},
		{"empty", "", ``, Usage{}, NotReported},
		{"not JSON", "", `oops`, Usage{}, NotReported},
	}
	for _, tt := range tests {
		if got, reason := reported(tt.provider, tt.body); got != tt.want || reason != tt.reason {
			t.Errorf("%s: %+v %s", tt.name, got, reason)
		}
	}
}

// A long answer is read from its end, and what is found there is what a whole
// look finds.
func TestUsageIsFoundWhereverItStands(t *testing.T) {
	const report = `{"prompt_tokens":10,"completion_tokens":5}`
	long := strings.Repeat(`word \"quoted\" { `, 4000)
	for name, c := range map[string]struct {
		body string
		want bool
	}{
		"at the end":                    {`{"model":"m","usage":` + report + `}`, true},
		"with space around":             {"{\"model\":\"m\",\"usage\" : " + report + "\n}\n", true},
		"in the middle":                 {`{"model":"m","usage":` + report + `,"choices":[{"text":"} ] \" {"}]}`, true},
		"before a text that quotes it":  {`{"usage":` + report + `,"text":"\"usage\":{\"prompt_tokens\":99}","model":"m"}`, true},
		"before another's":              {`{"usage":` + report + `,"choices":[{"x":{"usage":{"prompt_tokens":99}}}],"model":"m"}`, true},
		"behind another's":              {`{"choices":[{"usage":{"prompt_tokens":99}}],"usage":` + report + `,"model":"m"}`, true},
		"only another's":                {`{"x":[{"usage":` + report + `}]}`, false},
		"another's, and more behind it": {`{"x":[{"usage":` + report + `}],"y":{"z":[1]}}`, false},
		"as a value":                    {`{"object":"usage","x":` + report + `}`, false},
		"broken off further on":         {`{"usage":` + report + `,"x":[1`, false},
	} {
		for _, filler := range []string{"", `"filler":"` + long + `",`, `"filler":[` + strings.Repeat(`[0.125,{"a":"]"}],`, 2000) + `0],`} {
			body := "{" + filler + c.body[1:]
			a := NewAnswer("", "", "")
			a.Write([]byte(body))
			a.End()
			u, reason := a.Usage()
			if (reason == "") != c.want || c.want && (u.Input != 10 || u.Output != 5) {
				t.Errorf("%s, %d bytes: %+v %s", name, len(body), u, reason)
			}
			if c.want && a.Model() != "m" {
				t.Errorf("%s, %d bytes: model %q", name, len(body), a.Model())
			}
		}
	}
}

// Of an answer that is too long to be kept the end tells.
func TestUsageOfAnAnswerTooLong(t *testing.T) {
	vectors := `{"object":"list","data":[` + strings.Repeat("0.0123456789,", maxDocument/10) + `0],"model":"embed-m","usage":{"prompt_tokens":8,"total_tokens":8}}`
	for size, want := range map[int]Reason{len(vectors): "", len(vectors) - 1: Incomplete} {
		a := NewAnswer("", "application/json", "")
		for rest := vectors[:size]; rest != ""; {
			n := min(len(rest), 16000)
			a.Write([]byte(rest[:n]))
			rest = rest[n:]
		}
		if size == len(vectors) {
			a.End()
		}
		u, reason := a.Usage()
		if reason != want || want == "" && (u.Input != 8 || a.Model() != "embed-m") {
			t.Errorf("%d bytes: %+v %s, model %q", size, u, reason, a.Model())
		}
	}
	a := NewAnswer("", "application/json", "")
	a.Write([]byte(strings.Replace(vectors, "usage", "usual", 1)))
	a.End()
	if u, reason := a.Usage(); reason != Oversize {
		t.Errorf("%+v %s", u, reason)
	}
}

func TestBedrockCountsInHeaders(t *testing.T) {
	read := func(body string, header ...string) (Usage, Reason) {
		a := NewAnswer("bedrock", "application/json", "")
		for i := 0; i < len(header); i += 2 {
			a.Header(header[i], header[i+1])
		}
		a.Write([]byte(body))
		a.End()
		return a.Usage()
	}
	const in, out = "x-amzn-bedrock-input-token-count", "x-amzn-bedrock-output-token-count"
	if u, reason := read(`{"generations":[]}`, in, "16", out, "27"); u != (Usage{Input: 16, Output: 27, Total: 43}) || reason != "" {
		t.Errorf("%+v %s", u, reason)
	}
	if u, reason := read(`{"usage":{"input_tokens":5,"output_tokens":6}}`, in, "16", out, "27"); u.Input != 5 || reason != "" {
		t.Errorf("the body does not go before: %+v %s", u, reason)
	}
	if u, reason := read(`{}`, in, "-16", out, "27"); reason != NotReported {
		t.Errorf("%+v %s", u, reason)
	}
	if u, reason := read(`{}`, "content-length", "2"); reason != NotReported {
		t.Errorf("%+v %s", u, reason)
	}
}

func FuzzUsageOfJSON(f *testing.F) {
	f.Add([]byte(`{"model":"m","usage":{"prompt_tokens":10,"completion_tokens":5,"prompt_tokens_details":{"cached_tokens":1}}}`), 3)
	f.Add([]byte(`{"usage":{"prompt_tokens":-1e999,"input_tokens":nu`), 5)
	f.Add([]byte(`[{"usageMetadata":{"promptTokenCount":1,"thoughtsTokenCount":4}},{"error":{"code":429}}]`), 9)
	f.Add([]byte("{\"message\":{\"content\":\"a\\\"\"}}\n{\"done\":true,\"eval_count\":4}\n"), 30)
	f.Fuzz(func(t *testing.T, body []byte, at int) {
		sameInPieces(t, "application/json", body, at)
	})
}
