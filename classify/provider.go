package classify

import "strings"

// Providers lists the names of the providers, the most general last.
func Providers() []string {
	return []string{
		"openai", "azure_openai", "anthropic", "gemini", "vertex_ai", "bedrock", "xai",
		"dashscope", "deepseek", "mistral", "minimax", "moonshot", "groq", "cohere",
		"together", "fireworks", "cerebras", "openrouter", "perplexity", OpenAICompatible,
	}
}

// OpenAICompatible is the provider that nothing more is known of.
const OpenAICompatible = "openai_compatible"

// hosts are the API hosts of the providers: the authority is one of them, or
// ends in one that starts with a dot.
var hosts = []struct{ host, provider string }{
	{"api.openai.com", "openai"},
	{".api.openai.com", "openai"}, // regional
	{".openai.azure.com", "azure_openai"},
	{".services.ai.azure.com", "azure_openai"},
	{".cognitiveservices.azure.com", "azure_openai"},
	{"api.anthropic.com", "anthropic"},
	{"generativelanguage.googleapis.com", "gemini"},
	{"aiplatform.googleapis.com", "vertex_ai"},
	{"-aiplatform.googleapis.com", "vertex_ai"},
	{"api.x.ai", "xai"},
	{".api.x.ai", "xai"},
	{"dashscope.aliyuncs.com", "dashscope"},
	{"dashscope-intl.aliyuncs.com", "dashscope"},
	{"dashscope-us.aliyuncs.com", "dashscope"},
	{"api.deepseek.com", "deepseek"},
	{"api.mistral.ai", "mistral"},
	{"codestral.mistral.ai", "mistral"},
	{"api.minimax.io", "minimax"},
	{"api.minimaxi.com", "minimax"},
	{"api.minimax.chat", "minimax"},
	{"api.moonshot.ai", "moonshot"},
	{"api.moonshot.cn", "moonshot"},
	{"api.groq.com", "groq"},
	{"api.cohere.com", "cohere"},
	{"api.cohere.ai", "cohere"},
	{"api.together.xyz", "together"},
	{"api.together.ai", "together"},
	{"api.fireworks.ai", "fireworks"},
	{"api.cerebras.ai", "cerebras"},
	{"openrouter.ai", "openrouter"},
	{"api.perplexity.ai", "perplexity"},
}

// DetectProvider tells the provider of a request from its authority and its
// normalized path, as far as they show it, else OpenAICompatible.
func DetectProvider(authority, path string) string {
	if provider := providerOfHost(Host(authority)); provider != "" {
		return provider
	}
	return providerOfPath(path)
}

// Host is an authority without its port, in lower case.
func Host(authority string) string {
	host := authority
	if i := strings.LastIndexByte(host, ':'); i >= 0 && strings.IndexByte(host[i:], ']') < 0 {
		host = host[:i]
	}
	return strings.ToLower(strings.TrimSuffix(host, "."))
}

// providerOfHost knows the API hosts of the providers; "": it is none.
func providerOfHost(host string) string {
	for _, h := range hosts {
		if host == h.host || (h.host[0] == '.' || h.host[0] == '-') && strings.HasSuffix(host, h.host) {
			return h.provider
		}
	}
	if strings.HasPrefix(host, "bedrock-runtime") && strings.Contains(host, ".amazonaws.com") {
		return "bedrock"
	}
	return ""
}

// providerOfPath knows the paths that only one provider's API has: a gateway's
// own host says nothing.
func providerOfPath(path string) string {
	has := func(part string) bool { return strings.Contains(path, part) }
	switch {
	case strings.HasSuffix(path, "/v1/messages"), strings.HasSuffix(path, "/v1/messages/count_tokens"):
		return "anthropic"
	case has("/openai/deployments/"):
		return "azure_openai"
	case has("/publishers/") && has("/models/"):
		return "vertex_ai"
	case has("/models/") && (strings.HasSuffix(path, ":generateContent") || strings.HasSuffix(path, ":streamGenerateContent") ||
		strings.HasSuffix(path, ":embedContent") || strings.HasSuffix(path, ":batchEmbedContents")):
		return "gemini"
	case has("/model/") && (strings.HasSuffix(path, "/converse") || strings.HasSuffix(path, "/converse-stream") ||
		strings.HasSuffix(path, "/invoke") || strings.HasSuffix(path, "/invoke-with-response-stream")):
		return "bedrock"
	case has("/api/v1/services/aigc/"):
		return "dashscope"
	}
	return OpenAICompatible
}
