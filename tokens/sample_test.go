package tokens

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// readAsLong reads a body as a long one is read, however short it is.
func readAsLong(body []byte) (Features, Request) {
	var f Features
	r := f.readRequest(body, &sampler{seed: 1})
	return f, r
}

// TestLongReadsAllOfAShortText holds the two ways to read a body together: while
// the text fits in the sampler they count the very same.
func TestLongReadsAllOfAShortText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		alphabet := rapid.RuneFrom([]rune("aZ0 \n\t\"\\/.-éя日😀"))
		texts := rapid.SliceOfN(rapid.StringOfN(alphabet, 1, 400, -1), 0, 20).Draw(t, "texts")
		body, err := json.Marshal(map[string]any{"prompt": texts, "model": texts, "max_tokens": 7, "messages": texts,
			"tools": []any{texts, map[string]any{"n": -1.5e3, "b": []any{true, nil}, "text": texts}}})
		if err != nil {
			t.Fatal(err)
		}
		if rapid.Bool().Draw(t, "indent") {
			var b bytes.Buffer
			if err := json.Indent(&b, body, "", "  "); err != nil {
				t.Fatal(err)
			}
			body = b.Bytes()
		}
		if rapid.Bool().Draw(t, "cut") {
			body = body[:rapid.IntRange(0, len(body)).Draw(t, "length")]
		}
		var want Features
		wantRequest := want.ReadRequest(body)
		got, gotRequest := readAsLong(body)
		wantRequest.Model, gotRequest.Model = bytes.Clone(wantRequest.Model), bytes.Clone(gotRequest.Model)
		if wantRequest.Status != gotRequest.Status || wantRequest.MaxOutput != gotRequest.MaxOutput ||
			!bytes.Equal(wantRequest.Model, gotRequest.Model) {
			t.Fatalf("%s: %+v, not %+v", body, gotRequest, wantRequest)
		}
		if d := got.Tokens(O200k) - want.Tokens(O200k); got != want && (wantRequest.Status == Readable || d < -4 || d > 4) {
			t.Fatalf("%s: %d tokens, not %d", body, got.Tokens(O200k), want.Tokens(O200k))
		}
	})
}

// sampledError returns by how much the estimate of a text by samples is off that
// of the same text read whole, for one seed.
func sampledError(text string, seed uint64) float64 {
	quoted, err := json.Marshal(text)
	if err != nil {
		panic(err)
	}
	body := append(append([]byte(`{"messages":[{"role":"user","content":`), quoted...), `}]}`...)
	var f Features
	f.ReadRequest(body)
	want := f.Tokens(O200k)
	return float64(Reader{Seed: seed}.ReadRequest(body).Input)/float64(want) - 1
}

// TestSamples checks long texts of all kinds, also such that change half way.
func TestSamples(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	words := func(list string, n int) string {
		from := strings.Fields(list)
		var b strings.Builder
		for b.Len() < n {
			b.WriteString(from[random.IntN(len(from))])
			b.WriteString([]string{" ", " ", " ", ", ", "\n", ".\n\n    "}[random.IntN(6)])
		}
		return b.String()
	}
	hex := func(n int) string {
		b := make([]byte, n)
		for i := range b {
			b[i] = "0123456789abcdef"[random.IntN(16)]
		}
		return string(b)
	}
	const size = 300_000
	prose := words("a river runs where it must and the fox drinks from it internationally speaking \"nobody\" has it", size)
	russian := words("река течёт туда куда должна и лиса пьёт из неё международные отношения", size)
	chinese := words("河流流向它该去的地方 狐狸从中饮水 国际关系 没有人知道 这是一个测试", size)
	tests := []struct {
		name, text string
		most       float64
	}{
		{"prose", prose, 0.04},
		{"Russian", russian, 0.04},
		{"Chinese", chinese, 0.04},
		{"digits", hex(size), 0.04},
		{"quotes", strings.Repeat(`say "\" or \\" `, size/15), 0.04},
		{"backslashes", strings.Repeat(`\`, size), 0.04},
		{"spaces", strings.Repeat(" ", size), 0.1},
		{"half prose, half Chinese", prose[:size/2] + chinese[:size/2], 0.08},
		{"half digits, half spaces", hex(size/2) + strings.Repeat(" ", size/2), 0.08},
		{"a tenth digits", prose[:size/2] + hex(size/10) + prose[:size/2], 0.08},
		{"parts in turns", strings.Repeat(prose[:900]+hex(900), size/1800), 0.1},
	}
	for _, tt := range tests {
		sum, worst := 0.0, 0.0
		const seeds = 20
		for seed := range uint64(seeds) {
			e := sampledError(tt.text, seed)
			sum += e
			worst = max(worst, e, -e)
		}
		t.Logf("%-26s bias %+.1f%% worst %.1f%%", tt.name, sum/seeds*100, worst*100)
		if worst > tt.most {
			t.Errorf("%s: an error of %.1f%%", tt.name, worst*100)
		}
		if bias := sum / seeds; bias < -0.02 || bias > 0.02 {
			t.Errorf("%s: %+.1f%% on average", tt.name, bias*100)
		}
	}
}

// TestLongShapes checks long bodies of other shapes than one long string.
func TestLongShapes(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	text := func(n int) string {
		from := strings.Fields("a river runs where it must and the fox drinks from it internationally speaking nobody has it река течёт 河流流向它该去的地方")
		var b strings.Builder
		for b.Len() < n {
			b.WriteString(from[random.IntN(len(from))])
			b.WriteString([]string{" ", " ", `\n`, `\"`, ", "}[random.IntN(5)])
		}
		return b.String()
	}
	list := func(n int, item func() string) string {
		items := make([]string, n)
		for i := range items {
			items[i] = item()
		}
		return strings.Join(items, ",")
	}
	media := `{"type":"image_url","image_url":{"url":"data:image/png;base64,` + strings.Repeat("iVBORw0KGgoA", 30_000) + `"}}`
	message := func() string { return `{"role":"user","content":"` + text(300) + `"}` }
	tests := []struct {
		name, body string
		most       float64
	}{
		{"words", `{"input":[` + list(40_000, func() string { return `"` + text(8) + `"` }) + `]}`, 0.06},
		{"messages", `{"messages":[` + list(1500, message) + `]}`, 0.05},
		{"a short text before an image", `{"messages":[{"content":[{"text":"` + text(3000) + `"},` + media + `]}]}`, 0},
		{"a short text behind an image", `{"messages":[{"content":[` + media + `,{"text":"` + text(3000) + `"}]}]}`, 0},
		{"tools", `{"tools":[` + list(500, func() string {
			return `{"name":"f","description":"` + text(100) + `","parameters":{"type":"object","n":[1,2.5,true,null]}}`
		}) + `]}`, 0.05},
		{"spaced tools", `{"tools": [` + list(500, func() string {
			return `{"name": "f", "description": "` + text(100) + `", "parameters": {"type": "object", "n": [1, 2.5, true, null]}}`
		}) + `]}`, 0},
		{"tools cut off", `{"tools":[{"a":"b"},"` + text(300_000), 0.05},
		{"a file in a tool's input", `{"messages":[{"content":[{"type":"tool_use","input":{"path":"a","text":"` + text(300_000) + `"}}]}]}`, 0.05},
		{"cut off", `{"messages":[{"content":"` + text(300_000), 0.05},
		{"no JSON", text(300_000), 0.05},
		{"an error before the text", `{"messages":[oops, "` + text(300_000) + `"]}`, 0.05},
	}
	for _, tt := range tests {
		var f Features
		wantRequest := f.ReadRequest([]byte(tt.body))
		want := float64(f.Tokens(O200k) + f.media.tokens(gpt4o.vision))
		for seed := range uint64(5) {
			got := Reader{Seed: seed}.ReadRequest([]byte(tt.body))
			if got.Status != wantRequest.Status {
				t.Errorf("%s: %v, not %v", tt.name, got.Status, wantRequest.Status)
			}
			if e := float64(got.Input)/want - 1; e > tt.most || e < -tt.most {
				t.Errorf("%s: %d tokens, not %.0f: %+.1f%%", tt.name, got.Input, want, e*100)
			}
		}
	}
}
