package e2e

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"hash/crc32"
	"math"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"sluice/classify"
	"sluice/e2e/envoy"
	"sluice/e2e/fakellm"
)

// recorded is a response that a provider gave.
type recorded struct {
	ID, Provider, Kind string
	Status             int
	Headers            map[string]string
	Body               json.RawMessage
	Class              string `json:"expected_class"`
	Retryable          bool
	Wait               *float64 `json:"retry_after_seconds"`
	Ambiguous          bool
}

// What providers have answered, a third of it, through Envoy: each refusal comes
// out as the error of its class, with the wait that it states, and everything
// else as it was.
func TestRecordedResponses(t *testing.T) {
	cases := recordings(t)
	g := startGateway(t, setup{config: `{}`})
	hosts := map[string]string{
		"openai": "api.openai.com", "azure": "x.openai.azure.com", "anthropic": "api.anthropic.com",
		"gemini": "generativelanguage.googleapis.com", "vertex": "aiplatform.googleapis.com",
		"bedrock": "bedrock-runtime.us-east-1.amazonaws.com", "xai": "api.x.ai", "dashscope": "dashscope.aliyuncs.com",
		"deepseek": "api.deepseek.com", "mistral": "api.mistral.ai", "minimax": "api.minimax.io", "kimi": "api.moonshot.ai",
		"groq": "api.groq.com", "cohere": "api.cohere.com", "together": "api.together.xyz", "fireworks": "api.fireworks.ai",
		"cerebras": "api.cerebras.ai", "openrouter": "openrouter.ai", "perplexity": "api.perplexity.ai",
	}
	for i, c := range cases {
		if i%3 != 0 {
			continue
		}
		t.Run(c.ID, func(t *testing.T) {
			body := c.onTheWire(t)
			header := http.Header{}
			for name, value := range c.Headers {
				header.Set(name, value)
			}
			g.provider.Use(func(fakellm.Request) fakellm.Script {
				return fakellm.Script{Status: c.Status, Header: header, Parts: []string{body}}
			})
			r := g.do(t, request{host: hosts[c.Provider]})

			if c.Class == "not_rate_limit" || strings.Contains(body, "message_start") { // it broke off later
				if r.is(t, c.Status); r.body != body {
					t.Errorf("the body is %q, want %q", r.body, body)
				}
				return
			}
			var p struct {
				Class, Source, Provider string
				RetryAfter              *int   `json:"retry_after"`
				WaitFrom                string `json:"retry_after_source"`
			}
			r.read(t, &p)
			if p.Class != c.Class || p.Source != "upstream" {
				t.Fatalf("%d %s, want %s", r.status, r.body, c.Class)
			}
			if provider, known := classify.Canonical(c.Provider); known && p.Provider != provider {
				t.Errorf("the provider is %s, want %s", p.Provider, provider)
			}
			waits := c.Class != "quota" && c.Class != "too_large"
			switch {
			case !waits:
				r.has(t, "retry-after", "", "retry-after-ms", "", "x-should-retry", "false")
			case c.Wait == nil:
				want := map[string]int{"throttle": 2, "overload": 2, "acceleration": 10}[c.Class]
				if got := r.number(t, "retry-after"); got != want || p.WaitFrom != "default" {
					t.Errorf("it waits %d s, %s, want %d by default", got, p.WaitFrom, want)
				}
			default:
				want := max(1, math.Ceil(*c.Wait))
				if got := float64(r.number(t, "retry-after")); math.Abs(got-want) > 1 || p.WaitFrom != "" {
					t.Errorf("it waits %v s, %s, want %v", got, p.WaitFrom, want)
				}
				r.has(t, "x-should-retry", strconv.FormatBool(r.number(t, "retry-after-ms") <= 60000))
			}
			for name := range r.header {
				if name := strings.ToLower(name); strings.Contains(name, "organization") || strings.Contains(name, "project") {
					t.Errorf("%s names the account behind the gateway", name)
				}
			}
		})
	}
}

// onTheWire is the body as the provider sends it. Of an event stream the
// recording has the frame's content.
func (c *recorded) onTheWire(t *testing.T) string {
	var text string
	if json.Unmarshal(c.Body, &text) == nil {
		return text
	}
	var frame struct {
		Headers map[string]string `json:"eventstream_headers"`
		Payload json.RawMessage
	}
	if json.Unmarshal(c.Body, &frame) != nil || frame.Headers == nil {
		return string(c.Body)
	}
	return string(eventStreamFrame(frame.Headers, frame.Payload))
}

// eventStreamFrame is a message of AWS's event stream:
// https://docs.aws.amazon.com/transcribe/latest/dg/streaming-setting-up.html.
func eventStreamFrame(headers map[string]string, payload []byte) []byte {
	var h []byte
	for name, value := range headers {
		h = append(append(h, byte(len(name))), name...)
		h = append(h, 7) // a string
		h = append(binary.BigEndian.AppendUint16(h, uint16(len(value))), value...)
	}
	b := binary.BigEndian.AppendUint32(nil, uint32(16+len(h)+len(payload)))
	b = binary.BigEndian.AppendUint32(b, uint32(len(h)))
	b = binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b))
	b = append(append(b, h...), payload...)
	return binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b))
}

// recordings are the refusals and errors that stand beside the project, where
// they do.
func recordings(t *testing.T) []recorded {
	t.Helper()
	root, err := envoy.Root()
	if err != nil {
		t.Fatal(err)
	}
	shared := os.Getenv("SLUICE_SHARED")
	if shared == "" {
		shared = filepath.Join(root, "..", "shared")
	}
	data, err := os.ReadFile(filepath.Join(shared, "cases", "provider_responses.jsonl"))
	if err != nil {
		t.Skip("no recorded responses beside the project")
	}
	var cases []recorded
	lines := bufio.NewScanner(bytes.NewReader(data))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var c recorded
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		if (c.Kind == "error" || c.Kind == "stream_error") && !c.Ambiguous {
			cases = append(cases, c)
		}
	}
	return cases
}
