package tokens

import (
	"strings"
	"testing"
)

// count returns the estimate for plain text.
func count(s string) int64 {
	var f Features
	f.Add([]byte(s))
	return f.Tokens(O200k)
}

const sentence = "The quick brown fox jumps over the lazy dog while nobody is looking at all."

// TestPlaces asks of each place in a request whether its text counts.
func TestPlaces(t *testing.T) {
	const yes, no = true, false
	tests := []struct {
		name  string
		body  string // with the text as %
		count bool
	}{
		{"chat content", `{"messages":[{"role":"user","content":"%"}]}`, yes},
		{"chat part", `{"messages":[{"role":"user","content":[{"type":"text","text":"%"}]}]}`, yes},
		{"chat refusal", `{"messages":[{"role":"assistant","refusal":"%"}]}`, yes},
		{"chat tool call", `{"messages":[{"tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"%"}}]}]}`, yes},
		{"chat tool call name", `{"messages":[{"tool_calls":[{"id":"c","function":{"name":"%"}}]}]}`, yes},
		{"chat tool call id", `{"messages":[{"tool_calls":[{"id":"%","type":"function"}]}]}`, no},
		{"chat tool result", `{"messages":[{"role":"tool","tool_call_id":"c","content":"%"}]}`, yes},
		{"chat tool result id", `{"messages":[{"role":"tool","tool_call_id":"%","content":""}]}`, no},
		{"chat name", `{"messages":[{"name":"%"}]}`, yes},
		{"chat tools", `{"tools":[{"type":"function","function":{"name":"f","description":"%"}}]}`, yes},
		{"chat tools key", `{"tools":[{"function":{"parameters":{"%":{}}}}]}`, yes},
		{"chat functions", `{"functions":[{"name":"f","description":"%"}]}`, yes},
		{"chat schema", `{"response_format":{"type":"json_schema","json_schema":{"schema":{"description":"%"}}}}`, yes},
		{"chat image", `{"messages":[{"content":[{"type":"image_url","image_url":{"url":"%"}}]}]}`, no},
		{"chat audio", `{"messages":[{"content":[{"type":"input_audio","input_audio":{"data":"%","format":"wav"}}]}]}`, no},
		{"chat file", `{"messages":[{"content":[{"type":"file","file":{"file_data":"%"}}]}]}`, no},
		{"model", `{"model":"%"}`, no},
		{"user", `{"user":"%"}`, no},
		{"metadata", `{"metadata":{"text":"%","messages":["%"]}}`, no},
		{"stop", `{"stop":["%"]}`, no},
		{"role", `{"messages":[{"role":"%"}]}`, no},
		{"completions prompt", `{"prompt":"%"}`, yes},
		{"completions prompts", `{"prompt":["%"]}`, yes},
		{"completions suffix", `{"suffix":"%"}`, yes},
		{"embeddings input", `{"input":"%"}`, yes},
		{"embeddings inputs", `{"input":["%"]}`, yes},
		{"Responses input", `{"input":[{"role":"user","content":[{"type":"input_text","text":"%"}]}]}`, yes},
		{"Responses instructions", `{"instructions":"%"}`, yes},
		{"Responses call", `{"input":[{"type":"function_call","call_id":"c","name":"f","arguments":"%"}]}`, yes},
		{"Responses output", `{"input":[{"type":"function_call_output","call_id":"c","output":"%"}]}`, yes},
		{"Responses image", `{"input":[{"content":[{"type":"input_image","image_url":"%"}]}]}`, no},
		{"Responses reasoning", `{"input":[{"type":"reasoning","encrypted_content":"%"}]}`, no},
		{"Responses schema", `{"text":{"format":{"type":"json_schema","name":"n","schema":{"title":"%"}}}}`, yes},
		{"Responses previous", `{"previous_response_id":"%"}`, no},
		{"Anthropic system", `{"system":"%"}`, yes},
		{"Anthropic system parts", `{"system":[{"type":"text","text":"%","cache_control":{"type":"ephemeral"}}]}`, yes},
		{"Anthropic tool use", `{"messages":[{"content":[{"type":"tool_use","id":"t","name":"f","input":{"query":"%"}}]}]}`, yes},
		{"Anthropic tool use id", `{"messages":[{"content":[{"type":"tool_use","id":"%","name":"f"}]}]}`, no},
		{"Anthropic tool result", `{"messages":[{"content":[{"type":"tool_result","tool_use_id":"t","content":"%"}]}]}`, yes},
		{"Anthropic tool result parts", `{"messages":[{"content":[{"type":"tool_result","content":[{"type":"text","text":"%"}]}]}]}`, yes},
		{"Anthropic thinking", `{"messages":[{"content":[{"type":"thinking","thinking":"%","signature":"s"}]}]}`, yes},
		{"Anthropic signature", `{"messages":[{"content":[{"type":"thinking","thinking":"","signature":"%"}]}]}`, no},
		{"Anthropic image", `{"messages":[{"content":[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"%"}}]}]}`, no},
		{"Anthropic document", `{"messages":[{"content":[{"type":"document","source":{"type":"base64","media_type":"application/pdf","data":"%"}}]}]}`, no},
		{"Anthropic text document", `{"messages":[{"content":[{"type":"document","source":{"type":"text","media_type":"text/plain","data":"%"}}]}]}`, yes},
		{"Anthropic document of parts", `{"messages":[{"content":[{"type":"document","source":{"type":"content","content":[{"type":"text","text":"%"}]}}]}]}`, yes},
		{"Gemini", `{"contents":[{"role":"user","parts":[{"text":"%"}]}]}`, yes},
		{"Gemini single", `{"contents":{"parts":{"text":"%"}}}`, yes},
		{"Gemini system", `{"systemInstruction":{"parts":[{"text":"%"}]}}`, yes},
		{"Gemini call", `{"contents":[{"parts":[{"functionCall":{"name":"f","args":{"query":"%"}}}]}]}`, yes},
		{"Gemini result", `{"contents":[{"parts":[{"functionResponse":{"name":"f","response":{"out":"%"}}}]}]}`, yes},
		{"Gemini image", `{"contents":[{"parts":[{"inlineData":{"mimeType":"image/png","data":"%"}}]}]}`, no},
		{"Gemini file", `{"contents":[{"parts":[{"fileData":{"fileUri":"%"}}]}]}`, no},
		{"Gemini tools", `{"tools":[{"functionDeclarations":[{"name":"f","description":"%"}]}]}`, yes},
		{"Gemini schema", `{"generationConfig":{"responseSchema":{"description":"%"}}}`, yes},
		{"Gemini embedding", `{"content":{"parts":[{"text":"%"}]}}`, yes},
		{"Gemini embeddings", `{"requests":[{"model":"m","content":{"parts":[{"text":"%"}]}}]}`, yes},
		{"Converse", `{"messages":[{"role":"user","content":[{"text":"%"}]}]}`, yes},
		{"Converse system", `{"system":[{"text":"%"}]}`, yes},
		{"Converse tools", `{"toolConfig":{"tools":[{"toolSpec":{"description":"%"}}]}}`, yes},
		{"Converse tool use", `{"messages":[{"content":[{"toolUse":{"toolUseId":"t","name":"f","input":{"q":"%"}}}]}]}`, yes},
		{"Converse tool result", `{"messages":[{"content":[{"toolResult":{"toolUseId":"t","content":[{"json":{"a":"%"}}]}}]}]}`, yes},
		{"Converse image", `{"messages":[{"content":[{"image":{"format":"png","source":{"bytes":"%"}}}]}]}`, no},
		{"Converse document", `{"messages":[{"content":[{"document":{"format":"pdf","name":"d","source":{"bytes":"%"}}}]}]}`, no},
		{"Titan", `{"inputText":"%"}`, yes},
		{"DashScope messages", `{"model":"m","input":{"messages":[{"role":"user","content":"%"}]}}`, yes},
		{"DashScope prompt", `{"model":"m","input":{"prompt":"%"}}`, yes},
		{"DashScope texts", `{"model":"m","input":{"texts":["%"]}}`, yes},
		{"Cohere", `{"message":"%"}`, yes},
		{"Cohere history", `{"chat_history":[{"role":"USER","message":"%"}]}`, yes},
		{"Cohere document", `{"documents":[{"data":{"text":"%"}}]}`, yes},
		{"Cohere document string", `{"documents":[{"data":"%"}]}`, yes},
		{"Cohere tool results", `{"tool_results":[{"call":{"name":"f"},"outputs":[{"a":"%"}]}]}`, yes},
		{"Gemini count", `{"generateContentRequest":{"contents":[{"parts":[{"text":"%"}]}]}}`, yes},
		{"Converse variables", `{"promptVariables":{"v":{"text":"%"}}}`, yes},
		{"DashScope tools", `{"input":{"messages":[]},"parameters":{"tools":[{"function":{"description":"%"}}]}}`, yes},
		{"Vertex embeddings", `{"instances":[{"task_type":"RETRIEVAL_QUERY","title":"t","content":"%"}]}`, yes},
		{"Llama on Bedrock", `{"prompt":"%","max_gen_len":5}`, yes},
		{"Titan image", `{"inputImage":"%"}`, no},
		{"rerank", `{"query":"q","documents":["%"]}`, yes},
		{"unknown part", `{"messages":[{"content":[{"type":"new","novelty":"%"}]}]}`, yes},
		{"escaped key", `{"mess\u0061ges":[{"c\u006fntent":"%"}]}`, yes},
	}
	long := strings.Repeat(sentence+" ", 100)
	want := count(long)
	for _, tt := range tests {
		r := ReadRequest([]byte(strings.ReplaceAll(tt.body, "%", long)))
		if r.Status != Readable {
			t.Errorf("%s: %v", tt.name, r.Status)
		}
		base := ReadRequest([]byte(strings.ReplaceAll(tt.body, "%", "x")))
		got := r.Input - base.Input
		if tt.count && (got < want-3 || got > want+3) || !tt.count && got != 0 {
			t.Errorf("%s: %d tokens of %d", tt.name, got, want)
		}
	}
}

func TestOverhead(t *testing.T) {
	tests := []struct {
		name, body string
		want       int64
	}{
		{"no messages", `{"messages":[]}`, 0},
		{"a message", `{"messages":[{"role":"user","content":""}]}`, 7},
		{"two messages", `{"messages":[{"role":"user"},{"role":"user"}]}`, 11},
		{"a system of two parts", `{"system":[{"text":""},{"text":""}],"messages":[{"content":""}]}`, 11},
		{"Gemini", `{"systemInstruction":{"parts":[{"text":""}]},"contents":[{"parts":[{"text":""}]}]}`, 11},
		{"Responses", `{"instructions":"","input":[{"role":"user","content":""}]}`, 11},
		{"a prompt", `{"prompt":""}`, 0},
		{"token numbers", `{"prompt":[1,2,3]}`, 3},
		{"lists of token numbers", `{"input":[[1,2],[3]]}`, 3},
	}
	for _, tt := range tests {
		var f Features
		f.ReadRequest([]byte(tt.body))
		if got := f.Exact(); got != tt.want {
			t.Errorf("%s: %d, want %d", tt.name, got, tt.want)
		}
	}
}

func TestMaxOutput(t *testing.T) {
	tests := []struct {
		body string
		want int64
	}{
		{`{}`, 0},
		{`{"max_tokens":100}`, 100},
		{`{"max_completion_tokens":100}`, 100},
		{`{"max_output_tokens":100}`, 100},
		{`{"generationConfig":{"maxOutputTokens":100}}`, 100},
		{`{"generationConfig":{"maxOutputTokens":100,"candidateCount":2}}`, 200},
		{`{"inferenceConfig":{"maxTokens":100}}`, 100},
		{`{"parameters":{"max_tokens":100,"n":2}}`, 200},
		{`{"max_tokens":100,"max_tokens":50}`, 100},
		{`{"max_tokens":50,"max_completion_tokens":100}`, 100},
		{`{"max_tokens":100,"n":3}`, 300},
		{`{"n":3,"best_of":5,"max_tokens":100}`, 500},
		{`{"n":3}`, 0},
		{`{"max_tokens":1e3}`, 1000},
		{`{"max_tokens":1000.0}`, 1000},
		{`{"max_tokens":1.5e1}`, 15},
		{`{"max_tokens":1E+2}`, 100},
		{`{"max_tokens":2000e-1}`, 200},
		{`{"max_tokens":0}`, 0},
		{`{"max_tokens":-5}`, 0},
		{`{"max_tokens":-5,"max_tokens":7}`, 7},
		{`{"max_tokens":1.5}`, 0},
		{`{"max_tokens":1e-3}`, 0},
		{`{"max_tokens":null}`, 0},
		{`{"max_tokens":"100"}`, 100},
		{`{"max_tokens":"1e3"}`, 1000},
		{`{"max_tokens":" 100"}`, 0},
		{`{"max_tokens":"100 tokens"}`, 0},
		{`{"max_tokens":""}`, 0},
		{`{"max_tokens":"50","max_tokens":7,"n":"2"}`, 100},
		{`{"inferenceConfig":{"max_new_tokens":100}}`, 100},
		{`{"additionalModelRequestFields":{"max_tokens":100}}`, 100},
		{`{"textGenerationConfig":{"maxTokenCount":100}}`, 100},
		{`{"max_gen_len":100}`, 100},
		{`{"generateContentRequest":{"generationConfig":{"maxOutputTokens":100}}}`, 100},
		{`{"max_tokens":{"max_tokens":5}}`, 0},
		{`{"metadata":{"max_tokens":5}}`, 0},
		{`{"messages":[{"max_tokens":5}]}`, 0},
		{`{"max_tokens":1e999999999999999999999}`, MaxCount},
		{`{"max_tokens":1e-99999999999999999999}`, 0},
		{`{"max_tokens":99999999999999999999999999999999999999999}`, MaxCount},
		{`{"max_tokens":1000000000,"n":1000000000}`, MaxCount},
		{`{"max_tokens":100,"n":-1}`, 100},
		{`{"max_tokens":0.0000000000000000000000000000000000001e37}`, 1},
	}
	for _, tt := range tests {
		if got := ReadRequest([]byte(tt.body)).MaxOutput; got != tt.want {
			t.Errorf("%s: %d, want %d", tt.body, got, tt.want)
		}
	}
}

func TestModelAndFlags(t *testing.T) {
	tests := []struct {
		body      string
		model     string
		call      bool
		stream    bool
		usage     bool
		operation Operation
	}{
		{`{"model":"a","messages":[]}`, "a", true, false, false, Chat},
		{`{"model":"a","model":"b"}`, "b", true, false, false, Other},
		{`{"model":"gpt\u002d4o\n\ud83d\ude00"}`, "gpt-4o\n😀", true, false, false, Other},
		{`{"m\u006fdel":"a"}`, "a", true, false, false, Other},
		{`{"model":7}`, "", true, false, false, Other},
		{`{"metadata":{"model":"a"}}`, "", false, false, false, Other},
		{`{"messages":[{"model":"a"}]}`, "", true, false, false, Chat},
		{`{"contents":[]}`, "", true, false, false, Chat},
		{`{"prompt":"a"}`, "", true, false, false, Completions},
		{`{"input":"a"}`, "", true, false, false, Embeddings},
		{`{"input":[{"role":"user"}]}`, "", true, false, false, Chat},
		{`{"input":"a","instructions":"b"}`, "", true, false, false, Chat},
		{`{"input":{"messages":[]}}`, "", true, false, false, Chat},
		{`{"inputText":"a"}`, "", true, false, false, Embeddings},
		{`{"content":{"parts":[{"text":"a"}]}}`, "", true, false, false, Embeddings},
		{`{"requests":[{"content":{"parts":[{"text":"a"}]}}]}`, "", true, false, false, Embeddings},
		{`{"generateContentRequest":{"contents":[]}}`, "", true, false, false, Chat},
		{`{"query":"a","documents":[]}`, "", false, false, false, Rerank},
		{`{"a":1}`, "", false, false, false, Other},
		{`[{"model":"a"}]`, "", false, false, false, Other},
		{`{"stream":true}`, "", false, true, false, Other},
		{`{"stream":"true"}`, "", false, false, false, Other},
		{`{"stream":1}`, "", false, false, false, Other},
		{`{"stream":true,"stream":null}`, "", false, false, false, Other},
		{`{"stream":true,"stream":{}}`, "", false, false, false, Other},
		{`{"stream_options":{"include_usage":true}}`, "", false, false, true, Other},
		{`{"stream_options":{"include_usage":false}}`, "", false, false, false, Other},
		{`{"stream_options":{"x":{"include_usage":true}}}`, "", false, false, false, Other},
	}
	for _, tt := range tests {
		r := ReadRequest([]byte(tt.body))
		if string(r.Model) != tt.model || r.ModelCall != tt.call || r.Stream != tt.stream ||
			r.IncludeUsage != tt.usage || r.Operation != tt.operation {
			t.Errorf("%s: %q call %v stream %v usage %v %s", tt.body, r.Model, r.ModelCall, r.Stream, r.IncludeUsage, r.Operation)
		}
	}
	if r := ReadRequest([]byte(`{"stream_options":{"include_usage":false}}`)); !r.HasIncludeUsage {
		t.Error("include_usage not seen")
	}
}

func TestStatus(t *testing.T) {
	deep := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	tests := []struct {
		body string
		want Status
	}{
		{"", Empty},
		{" \r\n\t", Empty},
		{"{}", Readable},
		{" {} ", Readable},
		{"\xEF\xBB\xBF{}", Readable},
		{"null", Readable},
		{`"a"`, Readable},
		{"-1.5e+3", Readable},
		{"nul", Truncated},
		{"{", Truncated},
		{`{"a`, Truncated},
		{`{"a\`, Truncated},
		{`{"a\u00`, Truncated},
		{`{"a"`, Truncated},
		{`{"a":`, Truncated},
		{`{"a":1`, Truncated},
		{`{"a":1,`, Truncated},
		{`{"a":"b`, Truncated},
		{"[1,", Truncated},
		{"-", Truncated},
		{"1.", Truncated},
		{"{} x", NotJSON},
		{"{,}", NotJSON},
		{"[1,]", NotJSON},
		{`{"a":1,}`, NotJSON},
		{"[1}", NotJSON},
		{`{"a" 1}`, NotJSON},
		{`{'a':1}`, NotJSON},
		{`{"a":01}`, NotJSON},
		{`{"a":+1}`, NotJSON},
		{`{"a":.5}`, NotJSON},
		{`{"a":nope}`, NotJSON},
		{`{"a":"\x"}`, NotJSON},
		{`{"a":"\u00g0"}`, NotJSON},
		{"{\"a\":\"\n\"}", NotJSON},
		{"hello", NotJSON},
		{"a=1&b=2", NotJSON},
		{deep(MaxDepth), Readable},
		{deep(MaxDepth + 1), TooDeep},
		{strings.Repeat("[", 1e6), TooDeep},
		{strings.Repeat(`{"a":`, 1e6), TooDeep},
		{"\x1F\x8B\x08\x00", Encoded},
		{"\x28\xB5\x2F\xFD", Encoded},
		{"\xFF\xFE{\x00}\x00", Encoded},
		{"{\x00}\x00", Encoded},
		{"\x00{\x00}", Encoded},
		{"--boundary\r\nContent-Disposition: form-data", Multipart},
	}
	for _, tt := range tests {
		if got := ReadRequest([]byte(tt.body)).Status; got != tt.want {
			t.Errorf("%.40q: %v, want %v", tt.body, got, tt.want)
		}
	}
}

func TestUnreadable(t *testing.T) {
	text := strings.Repeat(sentence+" ", 20)
	whole := `{"model":"m","messages":[{"role":"user","content":"` + text + `"}],"max_tokens":9,"n":2}`
	want := ReadRequest([]byte(whole))
	for _, cut := range []int{1, 3, 30} {
		r := ReadRequest([]byte(whole[:len(whole)-cut]))
		if r.Status != Truncated || !r.ModelCall || string(r.Model) != "m" {
			t.Errorf("cut %d: %+v", cut, r)
		}
		if d := r.Input - want.Input; d < -2 || d > 2 {
			t.Errorf("cut %d: %d tokens, want about %d", cut, r.Input, want.Input)
		}
	}
	if r := ReadRequest([]byte(text)); r.Status != NotJSON || r.Input != count(text) {
		t.Errorf("plain text: %+v", r)
	}
	if r := ReadRequest([]byte(`{"a":oops ` + text)); r.Status != NotJSON || r.Input < count(text) {
		t.Errorf("broken: %+v", r)
	}
	if r := ReadRequest([]byte("\x1F\x8B" + text)); r.Input != int64(len(text))+2 {
		t.Errorf("gzip: %+v", r)
	}
}

// TestEscapes checks that an escaped text counts as its characters.
func TestEscapes(t *testing.T) {
	const plain = "Grüße, \"Welt\"!\n\tEine /Zeile/ mit Ümläuten und 😀 und 日本語 und русский.\\"
	escaped := `Gr\u00fc\u00DFe, \"Welt\"!\n\tEine \/Zeile\/ mit \u00dcml\u00e4uten und \ud83d\ude00 und ` +
		`\u65e5\u672c\u8a9e und \u0440\u0443\u0441\u0441\u043a\u0438\u0439.\\`
	var a, b Features
	a.Add([]byte(plain))
	b.ReadRequest([]byte(`{"prompt":"` + escaped + `"}`))
	if a != b {
		t.Errorf("%d tokens, escaped %d", a.Tokens(O200k), b.Tokens(O200k))
	}
}

// TestMinified checks that white space in a schema does not count.
func TestMinified(t *testing.T) {
	var a, b Features
	a.ReadRequest([]byte(`{"tools":[{"name":"f","n":-1.5,"b":[true,null,{}],"t":"a\nb \u00e9"}]}`))
	b.ReadRequest([]byte("{ \"tools\" : [ {\n\t\"name\" : \"f\" ,\r\n \"n\" : -1.5 , \"b\" : [ true , null , { } ] , \"t\":\"a\\nb é\" } ] }"))
	if a != b {
		t.Errorf("%d tokens, pretty %d", a.Tokens(O200k), b.Tokens(O200k))
	}
	var c Features
	c.Add([]byte(`[{"name":"f","n":-1.5,"b":[true,null,{}],"t":"a\nb é"}]`))
	if a != c {
		t.Errorf("%d tokens, as text %d", a.Tokens(O200k), c.Tokens(O200k))
	}
}

func TestOperationOf(t *testing.T) {
	tests := map[string]Operation{
		"/v1/chat/completions":                          Chat,
		"/v1/chat/completions?a=/embeddings":            Chat,
		"/openai/deployments/d/chat/completions":        Chat,
		"/v1/completions":                               Completions,
		"/v1/responses":                                 Chat,
		"/v1/messages":                                  Chat,
		"/v1/embeddings":                                Embeddings,
		"/v1beta/models/gemini-2.5-pro:generateContent": Chat,
		"/v1beta/models/gemini-2.5-pro:streamGenerateContent?alt=sse": Chat,
		"/v1beta/models/e:batchEmbedContents":                         Embeddings,
		"/model/anthropic.claude-v1:0/converse":                       Chat,
		"/model/anthropic.claude-v1:0/invoke":                         Chat,
		"/v2/rerank":                                                  Rerank,
		"/v1/images/generations":                                      Images,
		"/v1/images/edits":                                            Images,
		"/v1/audio/speech":                                            Audio,
		"/v1/moderations":                                             Moderations,
		"/api/v1/services/aigc/text-generation/generation":            Chat,
		"/api/v1/services/embeddings/text-embedding/text-embedding":   Embeddings,
		"/v1/models":                                                  Other,
		"/":                                                           Other,
		"":                                                            Other,
	}
	for path, want := range tests {
		if got := OperationOf(path); got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
}

// TestNoAllocation holds the walk to the stack.
func TestNoAllocation(t *testing.T) {
	body := chatBody(2000)
	if n := testing.AllocsPerRun(100, func() { ReadRequest(body) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
