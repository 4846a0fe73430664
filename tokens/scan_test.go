package tokens

import (
	"bytes"
	"encoding/json"
	"testing"

	"pgregory.net/rapid"
)

// anyJSON draws a JSON value, nested at most depth deep.
func anyJSON(depth int) *rapid.Generator[any] {
	return rapid.Custom(func(t *rapid.T) any {
		most := 5
		if depth == 0 {
			most = 3
		}
		switch rapid.IntRange(0, most).Draw(t, "kind") {
		case 0:
			return rapid.SampledFrom([]any{nil, true, false}).Draw(t, "literal")
		case 1:
			return rapid.Float64().Draw(t, "number")
		case 2, 3:
			return rapid.String().Draw(t, "string")
		case 4:
			return rapid.SliceOfN(anyJSON(depth-1), 0, 4).Draw(t, "array")
		}
		return rapid.MapOfN(rapid.OneOf(rapid.String(), rapid.SampledFrom(keys)), anyJSON(depth-1), 0, 4).Draw(t, "object")
	})
}

// keys are some that lead to places of interest.
var keys = []string{
	"model", "messages", "content", "text", "tools", "input", "prompt", "contents", "parts", "system", "source",
	"type", "data", "max_tokens", "n", "stream", "stream_options", "include_usage", "image_url", "name",
	"response_format", "json_schema", "generationConfig", "args", "file", "toolConfig",
}

// FuzzReadRequest and the property tests compare with encoding/json, which
// reads deeper and knows no byte order marks, encodings or forms.
func agrees(t interface{ Fatalf(string, ...any) }, body []byte) {
	r := ReadRequest(body)
	valid := json.Valid(body)
	switch r.Status {
	case Readable:
		if !valid && !bytes.HasPrefix(body, []byte("\xEF\xBB\xBF")) {
			t.Fatalf("%q: taken for JSON", body)
		}
	case TooDeep:
	default:
		if valid {
			t.Fatalf("%q: %v", body, r.Status)
		}
	}
	if r.Input < 0 || r.MaxOutput < 0 || r.MaxOutput > MaxCount {
		t.Fatalf("%q: %+v", body, r)
	}
	// At most all bytes are text, each far below the dearest feature.
	if r.Input > 50+int64(len(body))*(FileTokens+20) {
		t.Fatalf("%q: %d tokens", body, r.Input)
	}
}

func TestAgreesWithEncodingJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		body, err := json.Marshal(anyJSON(4).Draw(t, "value"))
		if err != nil {
			t.Skip()
		}
		agrees(t, body)
		if rapid.Bool().Draw(t, "indent") {
			var b bytes.Buffer
			if json.Indent(&b, body, " ", "\t") == nil {
				agrees(t, b.Bytes())
			}
		}
		for n := rapid.IntRange(1, 4).Draw(t, "mutations"); n > 0; n-- {
			at := rapid.IntRange(0, len(body)-1).Draw(t, "at")
			body[at] = rapid.OneOf(rapid.Byte(), rapid.SampledFrom([]byte(`{}[]",:\u0-.eEtfn`))).Draw(t, "byte")
			agrees(t, body)
		}
		agrees(t, body[:rapid.IntRange(0, len(body)).Draw(t, "prefix")])
	})
}

// TestSameText checks that the strings of a prompt are counted as encoding/json
// reads them.
func TestSameText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		texts := rapid.SliceOf(rapid.String()).Draw(t, "texts")
		body, err := json.Marshal(map[string]any{"prompt": texts, "metadata": texts})
		if err != nil {
			t.Fatal(err)
		}
		var read struct{ Prompt []string }
		if err := json.Unmarshal(body, &read); err != nil {
			t.Fatal(err)
		}
		var got, want Features
		if r := got.ReadRequest(body); r.Status != Readable {
			t.Fatalf("%s: %v", body, r.Status)
		}
		for _, s := range read.Prompt {
			want.Add([]byte(s))
		}
		if got != want {
			t.Fatalf("%s: %d tokens, want %d", body, got.Tokens(O200k), want.Tokens(O200k))
		}
	})
}

// TestPrefixes reads every prefix of a body with everything in it.
func TestPrefixes(t *testing.T) {
	body := []byte(`{"model":"m\u00e9","messages":[{"role":"user","name":"x","content":[{"type":"text","text":"a \ud83d\ude00\n"},` +
		`{"type":"document","source":{"type":"text","data":"y"}}]}],"tools":[{"a":[1.5e-3,true,null]}],"max_tokens":1e2,"stream":false}`)
	for i := range body {
		if r := ReadRequest(body[:i]); r.Status != Truncated && i > 0 {
			t.Errorf("%s: %v", body[:i], r.Status)
		}
	}
	if r := ReadRequest(body); r.Status != Readable {
		t.Error(r.Status)
	}
}

func FuzzReadRequest(f *testing.F) {
	f.Add([]byte(`{"model":"m","messages":[{"role":"user","content":"Hello, \u00e9\ud83d\ude00 ---- \n\n  x"}],"max_tokens":1e2}`))
	f.Add([]byte(`{"tools":[{"name":"f","parameters":{"a":["b",1.5,null]}}],"prompt":[1,2,"c"],"input":{"messages":["d"]}}`))
	f.Add([]byte(`{"contents":[{"parts":[{"inlineData":{"data":"AAAA"}},{"text":"日本語 русский"}]}]}`))
	f.Add([]byte("\xFF\xFE{\x00"))
	f.Fuzz(func(t *testing.T, body []byte) { agrees(t, body) })
}
