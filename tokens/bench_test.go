package tokens

import (
	"strconv"
	"strings"
	"testing"
)

// chatBody returns a chat request of about n bytes.
func chatBody(n int) []byte {
	text := strings.Repeat("The quick brown fox, aged 12, said:\\n\\\"Where is the parser's `state_table[7]` kept?\\\" "+
		"Nobody had an answer; they looked at each other and went home.\\n\\n    if err != nil {\\n        return err\\n    }\\n", n/200+1)
	head := `{"model":"gpt-4o-mini","messages":[{"role":"system","content":"You are a helpful assistant."},{"role":"user","content":"`
	tail := `"}],"max_tokens":256,"temperature":0.2,"stream":true,"stream_options":{"include_usage":true}}`
	size := max(n-len(head)-len(tail), 0)
	for text[size-1] == '\\' {
		size--
	}
	return []byte(head + text[:size] + tail)
}

func BenchmarkReadRequest(b *testing.B) {
	for _, size := range []int{2_000, 20_000, 450_000} {
		body := chatBody(size)
		b.Run(strconv.Itoa(size/1000)+"kB", func(b *testing.B) {
			b.SetBytes(int64(len(body)))
			b.ReportAllocs()
			for b.Loop() {
				if r := ReadRequest(body); r.Status != Readable {
					b.Fatal(r.Status)
				}
			}
		})
	}
}
