package classify

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A recorded is a response as it was seen in public.
type recorded struct {
	ID        string            `json:"id"`
	Provider  string            `json:"provider"`
	Kind      string            `json:"kind"`
	Status    int               `json:"status"`
	Headers   map[string]string `json:"headers"`
	Body      json.RawMessage   `json:"body"`
	Class     string            `json:"expected_class"`
	Retryable *bool             `json:"retryable"`
	Wait      *float64          `json:"retry_after_seconds"`
	Ambiguous bool              `json:"ambiguous"`
}

// response is the recorded response as Classify is given it: of a stream's
// exception frame the headers and the payload.
func (r *recorded) response(t *testing.T) *Response {
	t.Helper()
	response := &Response{Provider: r.Provider, Status: r.Status, Now: time.Now()}
	for name, value := range r.Headers {
		response.Headers = append(response.Headers, [2]string{strings.ToLower(name), value})
	}
	var frame struct {
		Headers map[string]string `json:"eventstream_headers"`
		Payload json.RawMessage   `json:"payload"`
	}
	var text string
	switch {
	case json.Unmarshal(r.Body, &text) == nil:
		response.Body = []byte(text)
		if strings.HasPrefix(text, "event:") || strings.HasPrefix(text, "data:") {
			response.Body = ErrorEvent(response.Body)
		}
	case json.Unmarshal(r.Body, &frame) == nil && frame.Headers != nil:
		for name, value := range frame.Headers {
			response.Headers = append(response.Headers, [2]string{name, value})
		}
		response.Body = frame.Payload
	default:
		response.Body = r.Body
	}
	return response
}

// recordedCases are the recorded responses; the test is skipped without them.
func recordedCases(t *testing.T) []recorded {
	t.Helper()
	shared := os.Getenv("SLUICE_SHARED")
	dir, err := os.Getwd()
	for err == nil && shared == "" && dir != filepath.Dir(dir) {
		dir = filepath.Dir(dir)
		if _, err := os.Stat(filepath.Join(dir, "shared", "cases")); err == nil {
			shared = filepath.Join(dir, "shared")
		}
	}
	file, err := os.Open(filepath.Join(shared, "cases", "provider_responses.jsonl"))
	if err != nil {
		t.Skip("no recorded responses here")
	}
	defer file.Close()
	var cases []recorded
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var c recorded
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		cases = append(cases, c)
	}
	return cases
}

func TestRecordedRefusals(t *testing.T) {
	n := 0
	for _, c := range recordedCases(t) {
		if c.Kind != "error" && c.Kind != "stream_error" || c.Ambiguous {
			continue
		}
		n++
		for _, provider := range []string{c.Provider, ""} {
			response := c.response(t)
			response.Provider = provider
			got := Classify(response)
			if provider == "" {
				if got.Class.String() != c.Class {
					t.Errorf("%s, provider not told: %s by %q, want %s", c.ID, got.Class, got.Rule, c.Class)
				}
				continue
			}
			if got.Class.String() != c.Class {
				t.Errorf("%s: %s by %q, want %s", c.ID, got.Class, got.Rule, c.Class)
			}
			if c.Retryable != nil && got.Retryable != *c.Retryable {
				t.Errorf("%s: retryable %t", c.ID, got.Retryable)
			}
			switch {
			case got.Stated != (c.Wait != nil):
				t.Errorf("%s: wait %v %t", c.ID, got.Wait, got.Stated)
			case got.Stated && (got.Wait.Seconds() < *c.Wait-1 || got.Wait.Seconds() > *c.Wait+1):
				t.Errorf("%s: wait %v, want %v s", c.ID, got.Wait, *c.Wait)
			}
		}
	}
	if n == 0 {
		t.Error("no recorded refusal was tested")
	}
	t.Logf("%d recorded refusals", n)
}
