package tokens

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// streams are streams and what they report; "" reports nothing.
var streams = map[string]struct {
	text string
	want Usage
	ok   bool
}{
	"chat, usage null until the end": {
		"data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}],\"usage\":null}\n\n" +
			"data: {\"choices\":[],\"usage\":{\"prompt_tokens\":7,\"completion_tokens\":16,\"total_tokens\":23}}\n\n" +
			"data: [DONE]\n\n", Usage{Input: 7, Output: 16, Total: 23}, true},
	"no last blank line":  {"data: {\"usage\":{\"prompt_tokens\":1,\"completion_tokens\":2}}", Usage{Input: 1, Output: 2, Total: 3}, true},
	"no space":            {"data:{\"usage\":{\"prompt_tokens\":1,\"completion_tokens\":2}}\n\n", Usage{Input: 1, Output: 2, Total: 3}, true},
	"CRLF":                {"data: {\"usage\":{\"prompt_tokens\":1,\"completion_tokens\":2}}\r\n\r\ndata: [DONE]\r\n\r\n", Usage{Input: 1, Output: 2, Total: 3}, true},
	"CR":                  {"data: {\"usage\":{\"prompt_tokens\":1,\"completion_tokens\":2}}\r\rdata: [DONE]\r\r", Usage{Input: 1, Output: 2, Total: 3}, true},
	"data in lines":       {"event: x\n: comment\ndata: {\"usage\":\ndata: {\"prompt_tokens\":1,\ndata: \"completion_tokens\":2}}\nid: 1\n\n", Usage{Input: 1, Output: 2, Total: 3}, true},
	"sums so far":         {"data: {\"usage\":{\"prompt_tokens\":1,\"completion_tokens\":2}}\n\ndata: {\"usage\":{\"prompt_tokens\":1,\"completion_tokens\":9}}\n\n", Usage{Input: 1, Output: 9, Total: 10}, true},
	"Responses":           {"event: response.completed\ndata: {\"type\":\"response.completed\",\"response\":{\"usage\":{\"input_tokens\":11,\"output_tokens\":7,\"total_tokens\":18},\"id\":\"r\"}}\n\n", Usage{Input: 11, Output: 7, Total: 18}, true},
	"none":                {"data: {\"choices\":[]}\n\ndata: [DONE]\n\n", Usage{}, false},
	"only in a text":      {"data: {\"choices\":[{\"delta\":{\"content\":\"\\\"usage\\\":{\\\"prompt_tokens\\\":9}\"}}]}\n\n", Usage{}, false},
	"not data":            {"usage: {\"usage\":{\"prompt_tokens\":1}}\n\n", Usage{}, false},
	"a line too long":     {"data: {\"usage\":{\"prompt_tokens\":1},\"x\":\"" + strings.Repeat("x", MaxEvent) + "\"}\n\n", Usage{}, false},
	"an event too long":   {strings.Repeat("data: "+strings.Repeat("x", 1000)+"\n", 70) + "data: \"usage\"\n\n", Usage{}, false},
	"behind one too long": {"data: " + strings.Repeat("x", 2*MaxEvent) + "\n\ndata: {\"usage\":{\"prompt_tokens\":1,\"completion_tokens\":2}}\n\n", Usage{Input: 1, Output: 2, Total: 3}, true},
	"empty":               {"", Usage{}, false},
}

func TestEvents(t *testing.T) {
	for name, c := range streams {
		var e Events
		e.Write([]byte(c.text))
		if u, ok := e.Usage(); u != c.want || ok != c.ok {
			t.Errorf("%s: %+v %v", name, u, ok)
		}
	}
}

// However a stream is split, it reports the same.
func TestEventsAreTheSameInAnyPieces(t *testing.T) {
	for name, c := range streams {
		if len(c.text) > 1000 {
			continue
		}
		for at := range len(c.text) {
			var e Events
			e.Write([]byte(c.text[:at]))
			e.Write([]byte(c.text[at:]))
			if u, ok := e.Usage(); u != c.want || ok != c.ok {
				t.Fatalf("%s, split at %d: %+v %v", name, at, u, ok)
			}
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		c := streams[rapid.SampledFrom([]string{"CRLF", "CR", "data in lines", "a line too long", "an event too long", "behind one too long"}).Draw(t, "stream")]
		var e Events
		for rest := c.text; rest != ""; {
			n := rapid.IntRange(1, max(1, len(rest)/2)).Draw(t, "n")
			piece := []byte(rest[:n])
			e.Write(piece)
			for i := range piece {
				piece[i] = 'x' // a piece is the caller's again
			}
			rest = rest[n:]
		}
		if u, ok := e.Usage(); u != c.want || ok != c.ok {
			t.Fatalf("%+v %v", u, ok)
		}
	})
}

func FuzzEvents(f *testing.F) {
	for _, c := range streams {
		if len(c.text) < 1000 {
			f.Add([]byte(c.text), 3)
		}
	}
	f.Fuzz(func(t *testing.T, text []byte, at int) {
		var whole, split Events
		whole.Write(text)
		at = max(0, min(at, len(text)))
		split.Write(text[:at])
		split.Write(text[at:])
		u, ok := whole.Usage()
		if v, found := split.Usage(); v != u || found != ok {
			t.Fatalf("%+v %v, split %+v %v", u, ok, v, found)
		}
	})
}
