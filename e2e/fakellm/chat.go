package fakellm

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// DefaultModel is the model that answers when the request names none.
const DefaultModel = "gpt-4o-mini"

// chatRequest is what the provider reads of an OpenAI chat request.
type chatRequest struct {
	Model               string    `json:"model"`
	Messages            []message `json:"messages"`
	MaxTokens           int       `json:"max_tokens"`
	MaxCompletionTokens int       `json:"max_completion_tokens"`
	Stream              bool      `json:"stream"`
	StreamOptions       struct {
		IncludeUsage bool `json:"include_usage"`
	} `json:"stream_options"`
}

type message struct {
	Content content `json:"content"`
}

type usage struct {
	PromptTokens     int `json:"prompt_tokens"`
	CompletionTokens int `json:"completion_tokens"`
	TotalTokens      int `json:"total_tokens"`
}

// compose makes the answer to a request that has been read.
func compose(r Request, s Script) answer {
	var a answer
	path, _, _ := strings.Cut(r.Path, "?")
	switch {
	case s.Body != "":
		a = answer{http.StatusOK, header("application/json"), []string{s.Body}}
	case s.Parts != nil:
		a = answer{http.StatusOK, header("text/event-stream"), s.Parts}
	case s.Status >= 400:
		a = failure(s.Status, "fake_error", http.StatusText(s.Status))
	case path == "/v1/models" && r.Method == http.MethodGet:
		a = models()
	case path == "/v1/chat/completions" && r.Method == http.MethodPost:
		a = chat(r, s)
	default:
		a = jsonAnswer(map[string]any{"object": "echo", "method": r.Method, "path": r.Path, "body_bytes": len(r.Body)})
	}
	if s.Status != 0 {
		a.status = s.Status
	}
	if s.Chunks > 1 && len(a.parts) == 1 {
		a.parts = split(a.parts[0], s.Chunks)
	}
	a.header.Set("X-Request-Id", "req-fake")
	for name, values := range s.Header {
		a.header[http.CanonicalHeaderKey(name)] = values
	}
	return a
}

// chat answers a chat request as OpenAI does: one word a completion token.
func chat(r Request, s Script) answer {
	var req chatRequest
	if err := json.Unmarshal(r.Body, &req); err != nil {
		return failure(http.StatusBadRequest, "invalid_json", "We could not parse the JSON body of your request.")
	}
	if req.Model == "" {
		req.Model = DefaultModel
	}
	u, finish := count(req, s)
	words := make([]string, u.CompletionTokens)
	for i := range words {
		words[i] = fmt.Sprintf("word%d ", i+1)
	}
	if req.Stream {
		return stream(req, s, u, words, finish)
	}
	completion := map[string]any{
		"id": "chatcmpl-fake", "object": "chat.completion", "created": created, "model": req.Model,
		"choices": []any{map[string]any{
			"index":         0,
			"message":       map[string]any{"role": "assistant", "content": strings.Join(words, ""), "refusal": nil},
			"logprobs":      nil,
			"finish_reason": finish,
		}},
	}
	if !s.NoUsage {
		completion["usage"] = u
	}
	return jsonAnswer(completion)
}

func models() answer {
	return jsonAnswer(map[string]any{"object": "list", "data": []any{
		map[string]any{"id": DefaultModel, "object": "model", "created": created, "owned_by": "fake"},
	}})
}

// created is the time that every completion states, constant so that answers
// can be compared.
const created = 1700000000

// failure is an error of OpenAI's shape.
func failure(status int, code, message string) answer {
	a := jsonAnswer(map[string]any{"error": map[string]any{
		"message": message, "type": "fake_provider_error", "param": nil, "code": code,
	}})
	a.status = status
	return a
}

func jsonAnswer(v any) answer {
	body, err := json.Marshal(v)
	if err != nil {
		panic(err) // Only values that marshal are passed.
	}
	return answer{http.StatusOK, header("application/json"), []string{string(body)}}
}

func header(contentType string) http.Header {
	return http.Header{"Content-Type": {contentType}}
}

// split cuts s into n pieces of nearly equal length, anywhere.
func split(s string, n int) []string {
	parts := make([]string, n)
	for i := range parts {
		parts[i] = s[len(s)*i/n : len(s)*(i+1)/n]
	}
	return parts
}
