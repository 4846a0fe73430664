package classify

import "strings"

// Canonical is the provider of that name, aliases such as "azure" included;
// false, and OpenAICompatible, where none is known.
func Canonical(name string) (string, bool) {
	name = strings.ToLower(name)
	switch name {
	case "azure":
		name = "azure_openai"
	case "vertex":
		name = "vertex_ai"
	case "kimi":
		name = "moonshot"
	}
	for i := range providerRules {
		if providerRules[i].provider == name {
			return name, true
		}
	}
	return OpenAICompatible, false
}

// responseHeaders are names, or beginnings of names, that only one provider's
// responses have.
var responseHeaders = []struct {
	name     string
	prefix   bool
	provider string
}{
	{"x-amzn-errortype", false, "bedrock"},
	{"x-amzn-requestid", false, "bedrock"},
	{"x-amzn-bedrock-", true, "bedrock"},
	{":exception-type", false, "bedrock"},
	{"apim-request-id", false, "azure_openai"},
	{"x-ms-region", false, "azure_openai"},
	{"azureml-model-session", false, "azure_openai"},
	{"azure-openai-", true, "azure_openai"},
	{"anthropic-ratelimit-unified-", true, "anthropic"},
	{"anthropic-", true, "anthropic"},
	{"openai-organization", false, "openai"},
	{"openai-processing-ms", false, "openai"},
	{"openai-version", false, "openai"},
	{"openai-project", false, "openai"},
	{"x-groq-", true, "groq"},
	{"x-dashscope-", true, "dashscope"},
	{"x-trial-endpoint-call-limit", false, "cohere"},
	{"x-endpoint-monthly-call-limit", false, "cohere"},
	{"x-ratelimit-tokens-query-cost", false, "mistral"},
	{"mistral-correlation-id", false, "mistral"},
	{"x-together-", true, "together"},
	{"fireworks-", true, "fireworks"},
	{"x-ratelimit-over-limit", false, "fireworks"},
	{"msh-", true, "moonshot"},
	{"minimax-request-id", false, "minimax"},
	{"x-xai-", true, "xai"},
	{"x-ds-trace-id", false, "deepseek"},
	{"cerebras-", true, "cerebras"},
}

// A bodyShape is what in a body only one provider, or an API that others copy, has.
type bodyShape struct {
	google     bool // a state in capitals
	anthropic  bool // the type "error" at the top
	miniMax    bool // base_resp
	openRouter bool // metadata with the name of another provider
}

// responseWords are codes and types that only one provider has.
var responseWords = []struct {
	words    []string
	provider string
}{
	{[]string{"throttling", "throttling.*", "allocationquota.*", "arrearage", "limit_burst_rate", "*billoverdue", "commoditynotpurchased", "data_inspection_failed", "datainspectionfailed"}, "dashscope"},
	{[]string{"rate_limit_reached_error", "exceeded_current_quota_error", "engine_overloaded_error"}, "moonshot"},
	{[]string{"request_quota_exceeded", "token_quota_exceeded"}, "cerebras"},
	{[]string{"dynamic_request_limited", "dynamic_token_limited"}, "together"},
	{[]string{"rate_limited", "service_tier_capacity_exceeded"}, "mistral"},
	{[]string{"deploymentnotfound", "ratelimitreached"}, "azure_openai"},
	{[]string{"*exception"}, "bedrock"},
}

// responseTexts are what the texts of one provider name.
var responseTexts = []struct{ text, provider string }{
	{"platform.openai.com", "openai"},
	{"in organization org-", "openai"},
	{"azure openai", "azure_openai"},
	{"docs.anthropic.com", "anthropic"},
	{"docs.claude.com", "anthropic"},
	{"aiplatform.googleapis.com", "vertex_ai"},
	{"cloud.google.com/vertex-ai", "vertex_ai"},
	{"ai.google.dev", "gemini"},
	{"generativelanguage.googleapis.com", "gemini"},
	{"console.x.ai", "xai"},
	{"help.aliyun.com", "dashscope"},
	{"alibabacloud.com/help", "dashscope"},
	{"console.groq.com", "groq"},
	{"groqstatus.com", "groq"},
	{"dashboard.cohere.com", "cohere"},
	{"together.ai", "together"},
	{"together.xyz", "together"},
	{"fireworks.ai", "fireworks"},
	{"openrouter.ai", "openrouter"},
	{"platform.moonshot", "moonshot"},
	{"perplexity.ai", "perplexity"},
}

// detected is whose answer it is, by the response alone.
func (x *reading) detected() string {
	for _, h := range responseHeaders {
		for i := range x.response.Headers {
			name := x.response.Headers[i][0]
			if name == h.name || h.prefix && strings.HasPrefix(name, h.name) {
				return h.provider
			}
		}
	}
	// A gateway to many passes on the words of others.
	if strings.HasPrefix(x.text, "litellm.") {
		return OpenAICompatible
	}
	if x.shape.openRouter {
		return "openrouter"
	}
	if x.shape.miniMax || x.codeAtEnd != "" {
		return "minimax"
	}
	for _, t := range responseTexts {
		if strings.Contains(x.text, t.text) {
			return t.provider
		}
	}
	for _, w := range responseWords {
		if x.hasWord(w.words) {
			return w.provider
		}
	}
	switch {
	case x.shape.google:
		return "gemini"
	case x.shape.anthropic:
		return "anthropic"
	}
	return OpenAICompatible
}
