package tokens

import "strings"

// Operation is the kind of work that a request asks for. The zero value is not
// used.
type Operation string

// The operations.
const (
	Chat        Operation = "chat" // every conversation API
	Completions Operation = "completions"
	Embeddings  Operation = "embeddings"
	Images      Operation = "images"
	Audio       Operation = "audio"
	Moderations Operation = "moderations"
	Rerank      Operation = "rerank"
	Other       Operation = "other"
)

// OperationOf returns the operation that a normalized request path names, and
// Other where it names none. A query behind the path is ignored.
func OperationOf(path string) Operation {
	if i := strings.IndexByte(path, '?'); i >= 0 {
		path = path[:i]
	}
	last := path[strings.LastIndexByte(path, '/')+1:]
	if i := strings.LastIndexByte(last, ':'); i >= 0 {
		last = last[i+1:] // Gemini and Vertex: models/NAME:method
	}
	switch last {
	case "completions":
		if strings.HasSuffix(path, "/chat/completions") {
			return Chat
		}
		return Completions
	case "messages", "responses", "chat", "converse", "converse-stream",
		"generateContent", "streamGenerateContent", "count_tokens", "chatcompletion_v2",
		"rawPredict", "streamRawPredict":
		return Chat
	case "invoke", "invoke-with-response-stream", "predict", "streamPredict": // Bedrock, Vertex
		return Chat
	case "batches":
		if strings.HasSuffix(path, "/messages/batches") { // Anthropic
			return Chat
		}
	case "complete", "fim", "generate", "generate_stream":
		return Completions
	case "embeddings", "embed", "embedContent", "batchEmbedContents", "text-embedding", "multimodal-embedding":
		return Embeddings
	case "generations":
		if strings.Contains(path, "/images/") {
			return Images
		}
	case "edits", "variations":
		return Images
	case "speech", "transcriptions", "translations":
		return Audio
	case "moderations":
		return Moderations
	case "rerank", "text-rerank":
		return Rerank
	case "generation": // DashScope's own
		return Chat
	}
	return Other
}
