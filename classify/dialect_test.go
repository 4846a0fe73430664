package classify

import "testing"

func TestDialectOf(t *testing.T) {
	for request, want := range map[[2]string]Dialect{
		{"openai", "/v1/chat/completions"}:                                             OpenAI,
		{"anthropic", "/v1/messages"}:                                                  Anthropic,
		{"deepseek", "/anthropic/v1/messages"}:                                         Anthropic,
		{"bedrock", "/anthropic/v1/messages"}:                                          Anthropic,
		{"anthropic", "/v1/messages/batches"}:                                          Anthropic,
		{"openai", "/v1/messages/batches"}:                                             OpenAI,
		{"anthropic", "/v1/complete"}:                                                  Anthropic,
		{"anthropic", "/v1/chat/completions"}:                                          OpenAI,
		{"gemini", "/v1beta/models/m:generateContent"}:                                 Gemini,
		{"", "/v1beta/models/m:streamGenerateContent"}:                                 Gemini,
		{"gemini", "/v1beta/models/m:countTokens"}:                                     Gemini,
		{"gemini", "/v1beta/openai/chat/completions"}:                                  OpenAI,
		{"vertex_ai", "/v1/projects/p/locations/l/publishers/google/models/m:predict"}: Gemini,
		{"vertex_ai", "/v1/projects/p/locations/l/endpoints/openapi/chat/completions"}: OpenAI,
		{"bedrock", "/model/m/converse"}:                                               Bedrock,
		{"bedrock", "/model/m/count-tokens"}:                                           Bedrock,
		{"openai_compatible", "/model/m/invoke-with-response-stream"}:                  Bedrock,
		{"bedrock", "/openai/v1/chat/completions"}:                                     OpenAI,
		{"dashscope", "/api/v1/services/aigc/text-generation/generation"}:              DashScope,
		{"dashscope", "/api/v1/services/embeddings/text-embedding/text-embedding"}:     DashScope,
		{"dashscope", "/compatible-mode/v1/chat/completions"}:                          OpenAI,
		{"azure_openai", "/openai/deployments/d/chat/completions"}:                     OpenAI,
		{"xai", "/v1/chat/completions"}:                                                OpenAI,
		{"", ""}:                                                                       OpenAI,
	} {
		if got := DialectOf(request[0], request[1], false); got != want {
			t.Errorf("%v: %v, want %v", request, got, want)
		}
		if got := DialectOf(request[0], request[1], true); got != GRPC {
			t.Errorf("%v over gRPC: %v", request, got)
		}
	}
}
