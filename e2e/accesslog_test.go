package e2e

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"
)

// accessLog is Envoy's access log, a file of JSON lines.
type accessLog struct{ path string }

// entry is a line of the access log, as envoy.yaml names its fields. What does
// not apply is absent.
type entry map[string]any

// line awaits the n-th line, from 0.
func (l *accessLog) line(t *testing.T, n int) entry {
	t.Helper()
	return l.all(t, n+1)[n]
}

// all awaits at least so many lines. Envoy writes them some time after the
// response and announces nothing, so the file is read again and again.
func (l *accessLog) all(t *testing.T, atLeast int) []entry {
	t.Helper()
	deadline := time.Now().Add(patience)
	for {
		text, err := os.ReadFile(l.path)
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		lines := strings.SplitAfter(string(text), "\n")
		lines = lines[:len(lines)-1] // The last one is empty, or not complete.
		if len(lines) >= atLeast {
			entries := make([]entry, len(lines))
			for i, line := range lines {
				entries[i] = readEntry(t, line)
			}
			return entries
		}
		if time.Now().After(deadline) {
			t.Fatalf("the access log has fewer than %d lines: %s", atLeast, text)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

func readEntry(t *testing.T, line string) entry {
	t.Helper()
	var e entry
	if err := json.Unmarshal([]byte(line), &e); err != nil {
		t.Fatalf("access log: %v: %s", err, line)
	}
	for name, value := range e {
		if value == nil {
			delete(e, name)
		}
	}
	return e
}

// has reports where the entry differs from what is wanted, as name, value pairs;
// the value nil means absent.
func (e entry) has(t *testing.T, want ...any) {
	t.Helper()
	for i := 0; i < len(want); i += 2 {
		name := want[i].(string)
		if got := e[name]; got != want[i+1] {
			t.Errorf("access log: %s is %v, want %v", name, got, want[i+1])
		}
	}
}
