package tokens

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// found is all that an Answer tells.
type found struct {
	usage   Usage
	reason  Reason
	model   string
	failure string
	late    bool
	seen    int64
}

// readAnswer reads a body in pieces, whose bytes are lost when they were read.
func readAnswer(provider, contentType, encoding string, ends bool, pieces ...[]byte) found {
	a := NewAnswer(provider, contentType, encoding)
	a.CountOutput()
	for _, piece := range pieces {
		piece = bytes.Clone(piece)
		a.Write(piece)
		for i := range piece {
			piece[i] = '#'
		}
	}
	if ends {
		a.End()
	}
	var r found
	r.usage, r.reason = a.Usage()
	r.model, r.seen = a.Model(), a.Seen(O200k)
	if f := a.Failure(); f != nil {
		r.failure, r.late = fmt.Sprintf("%s %d %s", f.Name, f.Status, f.Body), f.AfterContent
	}
	return r
}

type testing_ interface {
	Helper()
	Fatalf(format string, args ...any)
}

// sameInPieces checks that a body says the same however it is cut.
func sameInPieces(t testing_, contentType string, body []byte, at int) {
	t.Helper()
	at = max(0, min(at, len(body)))
	want := readAnswer("", contentType, "", true, body)
	if got := readAnswer("", contentType, "", true, body[:at], body[at:]); got != want {
		t.Fatalf("split at %d: %+v\nwhole: %+v", at, got, want)
	}
	for _, n := range []int64{want.usage.Input, want.usage.Output, want.usage.Total, want.usage.CachedInput, want.usage.CacheWrite, want.usage.Reasoning, want.seen} {
		if n < 0 || n > MaxCount {
			t.Fatalf("%+v", want)
		}
	}
	if want.reason != "" && want.usage != (Usage{}) {
		t.Fatalf("%+v", want)
	}
}

func chunk(model string) string {
	return string(encodeMessage(map[string]string{":message-type": "event", ":event-type": "chunk"},
		[]byte(`{"bytes":"`+base64.StdEncoding.EncodeToString([]byte(model))+`","p":"abc"}`)))
}

func converse(kind, payload string) string {
	return string(encodeMessage(map[string]string{":message-type": "event", ":event-type": kind}, []byte(payload)))
}

const (
	sse      = "text/event-stream"
	jsonType = "application/json"
	aws      = "application/vnd.amazon.eventstream"
)

// streams are answers in parts. Each shows the text "Hello there, friend.", where
// it shows any.
var streams = map[string]struct {
	provider, contentType, body string
	usage                       Usage
	reason                      Reason
	model                       string
}{
	"chat, usage null until the end": {"openai", sse,
		"data: {\"model\":\"gpt-x\",\"choices\":[{\"delta\":{\"role\":\"assistant\",\"content\":\"Hello\"}}],\"usage\":null}\n\n" +
			"data: {\"model\":\"gpt-x\",\"choices\":[{\"delta\":{\"content\":\" there, friend.\"}}],\"usage\":null}\n\n" +
			"data: {\"model\":\"gpt-x\",\"choices\":[],\"usage\":{\"prompt_tokens\":7,\"completion_tokens\":16,\"total_tokens\":23}}\n\n" +
			"data: [DONE]\n\n", Usage{Input: 7, Output: 16, Total: 23}, "", "gpt-x"},
	"completions": {"openai", sse, "data: {\"choices\":[{\"text\":\"Hello there,\"}]}\n\ndata: {\"choices\":[{\"text\":\" friend.\"}]}\n\ndata: [DONE]\n\n", Usage{}, NotReported, ""},
	"Groq": {"groq", sse, "data: {\"choices\":[{\"delta\":{\"content\":\"Hello there, friend.\"}}]}\n\n" +
		"data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}],\"x_groq\":{\"id\":\"r\",\"usage\":{\"queue_time\":0.2,\"prompt_tokens\":18,\"completion_tokens\":73,\"total_tokens\":91}}}\n\ndata: [DONE]\n\n",
		Usage{Input: 18, Output: 73, Total: 91}, "", ""},
	"Kimi":               {"moonshot", sse, "data: {\"choices\":[{\"delta\":{\"content\":\"Hello there, friend.\"},\"usage\":{\"prompt_tokens\":19,\"completion_tokens\":13,\"total_tokens\":32,\"cached_tokens\":10}}]}\n\n", Usage{Input: 19, Output: 13, Total: 32, CachedInput: 10}, "", ""},
	"no last blank line": {"", sse, "data: {\"usage\":{\"prompt_tokens\":1,\"completion_tokens\":2}}", Usage{Input: 1, Output: 2, Total: 3}, "", ""},
	"no space":           {"", sse, "data:{\"usage\":{\"prompt_tokens\":1,\"completion_tokens\":2}}\n\n", Usage{Input: 1, Output: 2, Total: 3}, "", ""},
	"byte order mark":    {"", sse, "\xEF\xBB\xBFdata: {\"usage\":{\"prompt_tokens\":1,\"completion_tokens\":2}}\n\n", Usage{Input: 1, Output: 2, Total: 3}, "", ""},
	"CRLF":               {"", sse, "data: {\"usage\":{\"prompt_tokens\":1,\"completion_tokens\":2}}\r\n\r\ndata: [DONE]\r\n\r\n", Usage{Input: 1, Output: 2, Total: 3}, "", ""},
	"CR":                 {"", sse, "data: {\"usage\":{\"prompt_tokens\":1,\"completion_tokens\":2}}\r\rdata: [DONE]\r\r", Usage{Input: 1, Output: 2, Total: 3}, "", ""},
	"data in lines":      {"", sse, "event: x\n: comment\ndata: {\"usage\":\ndata: {\"prompt_tokens\":1,\ndata: \"completion_tokens\":2}}\nid: 1\ndata\n\n", Usage{Input: 1, Output: 2, Total: 3}, "", ""},
	"sums so far":        {"", sse, "data: {\"usage\":{\"prompt_tokens\":1,\"completion_tokens\":2}}\n\ndata: {\"usage\":{\"prompt_tokens\":1,\"completion_tokens\":9}}\n\n", Usage{Input: 1, Output: 9, Total: 10}, "", ""},
	"zeros last":         {"", sse, "data: {\"model\":\"meta\\/llama\",\"usage\":{\"prompt_tokens\":1,\"completion_tokens\":2}}\n\ndata: {\"usage\":{\"prompt_tokens\":0,\"completion_tokens\":0}}\n\n", Usage{Input: 1, Output: 2, Total: 3}, "", "meta/llama"},
	"an absurd one last": {"", sse, "data: {\"usage\":{\"prompt_tokens\":1,\"completion_tokens\":2}}\n\ndata: {\"usage\":{\"prompt_tokens\":-1,\"completion_tokens\":9}}\n\n", Usage{Input: 1, Output: 2, Total: 3}, "", ""},
	"Responses": {"openai", sse, "event: response.created\ndata: {\"type\":\"response.created\",\"response\":{\"model\":\"gpt-y\",\"usage\":null,\"error\":null}}\n\n" +
		"event: response.output_text.delta\ndata: {\"type\":\"response.output_text.delta\",\"delta\":\"Hello there, \"}\n\n" +
		"event: response.output_text.delta\ndata: {\"type\":\"response.output_text.delta\",\"delta\":\"friend.\"}\n\n" +
		"event: response.output_text.done\ndata: {\"type\":\"response.output_text.done\",\"text\":\"Hello there, friend.\"}\n\n" +
		"event: response.completed\ndata: {\"type\":\"response.completed\",\"response\":{\"output\":[{\"content\":[{\"text\":\"Hello there, friend.\"}]}],\"usage\":{\"input_tokens\":11,\"output_tokens\":7,\"total_tokens\":18},\"id\":\"r\"}}\n\n",
		Usage{Input: 11, Output: 7, Total: 18}, "", "gpt-y"},
	"Responses, incomplete": {"openai", sse, "data: {\"type\":\"response.incomplete\",\"response\":{\"error\":null,\"usage\":{\"input_tokens\":11,\"output_tokens\":7,\"output_tokens_details\":{\"reasoning_tokens\":7}}}}\n\n", Usage{Input: 11, Output: 7, Total: 18, Reasoning: 7}, "", ""},
	"Anthropic": {"anthropic", sse, "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"model\":\"claude-x\",\"content\":[],\"usage\":{\"input_tokens\":11,\"cache_creation_input_tokens\":5,\"cache_read_input_tokens\":31,\"output_tokens\":1}}}\n\n" +
		"event: ping\ndata: {\"type\": \"ping\"}\n\n" +
		"event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"Hello there, friend.\"}}\n\n" +
		"event: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"},\"usage\":{\"output_tokens\":100}}\n\n" +
		"event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n", Usage{Input: 47, Output: 100, Total: 147, CachedInput: 31, CacheWrite: 5}, "", "claude-x"},
	"Anthropic, all at the end": {"anthropic", sse, "data: {\"type\":\"message_start\",\"message\":{\"usage\":{\"input_tokens\":0,\"output_tokens\":0}}}\n\n" +
		"data: {\"type\":\"message_delta\",\"usage\":{\"input_tokens\":9,\"cache_read_input_tokens\":4,\"output_tokens\":3}}\n\n" +
		"data: {\"type\":\"message_delta\",\"usage\":{\"output_tokens\":8}}\n\n", Usage{Input: 13, Output: 8, Total: 21, CachedInput: 4}, "", ""},
	"Anthropic, zeros at the end": {"", sse, "data: {\"type\":\"message_start\",\"message\":{\"usage\":{\"input_tokens\":9,\"output_tokens\":0}}}\n\n" +
		"data: {\"type\":\"message_delta\",\"usage\":{\"input_tokens\":0,\"output_tokens\":3}}\n\n", Usage{Input: 9, Output: 3, Total: 12}, "", ""},
	"Anthropic, nothing answered": {"anthropic", sse, "data: {\"type\":\"message_start\",\"message\":{\"usage\":{\"input_tokens\":9,\"output_tokens\":1}}}\n\n" +
		"data: {\"type\":\"message_delta\",\"usage\":{\"output_tokens\":0}}\n\n", Usage{Input: 9, Total: 9}, "", ""},
	"Anthropic, an absurd beginning": {"anthropic", sse, "data: {\"type\":\"message_start\",\"message\":{\"usage\":{\"input_tokens\":-9,\"output_tokens\":1}}}\n\n" +
		"data: {\"type\":\"message_delta\",\"usage\":{\"output_tokens\":3}}\n\n", Usage{}, NotReported, ""},
	"Anthropic, begun": {"anthropic", sse, "data: {\"type\":\"message_start\",\"message\":{\"usage\":{\"input_tokens\":11,\"output_tokens\":1}}}\n\n" +
		"data: {\"type\":\"content_block_delta\",\"delta\":{\"type\":\"thinking_delta\",\"thinking\":\"Hello there, friend.\"}}\n\n", Usage{}, Incomplete, ""},
	"Gemini": {"gemini", sse, "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"Hello\"}]}}],\"usageMetadata\":{\"promptTokenCount\":9,\"candidatesTokenCount\":15,\"totalTokenCount\":102,\"thoughtsTokenCount\":78},\"modelVersion\":\"gemini-x\"}\r\n\r\n" +
		"data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\" there, friend.\"}]}}],\"usageMetadata\":{\"promptTokenCount\":87,\"totalTokenCount\":165,\"thoughtsTokenCount\":78}}\r\n\r\n",
		Usage{Input: 87, Output: 78, Total: 165, Reasoning: 78}, "", "gemini-x"},
	"Gemini's array": {"gemini", jsonType, "[{\n  \"candidates\": [{\"content\": {\"parts\": [{\"text\": \"Hello there,\"}]}}],\n  \"usageMetadata\": {\"promptTokenCount\": 9}\n}\n,\r\n" +
		"{\"candidates\": [{\"content\": {\"parts\": [{\"text\": \" friend.\"}]}}], \"x\": \"}\\\"]{\", \"usageMetadata\": {\"promptTokenCount\": 9, \"candidatesTokenCount\": 4, \"totalTokenCount\": 13}, \"modelVersion\": \"gemini-x\"}]\n",
		Usage{Input: 9, Output: 4, Total: 13}, "", "gemini-x"},
	"lines": {"", "application/x-ndjson", "{\"model\":\"m\",\"message\":{\"role\":\"assistant\",\"content\":\"Hello there,\"},\"done\":false}\n{\"message\":{\"content\":\" friend.\"}}\n{\"model\":\"m\",\"done\":true,\"prompt_eval_count\":5,\"eval_count\":6}\n",
		Usage{Input: 5, Output: 6, Total: 11}, "", "m"},
	"Converse": {"bedrock", aws, converse("messageStart", `{"role":"assistant"}`) + converse("contentBlockDelta", `{"contentBlockIndex":0,"delta":{"text":"Hello there, friend."}}`) +
		converse("metadata", `{"usage":{"inputTokens":3,"outputTokens":7,"totalTokens":16,"cacheReadInputTokens":6}}`), Usage{Input: 9, Output: 7, Total: 16, CachedInput: 6}, "", ""},
	"InvokeModel of Claude": {"bedrock", aws, chunk(`{"type":"message_start","message":{"model":"claude-x","usage":{"input_tokens":9,"output_tokens":1}}}`) +
		chunk(`{"type":"content_block_delta","delta":{"type":"text_delta","text":"Hello there, friend."}}`) +
		chunk(`{"type":"message_delta","usage":{"output_tokens":8}}`) + chunk(`{"type":"message_stop","amazon-bedrock-invocationMetrics":{"inputTokenCount":9,"outputTokenCount":8}}`),
		Usage{Input: 9, Output: 8, Total: 17}, "", "claude-x"},
	"InvokeModel of Llama":  {"bedrock", aws, chunk(`{"generation":"Hello there,","prompt_token_count":9,"generation_token_count":2}`) + chunk(`{"generation":" friend.","prompt_token_count":null,"generation_token_count":5}`), Usage{Input: 9, Output: 5, Total: 14}, "", ""},
	"InvokeModel of others": {"bedrock", aws, chunk(`{"outputs":[{"text":"a"}]}`) + chunk(`{"amazon-bedrock-invocationMetrics":{"inputTokenCount":5,"outputTokenCount":4,"cacheReadInputTokenCount":3}}`), Usage{Input: 8, Output: 4, Total: 12, CachedInput: 3}, "", ""},
	"Cohere v2": {"cohere", sse, "event: content-delta\ndata: {\"type\":\"content-delta\",\"delta\":{\"message\":{\"content\":{\"text\":\"Hello there, friend.\"}}}}\n\n" +
		"event: message-end\ndata: {\"type\":\"message-end\",\"delta\":{\"finish_reason\":\"COMPLETE\",\"usage\":{\"billed_units\":{\"input_tokens\":3,\"output_tokens\":9},\"tokens\":{\"input_tokens\":66,\"output_tokens\":9}}}}\n\n", Usage{Input: 66, Output: 9, Total: 75}, "", ""},
	"Cohere v1": {"cohere", "application/stream+json", "{\"event_type\":\"text-generation\",\"text\":\"Hello there, friend.\"}\n" +
		"{\"event_type\":\"stream-end\",\"response\":{\"text\":\"Hello there, friend.\",\"meta\":{\"billed_units\":{\"input_tokens\":3,\"output_tokens\":9}}}}\n", Usage{Input: 3, Output: 9, Total: 12}, "", ""},
	"DashScope": {"dashscope", sse, "id:1\nevent:result\n:HTTP_STATUS/200\ndata:{\"output\":{\"text\":\"Hello\"},\"usage\":{\"input_tokens\":3,\"output_tokens\":1,\"total_tokens\":4}}\n\n" +
		"id:2\nevent:result\n:HTTP_STATUS/200\ndata:{\"output\":{\"text\":\"Hello there\"},\"usage\":{\"input_tokens\":3,\"output_tokens\":2,\"total_tokens\":5}}\n\n", Usage{Input: 3, Output: 2, Total: 5}, "", ""},
	"JSON where events were to come": {"", sse, `{"choices":[{"message":{"content":"Hello there, friend."}}],"usage":{"prompt_tokens":1,"completion_tokens":2}}`, Usage{Input: 1, Output: 2, Total: 3}, "", ""},
	"events without a type":          {"", "", "\n: hi\n\ndata: {\"usage\":{\"prompt_tokens\":1,\"completion_tokens\":2}}\n\n", Usage{Input: 1, Output: 2, Total: 3}, "", ""},
	"only in a text":                 {"", sse, "data: {\"choices\":[{\"delta\":{\"content\":\"\\\"usage\\\":{\\\"prompt_tokens\\\":9}\"}}]}\n\n", Usage{}, NotReported, ""},
	"not data":                       {"", sse, "usage: {\"usage\":{\"prompt_tokens\":1}}\n\n", Usage{}, NotReported, ""},
	"a long name":                    {"", sse, "event: " + strings.Repeat("error", 20) + "\ndata: {\"usage\":{\"prompt_tokens\":1}}\n\n", Usage{Input: 1, Total: 1}, "", ""},
	"empty":                          {"", sse, "", Usage{}, NotReported, ""},
	"another type":                   {"", "text/html; charset=utf-8", "<html>", Usage{}, ContentType, ""},
}

func TestAnswer(t *testing.T) {
	for name, c := range streams {
		t.Run(name, func(t *testing.T) {
			body := []byte(c.body)
			want := readAnswer(c.provider, c.contentType, "", true, body)
			if want.usage != c.usage || want.reason != c.reason || want.model != c.model || want.failure != "" {
				t.Fatalf("%+v", want)
			}
			for at := range body {
				if got := readAnswer(c.provider, c.contentType, "", true, body[:at], body[at:]); got != want {
					t.Fatalf("split at %d: %+v, whole %+v", at, got, want)
				}
			}
			var bytewise [][]byte
			for i := range body {
				bytewise = append(bytewise, body[i:i+1])
			}
			if got := readAnswer(c.provider, c.contentType, "", true, bytewise...); got != want {
				t.Fatalf("byte by byte: %+v, whole %+v", got, want)
			}
			var plain Features
			plain.Add([]byte("Hello there, friend."))
			shows := strings.Contains(c.body, "Hello") && c.provider != "dashscope" || strings.Contains(name, "Claude") || strings.Contains(name, "Llama")
			if shows && c.contentType == sse && strings.HasPrefix(c.body, "{") {
				shows = false // a whole answer that tells its length is not counted
			}
			if shows && want.seen != plain.Tokens(O200k) {
				t.Errorf("%d tokens seen, the text has %d", want.seen, plain.Tokens(O200k))
			}
			for coding, packed := range compressed(t, body) {
				whole := readAnswer(c.provider, c.contentType, coding, true, packed)
				if whole != want {
					t.Errorf("%s: %+v, want %+v", coding, whole, want)
				}
				for at := 0; at < len(packed); at += 13 {
					if got := readAnswer(c.provider, c.contentType, coding, true, packed[:at], packed[at:]); got != want {
						t.Fatalf("%s, split at %d: %+v", coding, at, got)
					}
				}
			}
		})
	}
}

// compressed returns a body in every coding that is read.
func compressed(t testing.TB, body []byte) map[string][]byte {
	t.Helper()
	pack := func(make func(io.Writer) io.WriteCloser) []byte {
		var out bytes.Buffer
		w := make(&out)
		if _, err := w.Write(body); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		return out.Bytes()
	}
	return map[string][]byte{
		"gzip":    pack(func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) }),
		"deflate": pack(func(w io.Writer) io.WriteCloser { return zlib.NewWriter(w) }),
		" Deflate, identity": pack(func(w io.Writer) io.WriteCloser {
			bare, _ := flate.NewWriter(w, 5)
			return bare
		}),
	}
}

func TestAnswerInAnyPieces(t *testing.T) {
	names := []string{"chat, usage null until the end", "CRLF", "data in lines", "Anthropic", "Gemini's array", "lines", "InvokeModel of Claude", "Cohere v1"}
	rapid.Check(t, func(t *rapid.T) {
		c := streams[rapid.SampledFrom(names).Draw(t, "stream")]
		body := []byte(c.body)
		ends := rapid.Bool().Draw(t, "ends")
		body = body[:len(body)-rapid.IntRange(0, len(body)/2).Draw(t, "missing")]
		var pieces [][]byte
		for rest := body; len(rest) > 0; {
			n := rapid.IntRange(1, max(1, len(rest)/2)).Draw(t, "n")
			pieces = append(pieces, rest[:n])
			rest = rest[n:]
		}
		want := readAnswer(c.provider, c.contentType, "", ends, body)
		if got := readAnswer(c.provider, c.contentType, "", ends, pieces...); got != want {
			t.Fatalf("%+v, whole %+v", got, want)
		}
	})
}

// What is too long to be kept is passed over, and what follows it is not.
func TestAnswerPassesOverWhatIsTooLong(t *testing.T) {
	long := strings.Repeat("x", maxDocument)
	report := "data: {\"usage\":{\"prompt_tokens\":1,\"completion_tokens\":2}}\n\n"
	for name, c := range map[string]struct {
		contentType, body string
		reason            Reason
	}{
		"a line":                  {sse, "data: {\"x\":\"" + long + "\"}\n\n", Oversize},
		"a line, read at its end": {sse, "data: {\"x\":\"" + long + "\",\"usage\":{\"prompt_tokens\":1,\"completion_tokens\":2}}\n\n", ""},
		"lines":                   {sse, strings.Repeat("data: "+strings.Repeat("x", 100_000)+"\n", 11) + "\n" + report, ""},
		"before a report":         {sse, "data: " + long + "\n\n" + report, ""},
		"after a report":          {sse, report + "data: " + long + "\n\n", ""},
		"a comment":               {sse, ":" + long + "\n" + report, ""},
		"an element":              {jsonType, "[{\"x\":\"" + long + "\"},{\"usage\":{\"prompt_tokens\":1,\"completion_tokens\":2}}]", ""},
		"a message":               {aws, converse("x", `{"x":"`+long+`"}`) + converse("metadata", `{"usage":{"inputTokens":1,"outputTokens":2}}`), ""},
	} {
		var pieces [][]byte
		for rest := []byte(c.body); len(rest) > 0; {
			n := min(len(rest), 30_011)
			pieces = append(pieces, rest[:n])
			rest = rest[n:]
		}
		got := readAnswer("", c.contentType, "", true, pieces...)
		if got.reason != c.reason || c.reason == "" && got.usage != (Usage{Input: 1, Output: 2, Total: 3}) {
			t.Errorf("%s: %+v", name, got)
		}
		if whole := readAnswer("", c.contentType, "", true, []byte(c.body)); whole != got {
			t.Errorf("%s, whole: %+v", name, whole)
		}
	}
}

func TestAnswerReasons(t *testing.T) {
	chat := []byte(`{"usage":{"prompt_tokens":1,"completion_tokens":2}}`)
	zipped := compressed(t, chat)["gzip"]
	message := []byte(converse("metadata", `{"usage":{"inputTokens":1,"outputTokens":2}}`))
	flipped := func(b []byte, at int) []byte {
		b = bytes.Clone(b)
		b[at] ^= 1
		return b
	}
	bomb := compressed(t, bytes.Repeat([]byte(`{"a":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"}`), maxInflated/50))["gzip"]
	for name, c := range map[string]struct {
		contentType, encoding string
		body                  []byte
		ends                  bool
		want                  Reason
	}{
		"Brotli":                   {jsonType, "br", chat, true, Encoding},
		"twice compressed":         {jsonType, "gzip, deflate", chat, true, Encoding},
		"identity":                 {jsonType, "identity", chat, true, ""},
		"gzip":                     {jsonType, "GZIP", zipped, true, ""},
		"gzip broken off":          {jsonType, "gzip", zipped[:len(zipped)-20], true, Incomplete},
		"gzip, nothing of it":      {jsonType, "gzip", nil, true, Incomplete},
		"gzip with a wrong check":  {jsonType, "gzip", flipped(zipped, len(zipped)-6), true, Broken},
		"not gzip":                 {jsonType, "gzip", chat, true, Broken},
		"not deflate":              {jsonType, "deflate", []byte("\x78\x9c\xff\xff\xff"), true, Broken},
		"a bomb":                   {jsonType, "gzip", bomb, true, Incomplete},
		"audio":                    {"audio/mpeg", "", []byte("ID3"), true, ContentType},
		"JSON broken off":          {jsonType, "", chat[:len(chat)-1], false, Incomplete},
		"events broken off":        {sse, "", []byte("data: {\"choices\":[]}\n\n"), false, Incomplete},
		"a message":                {aws, "", message, true, ""},
		"a message broken off":     {aws, "", message[:len(message)-1], false, Incomplete},
		"a length changed":         {aws, "", flipped(message, 3), true, Broken},
		"a header changed":         {aws, "", flipped(message, 20), true, Broken},
		"a payload changed":        {aws, "", flipped(message, len(message)-9), true, Broken},
		"a check changed":          {aws, "", flipped(message, len(message)-1), true, Broken},
		"a message, then no more":  {aws, "", append(bytes.Clone(message), "garbage that is no message"...), true, Broken},
		"events are no messages":   {aws, "", []byte("data: {\"choices\":[]}\n\n"), true, Broken},
		"text":                     {"text/plain", "", []byte("hello"), true, NotReported},
		"an answer without report": {jsonType, "", []byte(`{"choices":[]}`), true, NotReported},
	} {
		got := readAnswer("", c.contentType, c.encoding, c.ends, c.body)
		if got.reason != c.want {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// The messages were written by the encoder of AWS's SDK for Go.
func TestMessagesOfAWS(t *testing.T) {
	metadata := "0000009b0000004e5290a5ff0b3a6576656e742d747970650700086d657461646174610d3a636f6e74656e742d747970650700106170706c69636174696f6e2f6a736f6e0d3a6d6573736167652d747970650700056576656e747b227573616765223a7b22696e707574546f6b656e73223a352c226f7574707574546f6b656e73223a372c22746f74616c546f6b656e73223a31327d7d20ea5d48"
	exception := "0000008a00000068dd1d9e3004666c616700016e04000000070269640901020000000000000000000000000000016206000278790d3a6d6573736167652d74797065070009657863657074696f6e0f3a657863657074696f6e2d747970650700137468726f74746c696e67457863657074696f6e7b226d657373616765223a22736c6f77227d717bf3dd"
	body, err := hex.DecodeString(metadata + exception)
	if err != nil {
		t.Fatal(err)
	}
	got := readAnswer("bedrock", aws, "", true, body)
	want := found{usage: Usage{Input: 5, Output: 7, Total: 12}, failure: `throttlingException 0 {"message":"slow"}`, late: true}
	if got != want {
		t.Errorf("%+v", got)
	}
}

// Memory stays bounded, whatever comes.
func TestAnswerKeepsLittle(t *testing.T) {
	piece := bytes.Repeat([]byte("data: {[\"x\": 1, "), 4096)
	for _, contentType := range []string{sse, jsonType, aws, "application/x-ndjson"} {
		for _, begin := range []string{"{", "[{", "data: ", "event: ", ":", "\x00\x10\x00\x00\x00\x00\x00\x00"} {
			for _, encoding := range []string{"", "gzip"} {
				a := NewAnswer("", contentType, encoding)
				a.CountOutput()
				a.Write([]byte(begin))
				for range 100 {
					a.Write(piece)
				}
				kept := cap(a.packed.b) + cap(a.whole.b) + cap(a.values.object.b) + cap(a.events.data.b) + cap(a.events.line) + cap(a.aws.rest.b) + cap(a.decoded)
				if kept > 4*maxDocument {
					t.Errorf("%s, %q, %s: %d bytes are kept", contentType, begin, encoding, kept)
				}
				if !a.Started() {
					t.Errorf("%s, %q, %s: has not started", contentType, begin, encoding)
				}
				_, _ = a.Usage()
			}
		}
	}
}

func FuzzEvents(f *testing.F) {
	for _, c := range streams {
		if c.contentType == sse {
			f.Add([]byte(c.body), 3)
		}
	}
	f.Fuzz(func(t *testing.T, body []byte, at int) { sameInPieces(t, sse, body, at) })
}

func FuzzMessages(f *testing.F) {
	f.Add([]byte("\x0d:message-type\x07\x00\x09exception\x04flag\x00"), []byte(`{"message":"m"}`), []byte(nil), 20)
	for _, c := range streams {
		if c.contentType == aws {
			f.Add([]byte("\x01a\x05\x00\x00\x00\x00\x00\x00\x00\x00"), []byte(`{"bytes":"e30="}`), []byte(c.body), 3)
		}
	}
	f.Fuzz(func(t *testing.T, headers, payload, more []byte, at int) {
		sameInPieces(t, aws, append(encodeRaw(headers, payload), more...), at)
	})
}

func FuzzLines(f *testing.F) {
	f.Add([]byte(streams["lines"].body), 3)
	f.Add([]byte(streams["Cohere v1"].body), 30)
	f.Fuzz(func(t *testing.T, body []byte, at int) { sameInPieces(t, "application/x-ndjson", body, at) })
}

func FuzzInflate(f *testing.F) {
	for _, coding := range []string{"gzip", "deflate"} {
		f.Add(compressed(f, []byte(streams["Anthropic"].body))[coding], 20, coding == "gzip")
	}
	f.Fuzz(func(t *testing.T, body []byte, at int, zipped bool) {
		coding := "deflate"
		if zipped {
			coding = "gzip"
		}
		at = max(0, min(at, len(body)))
		want := readAnswer("", sse, coding, true, body)
		if got := readAnswer("", sse, coding, true, body[:at], body[at:]); got != want {
			t.Fatalf("split at %d: %+v, whole %+v", at, got, want)
		}
	})
}
