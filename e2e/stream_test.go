package e2e

import (
	"bufio"
	"strings"
	"testing"

	"sluice/e2e/fakellm"
)

// The first event of a stream reaches the client before the second is produced
// (P23).
func TestStreamIsNotHeldBack(t *testing.T) {
	g := startGateway(t, setup{config: limitAll("requests", 10)})
	gate := make(chan struct{})
	g.provider.Next(fakellm.Script{Gate: gate})
	res, err := g.open(t, request{body: chat(`"stream":true`)})
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if res.StatusCode != 200 || res.Header.Get("x-ratelimit-remaining-requests") != "9" {
		t.Errorf("%s %v", res.Status, res.Header)
	}
	lines := bufio.NewScanner(res.Body)
	if !lines.Scan() || !strings.Contains(lines.Text(), `"role":"assistant"`) {
		t.Fatalf("the first event is %q, %v", lines.Text(), lines.Err())
	}
	close(gate) // Only now does the provider go on.
	var last string
	words := 0
	for lines.Scan() {
		words += strings.Count(lines.Text(), `"content":"word`)
		if lines.Text() != "" {
			last = lines.Text()
		}
	}
	if last != "data: [DONE]" || words != fakellm.DefaultCompletionTokens || lines.Err() != nil {
		t.Errorf("%d words, the last line %q, %v", words, last, lines.Err())
	}
}

// A client that leaves in the middle ends the provider's work, and the request
// is settled (P26).
func TestLeavingClientIsSettled(t *testing.T) {
	g := startGateway(t, setup{config: limitAll("tokens", 10000)})
	g.provider.Next(fakellm.Script{Gate: make(chan struct{})})
	res, err := g.open(t, request{body: chat(`"stream":true`, `"max_tokens":1000`)})
	if err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(res.Body).ReadString('\n'); err != nil || !strings.Contains(line, "assistant") {
		t.Fatalf("the first event is %q, %v", line, err)
	}
	res.Body.Close()
	g.await(t, func(seen []fakellm.Request) bool { return len(seen) == 1 && seen[0].Canceled })
	g.accessLog.line(t, 0).has(t, "decision", "allowed", "usage_source", "estimated")
}

// A stream that reports its usage, as OpenAI's do when asked, is settled to it.
func TestStreamThatReportsIsSettled(t *testing.T) {
	g := startGateway(t, setup{config: limitAll("tokens", 10000)})
	body := chat(`"stream":true`, `"stream_options":{"include_usage":true}`, `"max_tokens":1000`)
	g.provider.Next(fakellm.Script{PromptTokens: 7, CompletionTokens: 9})
	first := g.do(t, request{body: body}).is(t, 200).number(t, "x-ratelimit-remaining-tokens")
	g.accessLog.line(t, 0).has(t, "usage_source", "reported", "input_tokens", "7", "output_tokens", "9", "total_tokens", "16")
	second := g.do(t, request{body: body}).is(t, 200).number(t, "x-ratelimit-remaining-tokens")
	if first-second != 16 {
		t.Errorf("%d tokens were counted, want 16", first-second)
	}
}
