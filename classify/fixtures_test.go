package classify

import (
	"strings"
	"testing"
	"time"
)

// A fixture is a response and what it means. Fixtures are written for these
// tests in the shapes of the providers' documents.
type fixture struct {
	name     string
	provider string // of whose rules it is told; "": detected
	status   int
	headers  string // "name: value" a line
	body     string

	class     Class
	dimension string
	numbers   string        // "limit remaining requested", "-" where one is not stated
	wait      time.Duration // 0: none is stated
	passing   bool          // of NotRateLimit: an ordinary failure of the server
}

// fixtureNow is when the fixtures came.
var fixtureNow = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

func (f *fixture) response() *Response {
	r := &Response{Provider: f.provider, Status: f.status, Body: []byte(f.body), Now: fixtureNow}
	for line := range strings.Lines(f.headers) {
		// The name of a frame's header begins with a colon.
		if i := strings.Index(line, ": "); i > 0 {
			r.Headers = append(r.Headers, [2]string{line[:i], strings.TrimSpace(line[i+2:])})
		}
	}
	return r
}

func runFixtures(t *testing.T, fixtures []fixture) {
	t.Helper()
	for _, f := range fixtures {
		t.Run(f.provider+" "+f.name, func(t *testing.T) {
			got := Classify(f.response())
			if got.Class != f.class {
				t.Fatalf("%s by %q, want %s", got.Class, got.Rule, f.class)
			}
			if want := retryable(f.class) || f.passing; got.Retryable != want {
				t.Errorf("retryable %t by %q", got.Retryable, got.Rule)
			}
			if got.Dimension != f.dimension {
				t.Errorf("dimension %q, want %q", got.Dimension, f.dimension)
			}
			if got.Stated != (f.wait != 0) || got.Wait != f.wait {
				t.Errorf("wait %v %t, want %v", got.Wait, got.Stated, f.wait)
			}
			stated := strings.NewReplacer("  ", " - ").Replace(" " + got.Limit + " " + got.Remaining + " " + got.Requested + " ")
			stated = strings.TrimSpace(strings.ReplaceAll(stated, "  ", " - "))
			if f.numbers != "" && stated != f.numbers {
				t.Errorf("numbers %q, want %q", stated, f.numbers)
			}
		})
	}
}
