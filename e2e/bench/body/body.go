// Package body makes request bodies to measure with.
package body

import "strings"

// snippets are what a prompt may be made of, as they stand in JSON.
var snippets = [...]string{
	"The quick brown fox jumps over the lazy dog, and then writes a short poem about rivers. ",
	"Nobody had an answer; they looked at each other and went home.\\n\\n",
	"\\\"Where is the parser's `state_table[7]` kept?\\\" asked the reviewer, aged 42. ",
	"    if err != nil {\\n        return fmt.Errorf(\\\"reading %s: %w\\\", name, err)\\n    }\\n",
	"2026-11-30T12:00:00Z INFO gateway request_id=9f86d081884c7d65 status=200 latency_ms=1234\\n",
	"Internationalization of the user interface is planned for the third quarter. ",
	"- Invoice 2026-0042: 1,299.00 EUR, due in 30 days\\n",
	"Die Brücke führt über den Fluss, und niemand weiß, wer sie gebaut hat. ",
}

// Chat returns a chat request of about so many bytes, always the same.
func Chat(size int) []byte {
	const (
		head = `{"model":"gpt-4o","messages":[{"role":"system","content":"You are a helpful assistant."},{"role":"user","content":"`
		tail = `"}],"max_tokens":256,"temperature":0.7}`
	)
	var b strings.Builder
	b.WriteString(head)
	// In a random order, lest the processor learns by heart what comes next.
	for random := uint32(1); b.Len() < size-len(tail); random = random*1664525 + 1013904223 {
		b.WriteString(snippets[random>>16%uint32(len(snippets))])
	}
	b.WriteString(tail)
	return []byte(b.String())
}
