package classify

import "testing"

func TestProviderOfCluster(t *testing.T) {
	for cluster, want := range map[string]string{
		"anthropic":                       "anthropic",
		"llm.Anthropic":                   "anthropic",
		"azure-openai-west":               "azure_openai",
		"openai-azure":                    "azure_openai",
		"azureopenai":                     "azure_openai",
		"prod_openai":                     "openai",
		"openai-compatible":               OpenAICompatible,
		"my-openai-compatible-vllm":       OpenAICompatible,
		"vertex":                          "vertex_ai",
		"vertexai-eu":                     "vertex_ai",
		"kimi":                            "moonshot",
		"outbound|443||api.anthropic.com": "anthropic",
		"outbound|443|v1|bedrock-runtime.eu-west-1.amazonaws.com": "bedrock",
		"outbound|80||anthropic-proxy.default.svc.cluster.local":  "",
		"provider":   "",
		"openaiish":  "",
		"xopenai":    "",
		"":           "",
		"providers_": "",
	} {
		if got := ProviderOfCluster(cluster); got != want {
			t.Errorf("%q: %q, want %q", cluster, got, want)
		}
	}
}
