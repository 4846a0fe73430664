package fakellm

import (
	"encoding/json"
	"net/http"
	"strings"
)

// stream answers a chat request as server-sent events: the role, the content in
// pieces, the reason of the end, the usage if the request asked for it, [DONE].
func stream(req chatRequest, s Script, u usage, words []string, finish string) answer {
	withUsage := req.StreamOptions.IncludeUsage && !s.NoUsage
	event := func(choices []any, u any) string {
		chunk := map[string]any{
			"id": "chatcmpl-fake", "object": "chat.completion.chunk", "created": created, "model": req.Model,
			"choices": choices,
		}
		if withUsage {
			chunk["usage"] = u // OpenAI sends null in all chunks but the last.
		}
		data, err := json.Marshal(chunk)
		if err != nil {
			panic(err) // Only values that marshal are passed.
		}
		return "data: " + string(data) + "\n\n"
	}
	choice := func(delta map[string]any, finish any) []any {
		return []any{map[string]any{"index": 0, "delta": delta, "logprobs": nil, "finish_reason": finish}}
	}

	pieces := s.Chunks
	if pieces <= 0 || pieces > len(words) {
		pieces = len(words)
	}
	parts := []string{event(choice(map[string]any{"role": "assistant", "content": ""}, nil), nil)}
	for i := range pieces {
		text := strings.Join(words[len(words)*i/pieces:len(words)*(i+1)/pieces], "")
		parts = append(parts, event(choice(map[string]any{"content": text}, nil), nil))
	}
	parts = append(parts, event(choice(map[string]any{}, finish), nil))
	if withUsage {
		parts = append(parts, event([]any{}, u))
	}
	parts = append(parts, "data: [DONE]\n\n")
	return answer{http.StatusOK, header("text/event-stream; charset=utf-8"), parts}
}
