package e2e

import (
	"bytes"
	"encoding/json"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// OpenAI's SDK chats, streams, and shows our headers. What it and others do when
// they are refused is in TestSDKs.
func TestOpenAISDK(t *testing.T) {
	python, err := pythonSDKs()
	if err != nil {
		t.Fatal(err)
	}
	limits := setup{config: `{"limits": [{"name": "key-rpm", "scope": ["key"], "dimension": "requests", "limit": 10, "window": "1h"}]}`}
	call := func(t *testing.T, g *gateway, scenario string) []map[string]any {
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
		said := call(t, startGateway(t, limits), "chat")
		if content, _ := said[0]["content"].(string); !strings.Contains(content, "word16") || said[0]["total_tokens"] == nil || said[1]["remaining"] != "8" {
			t.Errorf("%v", said)
		}
	})
	t.Run("streams", func(t *testing.T) {
		said := call(t, startGateway(t, limits), "stream")
		if content, _ := said[0]["content"].(string); !strings.HasPrefix(content, "word1 ") || !strings.Contains(content, "word16") {
			t.Errorf("%v", said)
		}
	})
}
