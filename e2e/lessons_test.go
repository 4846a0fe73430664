package e2e

import (
	"fmt"
	"net/http"
	"testing"
	"time"
)

// What models answer is learned, by whichever worker, and shared by all: after
// short answers less is reserved for the next, though never less than a quarter
// of the default.
func TestAnswersTeachWhatToReserve(t *testing.T) {
	const plenty, usual = 1_000_000_000, 1024
	g := startGateway(t, setup{config: fmt.Sprintf(`{"limits": [
		{"name": "out", "scope": ["key"], "dimension": "output_tokens", "limit": %d, "window": "1h"}]}`, plenty)})
	reserved := func(key string) int {
		t.Helper()
		r := g.do(t, request{key: key, header: http.Header{"X-Fake-Completion-Tokens": {"100"}}}).is(t, 200)
		return plenty - r.number(t, "x-ratelimit-remaining-output-tokens")
	}
	if got := reserved("first"); got != usual {
		t.Fatalf("%d tokens are reserved before anything is known, want %d", got, usual)
	}
	for i := range 40 {
		reserved(fmt.Sprint("teacher-", i))
	}
	// The workers hand over what they have seen once a second.
	deadline := time.Now().Add(patience)
	for i := 0; ; i++ {
		got := reserved(fmt.Sprint("pupil-", i))
		if got == usual/4 {
			break
		}
		if got != usual || time.Now().After(deadline) {
			t.Fatalf("%d tokens are reserved, want %d", got, usual/4)
		}
		time.Sleep(50 * time.Millisecond)
	}
}
