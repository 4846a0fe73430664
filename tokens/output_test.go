package tokens

import (
	"strings"
	"testing"
)

// What an answer shows is counted as the same text is that comes by itself.
func TestSeen(t *testing.T) {
	for name, c := range map[string]struct {
		contentType, body, text string
	}{
		"reasoning":               {sse, "data: {\"choices\":[{\"delta\":{\"reasoning_content\":\"Let me think.\"}}]}\n\n", "Let me think."},
		"reasoning named twice":   {sse, "data: {\"choices\":[{\"delta\":{\"reasoning\":\"Let me think.\",\"reasoning_content\":\"Let me think.\",\"reasoning_details\":[{\"text\":\"Let me think.\"}]}}]}\n\n", "Let me think."},
		"tool calls":              {sse, "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"call_1\",\"type\":\"function\",\"function\":{\"name\":\"weather\",\"arguments\":\"{\\\"city\\\": \\\"Oslo\\\"}\"}}]}}]}\n\n", `weather{"city": "Oslo"}`},
		"two choices":             {sse, "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"one \"}},{\"index\":1,\"delta\":{\"content\":\"two\"}}]}\n\n", "one two"},
		"escapes":                 {sse, "data: {\"choices\":[{\"delta\":{\"content\":\"caf\\u00e9 \\\"x\\\"\\n\\ud83d\\ude00\"}}]}\n\n", "café \"x\"\n😀"},
		"Perplexity":              {sse, "data: {\"choices\":[{\"message\":{\"content\":\"Hello there\"},\"delta\":{\"content\":\" there\"}}],\"citations\":[\"http://x\"]}\n\n", " there"},
		"Anthropic's thoughts":    {sse, "data: {\"type\":\"content_block_delta\",\"delta\":{\"type\":\"thinking_delta\",\"thinking\":\"Let me think.\"}}\n\ndata: {\"type\":\"content_block_delta\",\"delta\":{\"type\":\"signature_delta\",\"signature\":\"AAAA\"}}\n\n", "Let me think."},
		"Anthropic's tool":        {sse, "data: {\"type\":\"content_block_delta\",\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"{\\\"a\\\":1\"}}\n\n", `{"a":1`},
		"Responses' arguments":    {sse, "data: {\"type\":\"response.function_call_arguments.delta\",\"delta\":\"{\\\"a\\\":1}\"}\n\ndata: {\"type\":\"response.function_call_arguments.done\",\"arguments\":\"{\\\"a\\\":1}\"}\n\n", `{"a":1}`},
		"Responses' audio":        {sse, "data: {\"type\":\"response.audio.delta\",\"delta\":\"AAAAAAAAAAAAAAAA\"}\n\n", ""},
		"Gemini's call":           {sse, "data: {\"candidates\":[{\"content\":{\"parts\":[{\"functionCall\":{\"name\":\"weather\",\"args\":{\"city\": \"Oslo\"}}}]}}]}\n\n", `weather{"city": "Oslo"}`},
		"Gemini's image":          {sse, "data: {\"candidates\":[{\"content\":{\"parts\":[{\"inlineData\":{\"data\":\"AAAAAAAAAAAA\"}},{\"text\":\"A cat.\"}]}}]}\n\n", "A cat."},
		"Converse's tool":         {aws, converse("contentBlockDelta", `{"delta":{"toolUse":{"input":"{\"a\":1}"}}}`), `{"a":1}`},
		"Converse's thoughts":     {aws, converse("contentBlockDelta", `{"delta":{"reasoningContent":{"text":"Let me think."}}}`), "Let me think."},
		"Titan":                   {aws, chunk(`{"outputText":"A cat.","index":0}`), "A cat."},
		"Ollama":                  {"application/x-ndjson", "{\"response\":\"A \"}\n{\"response\":\"cat.\"}\n", "A cat."},
		"a whole chat":            {jsonType, `{"model":"m","choices":[{"message":{"role":"assistant","content":"A cat."}}]}`, "A cat."},
		"a whole message":         {jsonType, `{"type":"message","content":[{"type":"text","text":"A cat."},{"type":"tool_use","name":"f","input":{"a":1}}]}`, `A cat.f{"a":1}`},
		"a whole Response":        {jsonType, `{"object":"response","output":[{"type":"message","content":[{"type":"output_text","text":"A cat."}]}]}`, "A cat."},
		"a whole Converse":        {jsonType, `{"output":{"message":{"role":"assistant","content":[{"text":"A cat."}]}}}`, "A cat."},
		"nested beyond all parts": {jsonType, `{"content":` + strings.Repeat(`[`, 5000) + `"x"` + strings.Repeat(`]`, 5000) + `}`, ""},
		"an error":                {sse, "data: {\"error\":{\"message\":\"no text\"},\"message\":\"no text\"}\n\n", ""},
		"nothing":                 {sse, "data: {\"choices\":[{\"delta\":{}}]}\n\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			want := int64(0)
			if c.text != "" {
				var f Features
				f.Add([]byte(c.text))
				want = f.Tokens(O200k)
			}
			for at := range c.body {
				if got := readAnswer("", c.contentType, "", false, []byte(c.body[:at]), []byte(c.body[at:])).seen; got != want {
					t.Fatalf("split at %d: %d tokens seen, want %d", at, got, want)
				}
				if len(c.body) > 5000 {
					break
				}
			}
		})
	}
}

func TestSeenNeedsToBeAskedFor(t *testing.T) {
	a := NewAnswer("", sse, "")
	a.Write([]byte("data: {\"choices\":[{\"delta\":{\"content\":\"Hello there\"}}]}\n\n"))
	if got := a.Seen(O200k); got != 0 {
		t.Error(got)
	}
}
