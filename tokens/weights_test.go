package tokens

import "testing"

func TestWeightsFor(t *testing.T) {
	for _, n := range names {
		if w := n.family.weights; len(w) != NumFeatures {
			t.Errorf("%s: %d weights for %d features; run tokens/fit", n.part, len(w), NumFeatures)
		}
		for j, v := range n.family.weights {
			if v < 0 {
				t.Errorf("%s: weight %d is negative", n.part, j)
			}
		}
	}
	tests := []struct {
		provider, model string
		want            Weights
	}{
		{"", "", O200k},
		{"", "gpt-4o-mini", O200k},
		{"", "gpt-4.1", O200k},
		{"", "gpt-5", O200k},
		{"", "o3", O200k},
		{"", "gpt-4-turbo", Cl100k},
		{"", "gpt-3.5-turbo", Cl100k},
		{"", "text-embedding-3-small", Cl100k},
		{"", "us.anthropic.claude-sonnet-4-v1:0", Claude},
		{"", "google/gemini-2.5-pro", Gemma3},
		{"", "meta-llama/Llama-3.3-70B-Instruct", Llama3},
		{"", "qwen3-32b", Qwen3},
		{"", "deepseek-chat", Deepseek},
		{"", "mistral-large-latest", Tekken},
		{"bedrock", "anthropic.claude-v1:0", Claude},
		{"bedrock", "meta.llama3-70b-instruct-v1:0", Llama3},
		{"bedrock", "arn:aws:bedrock:us-east-1::application-inference-profile/x", Claude},
		{"azure_openai", "my-deployment", O200k},
		{"azure_openai", "gpt-35-turbo", Cl100k},
		{"anthropic", "", Claude},
		{"gemini", "text-embedding-004", Gemma3},
		{"vertex_ai", "custom", Gemma3},
		{"dashscope", "text-embedding-v3", Qwen3},
		{"groq", "something", Llama3},
		{"openai", "gemini-2.5-pro", Gemma3},
		{"", "GPT-4O", O200k},
		{"", "ministral-8b", Tekken},
		{"", "mistralai/Mixtral-8x7B-Instruct-v0.1", MistralV1},
	}
	for _, tt := range tests {
		if got := WeightsFor(tt.provider, []byte(tt.model)); &got[0] != &tt.want[0] {
			t.Errorf("%s %s: other weights", tt.provider, tt.model)
		}
	}
}

// TestDot checks the sum of the features one by one.
func TestDot(t *testing.T) {
	for _, text := range []string{"", sentence, "Grüße, łódź — ответ 日本語 😀\n\n----------\t" + sentence} {
		var f Features
		f.Add([]byte(text))
		var want int64
		for i := range NumFeatures {
			want += int64(f.Count(i)) * int64(O200k[i])
		}
		want = (want + WeightUnit/2) / WeightUnit
		if got := f.Tokens(O200k); got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
	if stateOther%8 != 0 || numStates%8 != 0 || len(Features{}.pairs)%8 != 0 || len(Features{}.letters)%8 != 0 || len(Features{}.repeats)%8 != 0 {
		t.Error("dot would leave some out")
	}
}
