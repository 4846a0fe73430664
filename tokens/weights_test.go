package tokens

import "testing"

func TestWeightsFor(t *testing.T) {
	for i := range families {
		if w := families[i].weights; len(w) != NumFeatures {
			t.Errorf("%s: %d weights for %d features; run tokens/fit", families[i].name, len(w), NumFeatures)
		}
		for j, v := range families[i].weights {
			if v < 0 {
				t.Errorf("%s: weight %d is negative", families[i].name, j)
			}
		}
	}
	tests := []struct {
		model string
		want  Weights
	}{
		{"", O200k},
		{"gpt-4o-mini", O200k},
		{"gpt-4.1", O200k},
		{"gpt-5", O200k},
		{"o3", O200k},
		{"gpt-4-turbo", Cl100k},
		{"gpt-3.5-turbo", Cl100k},
		{"text-embedding-3-small", Cl100k},
		{"us.anthropic.claude-sonnet-4-v1:0", Claude},
		{"google/gemini-2.5-pro", Gemma3},
		{"meta-llama/Llama-3.3-70B-Instruct", Llama3},
		{"qwen3-32b", Qwen3},
		{"deepseek-chat", Deepseek},
		{"mistral-large-latest", Tekken},
		{"mistralai/Mixtral-8x7B-Instruct-v0.1", MistralV1},
	}
	for _, tt := range tests {
		if got := WeightsFor([]byte(tt.model)); &got[0] != &tt.want[0] {
			t.Errorf("%s: other weights", tt.model)
		}
	}
}
