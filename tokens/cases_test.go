package tokens

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"hash/crc32"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// recordedCase is a response as a provider has sent it.
type recordedCase struct {
	ID       string
	Provider string
	Kind     string
	Headers  map[string]string
	Body     json.RawMessage
	Usage    *struct {
		Input  int64 `json:"input_tokens"`
		Output int64 `json:"output_tokens"`
		Total  int64 `json:"total_tokens"`
		Read   int64 `json:"cache_read_tokens"`
		Write  int64 `json:"cache_write_tokens"`
		Reason int64 `json:"reasoning_tokens"`
	} `json:"expected_usage"`
}

// recordedCases reads those of the given kinds. The test is skipped where there
// are none.
func recordedCases(t *testing.T, kinds ...string) []recordedCase {
	t.Helper()
	folder := os.Getenv("SLUICE_SHARED")
	for up := "."; folder == "" && len(up) < 32; up = filepath.Join(up, "..") {
		if _, err := os.Stat(filepath.Join(up, "shared", "cases")); err == nil {
			folder = filepath.Join(up, "shared")
		}
	}
	file, err := os.Open(filepath.Join(folder, "cases", "provider_responses.jsonl"))
	if err != nil {
		t.Skip("no recorded responses")
	}
	defer file.Close()
	var found []recordedCase
	for lines := bufio.NewReader(file); ; {
		line, err := lines.ReadBytes('\n')
		if len(bytes.TrimSpace(line)) > 0 {
			var c recordedCase
			if err := json.Unmarshal(line, &c); err != nil {
				t.Fatal(err)
			}
			for _, kind := range kinds {
				if c.Kind == kind {
					found = append(found, c)
				}
			}
		}
		if err != nil {
			return found
		}
	}
}

// wire is the body as it came.
func (c *recordedCase) wire(t *testing.T) []byte {
	t.Helper()
	var text string
	if json.Unmarshal(c.Body, &text) == nil {
		return []byte(text)
	}
	var described struct {
		Headers map[string]string `json:"eventstream_headers"`
		Payload json.RawMessage
	}
	if err := json.Unmarshal(c.Body, &described); err == nil && described.Headers != nil {
		return encodeMessage(described.Headers, described.Payload)
	}
	return c.Body
}

// encodeMessage writes a message of AWS's encoding.
func encodeMessage(headers map[string]string, payload []byte) []byte {
	var head []byte
	for name, value := range headers {
		head = append(head, byte(len(name)))
		head = append(head, name...)
		head = append(head, stringValue)
		head = binary.BigEndian.AppendUint16(head, uint16(len(value)))
		head = append(head, value...)
	}
	return encodeRaw(head, payload)
}

// encodeRaw is encodeMessage for headers that are encoded already.
func encodeRaw(head, payload []byte) []byte {
	b := binary.BigEndian.AppendUint32(nil, uint32(preludeBytes+len(head)+len(payload)+crcBytes))
	b = binary.BigEndian.AppendUint32(b, uint32(len(head)))
	b = binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b))
	b = append(append(b, head...), payload...)
	return binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b))
}

func (c *recordedCase) read(t *testing.T, pieces ...[]byte) Answer {
	t.Helper()
	a := NewAnswer(c.Provider, c.Headers["content-type"], c.Headers["content-encoding"])
	for name, value := range c.Headers {
		a.Header(strings.ToLower(name), value)
	}
	for _, piece := range pieces {
		a.Write(piece)
	}
	a.End()
	return a
}

func TestRecordedUsage(t *testing.T) {
	for _, c := range recordedCases(t, "usage") {
		t.Run(c.ID, func(t *testing.T) {
			body := c.wire(t)
			want := Usage{c.Usage.Input, c.Usage.Output, c.Usage.Total, c.Usage.Read, c.Usage.Write, c.Usage.Reason}
			for at := range len(body) {
				a := c.read(t, body[:at], body[at:])
				if got, reason := a.Usage(); got != want || reason != "" {
					t.Fatalf("split at %d: got %+v %s, want %+v", at, got, reason, want)
				}
				if a.Failure() != nil {
					t.Fatalf("failure %s", a.Failure().Body)
				}
			}
			// The rules do not need the provider's name where the report itself tells.
			c.Provider = ""
			if got, _ := c.readAll(t, body); got != want {
				t.Errorf("without provider %+v, want %+v", got, want)
			}
		})
	}
}

func (c *recordedCase) readAll(t *testing.T, body []byte) (Usage, Reason) {
	a := c.read(t, body)
	return a.Usage()
}

func TestRecordedFailures(t *testing.T) {
	for _, c := range recordedCases(t, "stream_error") {
		t.Run(c.ID, func(t *testing.T) {
			body := c.wire(t)
			whole := c.read(t, body)
			f := whole.Failure()
			if f == nil {
				t.Fatal("no failure")
			}
			t.Logf("%s %d %v %s", f.Name, f.Status, f.AfterContent, f.Body)
			if !json.Valid(f.Body) {
				t.Errorf("%s", f.Body)
			}
			if u, reason := whole.Usage(); reason == "" {
				t.Errorf("usage %+v", u)
			}
			late := strings.HasPrefix(string(body), "event: message_start")
			if f.AfterContent != late {
				t.Errorf("after content: %v", f.AfterContent)
			}
			for at := range len(body) {
				a := NewAnswer(c.Provider, c.Headers["content-type"], "")
				a.Write(body[:at])
				if !late && a.Started() && a.Failure() == nil {
					t.Fatalf("its first %d bytes start it", at)
				}
				a.Write(body[at:])
				a.End()
				_, _ = a.Usage()
				if g := a.Failure(); g == nil || string(g.Body) != string(f.Body) || g.AfterContent != f.AfterContent || g.Name != f.Name {
					t.Fatalf("split at %d: %+v", at, g)
				}
			}
		})
	}
}
