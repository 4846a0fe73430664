package classify

import "strings"

// ModelOfPath returns the model that a normalized path names, as the paths of
// Gemini, Vertex AI, Bedrock and Azure OpenAI do; there it is the path that
// counts, whatever the body says. Azure's is the name of a deployment.
func ModelOfPath(path string) string {
	if m := between(path, "/openai/deployments/", "/"); m != "" {
		return m
	}
	if m := between(path, "/model/", "/"); m != "" && providerOfPath(path) == "bedrock" {
		return m
	}
	if i := strings.LastIndexByte(path, ':'); i >= 0 {
		return between(path[:i+1], "/models/", ":")
	}
	return ""
}

// between returns what stands between the last before and the next after; of a
// Bedrock ARN, which has slashes, and whose escapes are decoded, all up to the
// last after.
func between(path, before, after string) string {
	i := strings.LastIndex(path, before)
	if i < 0 {
		return ""
	}
	rest := path[i+len(before):]
	if strings.HasPrefix(rest, "arn:") {
		if j := strings.LastIndex(rest, after); j >= 0 {
			return rest[:j]
		}
	}
	if j := strings.Index(rest, after); j >= 0 {
		return rest[:j]
	}
	return ""
}
