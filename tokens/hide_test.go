package tokens

import (
	"bytes"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

const usageChunk = `data: {"id":"c","choices":[],"usage":{"prompt_tokens":7,"completion_tokens":16,"total_tokens":23}}`

// hideStreams are streams in which the part between « and » is to be hidden.
var hideStreams = map[string]string{
	"chat":                "data: {\"choices\":[{\"delta\":{\"content\":\"Hé\"}}],\"usage\":null}\n\n«" + usageChunk + "\n\n»data: [DONE]\n\n",
	"CRLF":                "data: {\"choices\":[{\"text\":\"a\"}]}\r\n\r\n«" + usageChunk + "\r\n\r\n»data: [DONE]\r\n\r\n",
	"CR":                  "data: {\"choices\":[{\"text\":\"a\"}]}\r\r«" + usageChunk + "\r\r»data: [DONE]\r\r",
	"mixed ends":          ": hi\r\n\ndata: {\"choices\":[]}\r\n\r«" + usageChunk + "\n\r»data: [DONE]\r\r\n",
	"in lines":            "«event: x\nid: 1\ndata: {\"choices\": [ ],\ndata: \"usage\":\ndata: {\"prompt_tokens\":1}}\n\n»data: [DONE]\n\n",
	"no space":            "«data:{\"usage\":{\"prompt_tokens\":1},\"choices\":[]}\n\n»data:[DONE]\n\n",
	"no last blank line":  "data: {}\n\n«" + usageChunk + "»",
	"last line end":       "data: {}\n\n«" + usageChunk + "\n»",
	"byte order mark":     "\xEF\xBB\xBFdata: {}\n\n«" + usageChunk + "\n\n»",
	"marked first":        "«\xEF\xBB\xBF" + usageChunk + "\n\n»data: [DONE]\n\n",
	"twice":               "«" + usageChunk + "\n\n" + usageChunk + "\n\n»: end\n\n",
	"usage beside choice": "data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}],\"usage\":{\"prompt_tokens\":1}}\n\ndata: [DONE]\n\n",
	"prompt filters":      "data: {\"choices\":[],\"prompt_filter_results\":[{\"index\":0}],\"usage\":null}\n\n",
	"an error":            "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":1},\"error\":{\"message\":\"x\"}}\n\n",
	"in a text":           "data: {\"choices\":[{\"text\":\"\\\"choices\\\":[],\\\"usage\\\":{}\"}]}\n\n",
	"Responses":           "event: response.completed\ndata: {\"type\":\"response.completed\",\"response\":{\"usage\":{\"input_tokens\":1}}}\n\n",
	"broken off":          "data: {\"choices\":[],\"usage\":{\"prompt_tok",
	"blank lines":         "\n\n\n: keep-alive\n\n\r\n\r\n",
	"too long":            "data: {\"choices\":[],\"x\":\"" + strings.Repeat("x", maxHeld) + "\",\"usage\":{}}\n\n«" + usageChunk + "\n\n»data: [DONE]\n\n",
	"empty":               "",
}

// hidden returns a stream without marks, and what is to be left of it.
func hidden(marked string) (stream []byte, left string) {
	before, rest, found := strings.Cut(marked, "«")
	if !found {
		return []byte(marked), marked
	}
	hide, after, _ := strings.Cut(rest, "»")
	return []byte(before + hide + after), before + after
}

func TestUsageHider(t *testing.T) {
	for name, marked := range hideStreams {
		stream, left := hidden(marked)
		if len(stream) > 10_000 {
			continue
		}
		for at := range len(stream) + 1 {
			var h UsageHider
			got := string(h.Write(stream[:at], false))
			got += string(h.Write(stream[at:], true))
			if got != left {
				t.Fatalf("%s, split at %d: %q", name, at, got)
			}
		}
		var h UsageHider
		var got []byte
		for i := range stream {
			got = append(got, h.Write(stream[i:i+1], false)...)
		}
		if got = append(got, h.Write(nil, true)...); string(got) != left {
			t.Fatalf("%s, byte by byte: %q", name, got)
		}
	}
}

func TestUsageHiderInAnyPieces(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.SampledFrom([]string{"CRLF", "mixed ends", "in lines", "too long", "twice"}).Draw(t, "stream")
		stream, left := hidden(hideStreams[name])
		var h UsageHider
		var got []byte
		for rest := stream; len(rest) > 0; {
			n := rapid.IntRange(1, max(1, len(rest)/2)).Draw(t, "n")
			piece := bytes.Clone(rest[:n])
			got = append(got, h.Write(piece, false)...)
			for i := range piece {
				piece[i] = 'x' // a piece is the caller's again
			}
			rest = rest[n:]
		}
		if got = append(got, h.Write(nil, true)...); string(got) != left {
			t.Fatalf("%s: %q", name, got)
		}
	})
}

// An event passes as soon as it is complete, and a piece of whole events is not
// copied.
func TestUsageHiderHoldsNoMoreThanOneEvent(t *testing.T) {
	var h UsageHider
	event := []byte("data: {\"choices\":[{\"text\":\"a\"}]}\n\n")
	if got := h.Write(event, false); &got[0] != &event[0] || len(got) != len(event) {
		t.Error("a whole event was copied")
	}
	if got := h.Write(append(event, "data: {"...), false); string(got) != string(event) {
		t.Errorf("%q", got)
	}
	if got := h.Write([]byte("}\n\n"), false); string(got) != "data: {}\n\n" {
		t.Errorf("%q", got)
	}
	total := 0
	for range 100 {
		total += len(h.Write(bytes.Repeat([]byte("x"), 10_000), false))
		if len(h.held) > maxHeld {
			t.Fatalf("%d bytes held", len(h.held))
		}
	}
	if total != 1_000_000 {
		t.Errorf("%d of 1000000 bytes have passed", total)
	}
}

func FuzzUsageHider(f *testing.F) {
	for _, marked := range hideStreams {
		if stream, _ := hidden(marked); len(stream) < 1000 {
			f.Add(stream, 3, 40)
		}
	}
	f.Fuzz(func(t *testing.T, stream []byte, a, b int) {
		a = max(0, min(a, len(stream)))
		b = max(a, min(b, len(stream)))
		var whole, split UsageHider
		want := string(whole.Write(stream, true))
		got := string(split.Write(stream[:a], false))
		got += string(split.Write(stream[a:b], false))
		got += string(split.Write(stream[b:], true))
		if got != want {
			t.Fatalf("%q, split %q", want, got)
		}
		if !bytes.Contains(stream, []byte(`"usage"`)) && want != string(stream) {
			t.Fatalf("%q became %q", stream, want)
		}
	})
}
