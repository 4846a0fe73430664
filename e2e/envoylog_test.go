package e2e

import (
	"regexp"
	"strings"
	"sync"
	"testing"
)

// envoyLog takes what Envoy logs.
type envoyLog struct {
	mu   sync.Mutex
	text []byte
}

func (l *envoyLog) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.text = append(l.text, b...)
	return len(b), nil
}

func (l *envoyLog) from(start int) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return string(l.text[start:])
}

// logView is what Envoy logs from a scenario's start on.
type logView struct {
	log   *envoyLog
	start int
}

func (v *logView) String() string { return v.log.from(v.start) }

// alarming are lines that no scenario may cause without saying so: a crash of
// the filter, or Envoy giving up on it.
var alarming = regexp.MustCompile(`Uncaught|panic|fatal error|\[critical\]`)

// view begins a scenario's part of the log. When the scenario has ended, it
// fails the test at alarming lines that expect does not match, and shows the log
// if the test failed.
func (l *envoyLog) view(t *testing.T, expect string) *logView {
	v := &logView{log: l, start: len(l.from(0))}
	t.Cleanup(func() {
		log := v.String()
		for line := range strings.Lines(log) {
			if alarming.MatchString(line) && (expect == "" || !regexp.MustCompile(expect).MatchString(line)) {
				t.Errorf("Envoy's log: %s", line)
			}
		}
		if t.Failed() {
			t.Logf("Envoy's log:\n%s", log)
		}
	})
	return v
}
