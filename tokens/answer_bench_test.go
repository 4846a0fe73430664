package tokens

import (
	"fmt"
	"strings"
	"testing"
)

// BenchmarkAnswer is what it costs to read an answer; a stream's time is that of
// 200 chunks.
func BenchmarkAnswer(b *testing.B) {
	var chunks [][]byte
	for i := range 200 {
		chunks = append(chunks, fmt.Appendf(nil, "data: {\"id\":\"chatcmpl-0123456789abcdef\",\"object\":\"chat.completion.chunk\",\"created\":1750000000,\"model\":\"gpt-4o-2024-08-06\","+
			"\"service_tier\":\"default\",\"system_fingerprint\":\"fp_0123456789\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\" word%d\"},\"logprobs\":null,\"finish_reason\":null}],\"usage\":null}\n\n", i))
	}
	usage := []byte("data: {\"choices\":[],\"usage\":{\"prompt_tokens\":7,\"completion_tokens\":200,\"total_tokens\":207}}\n\ndata: [DONE]\n\n")
	for _, counted := range []bool{false, true} {
		b.Run(fmt.Sprintf("stream/counted=%v", counted), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				a := NewAnswer("openai", "text/event-stream", "")
				if counted {
					a.CountOutput()
				}
				for _, chunk := range chunks {
					a.Write(chunk)
				}
				a.Write(usage)
				a.End()
				if u, _ := a.Usage(); u.Output != 200 || counted && a.Seen(O200k) < 200 {
					b.Fatal(u, a.Seen(O200k))
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(chunks)), "ns/chunk")
		})
	}
	b.Run("hidden", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			var h UsageHider
			for _, chunk := range chunks {
				h.Write(chunk, false)
			}
			if len(h.Write(usage, true)) != len("data: [DONE]\n\n") {
				b.Fatal("not hidden")
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(chunks)), "ns/chunk")
	})
	for name, body := range map[string]string{
		"chat of 2 kB":         `{"id":"c","model":"gpt-4o","choices":[{"message":{"content":"` + strings.Repeat("The quick brown fox. ", 90) + `"}}],"usage":{"prompt_tokens":7,"completion_tokens":200,"total_tokens":207}}`,
		"embeddings of 900 kB": `{"object":"list","data":[{"embedding":[` + strings.Repeat("0.0123456,", 90_000) + `0]}],"model":"m","usage":{"prompt_tokens":7,"completion_tokens":200,"total_tokens":207}}`,
	} {
		b.Run(name, func(b *testing.B) {
			piece := []byte(body)
			b.ReportAllocs()
			for b.Loop() {
				a := NewAnswer("openai", "application/json", "")
				for rest := piece; len(rest) > 0; {
					n := min(len(rest), 16<<10)
					a.Write(rest[:n])
					rest = rest[n:]
				}
				a.End()
				if u, _ := a.Usage(); u.Output != 200 {
					b.Fatal(u)
				}
			}
		})
	}
}
