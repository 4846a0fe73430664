package headers

import "strings"

// Normalized says whether an upstream's header, its name in lower case, never
// passes as it came: those of rate limits without a vendor's name, which are
// written anew, and LiteLLM's copies of them.
func Normalized(name string) bool {
	if name == "" {
		return false
	}
	switch name[0] {
	case 'l':
		original, ok := strings.CutPrefix(name, mirror)
		return ok && original != "" && original[0] != 'l' && Normalized(original)
	case 'r':
		return strings.HasPrefix(name, "ratelimit") || strings.HasPrefix(name, "rate-limit")
	case 'x':
		return strings.HasPrefix(name, "x-ratelimit") || strings.HasPrefix(name, "x-rate-limit")
	}
	return false
}

// Native says whether an upstream's header, its name in lower case, is a
// vendor's own: its limits, its ids of requests, its account of itself. What a
// vendor's SDK cannot do without is none of them: the type of an AWS error, and
// of an event stream's content.
func Native(name string) bool {
	first, rest, more := strings.Cut(name, "-")
	if !more {
		switch name {
		case "num_chars", "num_tokens", "eagleid", "traceid": // Cohere, Alibaba
			return true
		}
		return false
	}
	switch first {
	case "anthropic", "apim", "azureml", "cf", "cohere", "eagleeye", "fireworks", "groq", "llm_provider", "minimax",
		"mistral", "msh", "openai", "openrouter", "xai":
		return true
	case "request", "trace":
		return rest == "id"
	case "req", "resp":
		return strings.HasSuffix(rest, "-time") // Alibaba
	case "x":
		return nativeExtension(rest)
	}
	return false
}

// nativeExtension is Native of a name behind "x-".
func nativeExtension(name string) bool {
	first, rest, _ := strings.Cut(name, "-")
	switch first {
	case "amz", "anthropic", "azure", "cerebras", "cohere", "dashscope", "deepseek", "ds", "endpoint", "fireworks",
		"goog", "groq", "inference", "kong", "litellm", "mistral", "minimax", "ms", "msh", "nvcf", "openai",
		"openrouter", "perplexity", "siliconcloud", "together", "tokenlimit", "trial", "xai":
		return true
	case "amzn":
		return rest != "errortype" && rest != "bedrock-content-type"
	case "request", "correlation", "generation", "trace":
		return rest == "id"
	case "debug":
		return rest == "trace-id"
	case "tt":
		return rest == "logid" // Volcengine
	case "max":
		return rest == "retry-attempts-reached" // Mistral
	}
	return false
}

// Account says whether an upstream's header, its name in lower case, names the
// account behind the gateway: an organization, a project or the like, its id or
// its name. It goes by the words of the name, so that those of vendors yet to
// come are found too: openai-organization, anthropic-workspace-id, msh-org-id,
// x-fireworks-account-id.
func Account(name string) bool {
	before, word := cutWord(name)
	switch word {
	case "id", "ids", "name", "uuid", "slug", "email":
		_, word = cutWord(before)
	case "uid", "gid": // Moonshot's of a user and a group
		return strings.TrimPrefix(before, mirror) == "msh"
	}
	switch word {
	case "account", "billing", "customer", "developer", "org", "organisation", "organization",
		"project", "subscription", "team", "tenant", "workspace":
		return true
	}
	return false
}

// cutWord cuts the last word off a name.
func cutWord(name string) (before, word string) {
	for i := len(name) - 1; i >= 0; i-- {
		if name[i] == '-' || name[i] == '_' {
			return name[:i], name[i+1:]
		}
	}
	return "", name
}
