package classify

import "strings"

// A Dialect is the shape of an error. Each vendor's SDK reads its own.
type Dialect uint8

const (
	// OpenAI is what most SDKs read:
	// https://platform.openai.com/docs/guides/error-codes.
	OpenAI Dialect = iota
	// Anthropic: https://docs.claude.com/en/api/errors.
	Anthropic
	// Gemini is Vertex AI's too: https://cloud.google.com/apis/design/errors.
	Gemini
	// Bedrock: https://docs.aws.amazon.com/bedrock/latest/APIReference/CommonErrors.html.
	Bedrock
	// DashScope is that of its native API.
	DashScope
	// GRPC is a status and a message, and no body:
	// https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md.
	GRPC
)

// String is the dialect's name, as in "anthropic".
func (d Dialect) String() string {
	return [...]string{"openai", "anthropic", "gemini", "bedrock", "dashscope", "grpc"}[d]
}

// DialectOf returns the dialect of a request to a provider, by its normalized
// path: an API that another vendor serves has the SDK of its inventor, as
// OpenAI's at Gemini and DashScope, or Anthropic's at DeepSeek. The provider
// decides on paths that say nothing to those who do not know it.
func DialectOf(provider, path string, grpc bool) Dialect {
	if grpc {
		return GRPC
	}
	switch providerOfPath(path) {
	case "anthropic":
		return Anthropic
	case "gemini", "vertex_ai":
		return Gemini
	case "bedrock":
		return Bedrock
	case "dashscope":
		return DashScope
	case "azure_openai":
		return OpenAI
	}
	has := func(part string) bool { return strings.Contains(path, part) }
	switch provider {
	case "anthropic":
		if has("/v1/messages/") || strings.HasSuffix(path, "/v1/complete") {
			return Anthropic
		}
	case "gemini", "vertex_ai":
		if strings.Contains(path[strings.LastIndexByte(path, '/')+1:], ":") { // a method, as in m:countTokens
			return Gemini
		}
	case "bedrock":
		if has("/model/") || has("/async-invoke") || has("/guardrail/") {
			return Bedrock
		}
	case "dashscope":
		if has("/api/v1/services/") || has("/api/v1/tasks/") {
			return DashScope
		}
	}
	return OpenAI
}
