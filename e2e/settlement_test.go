package e2e

import (
	"net/http"
	"strconv"
	"strings"
	"testing"

	"sluice/e2e/fakellm"
)

// However an answer reports its usage, it is settled to it once: the next
// response and the access log show the same number.
func TestEveryFormOfAnswerIsSettledOnce(t *testing.T) {
	const (
		sse    = "text/event-stream"
		openai = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Hi\"}}]}\r\n\r\n" +
			"data: {\"choices\":[],\"usage\":{\"prompt_tokens\":70,\"completion_tokens\":9,\"total_tokens\":79}}\r\n\r\ndata: [DONE]\r\n\r\n"
		anthropic = "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"model\":\"claude-x\",\"usage\":{\"input_tokens\":20,\"cache_read_input_tokens\":50,\"output_tokens\":1}}}\n\n" +
			"event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"Hi\"}}\n\n" +
			"event: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"},\"usage\":{\"output_tokens\":9}}\n\n" +
			"event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n"
		gemini = "[{\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"Hi\"}]}}],\"usageMetadata\":{\"promptTokenCount\":70,\"totalTokenCount\":70}}\n,\r\n" +
			"{\"candidates\":[],\"usageMetadata\":{\"promptTokenCount\":70,\"candidatesTokenCount\":4,\"thoughtsTokenCount\":5,\"totalTokenCount\":79}}\n]"
		whole = `{"choices":[{"message":{"content":"Hi"}}],"usage":{"prompt_tokens":70,"completion_tokens":9,"total_tokens":79}}`
	)
	frames := string(eventStreamFrame(map[string]string{":event-type": "contentBlockDelta", ":message-type": "event", ":content-type": "application/json"}, []byte(`{"delta":{"text":"Hi"}}`))) +
		string(eventStreamFrame(map[string]string{":event-type": "metadata", ":message-type": "event", ":content-type": "application/json"},
			[]byte(`{"usage":{"inputTokens":20,"cacheReadInputTokens":50,"outputTokens":9,"totalTokens":79}}`)))
	const (
		messages = `{"model":"claude-x","max_tokens":500,"stream":true,"messages":[{"role":"user","content":"Say hello."}]}`
		contents = `{"contents":[{"parts":[{"text":"Say hello."}]}],"generationConfig":{"maxOutputTokens":500}}`
		converse = `{"messages":[{"role":"user","content":[{"text":"Say hello."}]}],"inferenceConfig":{"maxTokens":500}}`
	)
	chats := request{body: chat(`"max_tokens":500`)}
	streams := request{body: chat(`"max_tokens":500`, `"stream":true`)}
	for name, c := range map[string]struct {
		request     request
		contentType string
		script      fakellm.Script
	}{
		"JSON":               {chats, "application/json", fakellm.Script{Body: whole}},
		"JSON, gzip'd":       {chats, "application/json", fakellm.Script{Body: whole, Gzip: true}},
		"JSON, trailers":     {chats, "application/json", fakellm.Script{Parts: []string{whole[:20], whole[20:]}, Trailer: http.Header{"X-Checksum": {"1"}}}},
		"events":             {streams, sse, fakellm.Script{Body: openai}},
		"events, split":      {streams, sse, fakellm.Script{Parts: strings.SplitAfter(openai, `"`)}},
		"events, gzip'd":     {streams, sse, fakellm.Script{Parts: []string{openai[:50], openai[50:]}, Gzip: true}},
		"events, trailers":   {streams, sse, fakellm.Script{Parts: []string{openai[:50], openai[50:]}, Trailer: http.Header{"X-Checksum": {"1"}}}},
		"Anthropic's events": {request{path: "/v1/messages", body: messages}, sse, fakellm.Script{Body: anthropic}},
		"Gemini's array":     {request{path: "/v1beta/models/gemini-x:streamGenerateContent", body: contents}, "application/json", fakellm.Script{Parts: []string{gemini[:30], gemini[30:]}}},
		"AWS's messages":     {request{path: "/model/x/converse-stream", body: converse}, "application/vnd.amazon.eventstream", fakellm.Script{Parts: []string{frames[:25], frames[25:]}}},
	} {
		t.Run(name, func(t *testing.T) {
			g := startGateway(t, setup{config: `{"reserve": {"learn": false}, "limits": [
				{"name": "tpm", "scope": [], "dimension": "tokens", "limit": 10000, "window": "1h"}]}`})
			c.script.Header = http.Header{"Content-Type": {c.contentType}}
			g.provider.Use(func(fakellm.Request) fakellm.Script { return c.script })
			first := g.do(t, c.request).is(t, 200).number(t, "x-ratelimit-remaining-tokens")
			entry := g.accessLog.line(t, 0)
			entry.has(t, "usage_source", "reported", "input_tokens", "70", "output_tokens", "9", "total_tokens", "79")
			second := g.do(t, c.request).is(t, 200).number(t, "x-ratelimit-remaining-tokens")
			if first-second != 79 {
				t.Errorf("%d tokens were counted, want 79", first-second)
			}
		})
	}
}

// A client that leaves is charged its prompt and what it has seen.
func TestALeavingClientIsChargedWhatItHasSeen(t *testing.T) {
	g := startGateway(t, setup{config: `{"reserve": {"learn": false}, "limits": [
		{"name": "tpm", "scope": [], "dimension": "tokens", "limit": 10000, "window": "1h"}]}`})
	word := "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\" the\"}}]}\n\n"
	g.provider.Next(fakellm.Script{Header: http.Header{"Content-Type": {"text/event-stream"}},
		Parts: []string{strings.Repeat(word, 50), word}, Gate: make(chan struct{})})
	body := chat(`"stream":true`, `"max_tokens":1000`)
	res, err := g.open(t, request{body: body})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := res.Body.Read(make([]byte, 10)); err != nil {
		t.Fatal(err)
	}
	reserved := 10000 - response{header: res.Header}.number(t, "x-ratelimit-remaining-tokens")
	res.Body.Close()
	g.await(t, func(seen []fakellm.Request) bool { return len(seen) == 1 && seen[0].Canceled })
	entry := g.accessLog.line(t, 0)
	entry.has(t, "usage_source", "estimated", "input_tokens", strconv.Itoa(reserved-1000))
	total, err := strconv.Atoi(entry["total_tokens"].(string))
	if seen := total - (reserved - 1000); err != nil || seen < 45 || seen > 55 {
		t.Errorf("50 words are taken for %d tokens", seen)
	}
	if got := 10000 - reserved - g.do(t, request{body: body}).is(t, 200).number(t, "x-ratelimit-remaining-tokens"); got != total {
		t.Errorf("%d tokens were charged, want %d", got, total)
	}
}
