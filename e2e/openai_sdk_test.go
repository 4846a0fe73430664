package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"sluice/e2e/envoy"
)

// openaiVersion is the SDK that is tested against.
const openaiVersion = "3.51.0"

// The official SDK chats, streams, waits for as long as our headers ask, and
// raises its rate limit error with our code.
func TestOpenAISDK(t *testing.T) {
	python := openaiPython(t)
	limit := func(n int, window string) setup {
		return setup{config: fmt.Sprintf(`{"limits": [{"name": "key-rpm", "scope": ["key"], "dimension": "requests", "limit": %d, "window": %q}]}`, n, window)}
	}
	sdk := func(t *testing.T, g *gateway, scenario string) []map[string]any {
		t.Helper()
		command := exec.CommandContext(t.Context(), python, filepath.Join("testdata", "openai_client.py"), g.url, "sk-sdk", scenario)
		var stderr bytes.Buffer
		command.Stderr = &stderr
		output, err := command.Output()
		if err != nil {
			t.Fatalf("%v: %s", err, stderr.String())
		}
		var said []map[string]any
		for line := range strings.Lines(string(output)) {
			var facts map[string]any
			if err := json.Unmarshal([]byte(line), &facts); err != nil {
				t.Fatalf("%v: %s", err, output)
			}
			said = append(said, facts)
		}
		return said
	}

	t.Run("chats", func(t *testing.T) {
		said := sdk(t, startGateway(t, limit(10, "1h")), "chat")
		if content, _ := said[0]["content"].(string); !strings.Contains(content, "word16") || said[0]["total_tokens"] == nil || said[1]["remaining"] != "8" {
			t.Errorf("%v", said)
		}
	})
	t.Run("streams", func(t *testing.T) {
		said := sdk(t, startGateway(t, limit(10, "1h")), "stream")
		if content, _ := said[0]["content"].(string); !strings.HasPrefix(content, "word1 ") || !strings.Contains(content, "word16") {
			t.Errorf("%v", said)
		}
	})
	t.Run("waits for retry-after", func(t *testing.T) {
		g := startGateway(t, limit(1, "3s"))
		said := sdk(t, g, "retry")
		// The SDK's own back-off begins at half a second.
		if waited := said[0]["waited"].(float64); waited < 1.5 || waited > 4.5 {
			t.Errorf("it waited %v s for the rest of 3 s", waited)
		}
		if n := g.provider.Count(); n != 2 {
			t.Errorf("the provider saw %d requests, want 2", n)
		}
	})
	t.Run("raises RateLimitError", func(t *testing.T) {
		g := startGateway(t, limit(1, "1h"))
		said := sdk(t, g, "refused")
		body, _ := said[0]["body"].(map[string]any)
		if said[0]["error"] != "RateLimitError" || said[0]["status"] != 429.0 || said[0]["code"] != "rate_limit_exceeded" ||
			said[0]["type"] != "rate_limit_error" || body["limit"] != "key-rpm" {
			t.Errorf("%v", said)
		}
		// An hour is longer than any client waits: x-should-retry says false,
		// and the SDK heeds it.
		if n := len(g.accessLog.all(t, 2)); n != 2 {
			t.Errorf("it sent %d requests, want 2: a retry was hopeless", n)
		}
	})
}

// openaiPython is a Python with the SDK, set up once in build/.
func openaiPython(t *testing.T) string {
	t.Helper()
	python, err := setUpOpenAI()
	if err != nil {
		t.Fatal(err)
	}
	return python
}

var setUpOpenAI = sync.OnceValues(func() (string, error) {
	root, err := envoy.Root()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(root, "build", "python", "openai-"+openaiVersion)
	python := filepath.Join(dir, "bin", "python")
	complete := filepath.Join(dir, "complete")
	if _, err := os.Stat(complete); err == nil {
		return python, nil
	}
	for _, command := range [][]string{
		{"python3", "-m", "venv", "--clear", dir},
		{python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "openai==" + openaiVersion},
	} {
		if output, err := exec.Command(command[0], command[1:]...).CombinedOutput(); err != nil {
			return "", fmt.Errorf("the test needs Python 3 with venv, and a package index that pip reaches: %s: %w: %s", strings.Join(command, " "), err, output)
		}
	}
	return python, os.WriteFile(complete, nil, 0o600)
})
