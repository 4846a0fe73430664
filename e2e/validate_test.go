package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"sluice/e2e/envoy"
)

// envoy.yaml is valid as it stands, and with the real provider that stands
// commented in it.
func TestShippedConfigurationIsValid(t *testing.T) {
	shipped := readShipped(t)
	// Validating takes the listener's port, and this one may be in use.
	validate(t, strings.Replace(shipped, "port_value: 10000", "port_value: 0", 1))
}

func TestShippedRealProviderIsValid(t *testing.T) {
	path := filepath.Join(t.TempDir(), "envoy.yaml")
	if err := os.WriteFile(path, []byte(withRealProvider(t, readShipped(t))), 0o600); err != nil {
		t.Fatal(err)
	}
	b, err := envoy.LoadBootstrap(path)
	if err != nil {
		t.Fatal(err)
	}
	b.FreePorts()
	b.Without("wasm.v3.Wasm") // It is the same, and takes seconds to compile.
	validate(t, string(b.JSON()))
}

// So is the example of retries, with real providers as its comments tell.
func TestRetryExampleWithRealProvidersIsValid(t *testing.T) {
	root, err := envoy.Root()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(root, "examples", "retry-fallback", "envoy.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	before, commented, found := strings.Cut(string(text), "    # transport_socket:\n")
	if !found {
		t.Fatal("the example has no TLS")
	}
	config := before + "    transport_socket:\n" + regexp.MustCompile(`(?m)^    # `).ReplaceAllString(commented, "    ")
	for _, change := range [][2]string{
		{"type: STATIC\n", "type: STRICT_DNS\n"},
		{"hostname: first.example.com", "hostname: api.openai.com"}, {"address: 127.0.0.1, port_value: 8080", "address: api.openai.com, port_value: 443"},
		{"hostname: second.example.com", "hostname: api.groq.com"}, {"address: 127.0.0.1, port_value: 8081", "address: api.groq.com, port_value: 443"},
	} {
		if strings.Count(config, change[0]) != 1 {
			t.Fatalf("the example has not one %q", change[0])
		}
		config = strings.Replace(config, change[0], change[1], 1)
	}
	path := filepath.Join(t.TempDir(), "envoy.yaml")
	if err := os.WriteFile(path, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	b, err := envoy.LoadBootstrap(path)
	if err != nil {
		t.Fatal(err)
	}
	b.FreePorts()
	b.Without("wasm.v3.Wasm") // It is the same, and takes seconds to compile.
	validate(t, string(b.JSON()))
}

func readShipped(t *testing.T) string {
	t.Helper()
	root, err := envoy.Root()
	if err != nil {
		t.Fatal(err)
	}
	config, err := os.ReadFile(filepath.Join(root, "envoy.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	return string(config)
}

// validate lets Envoy check a configuration, which runs the filter's start (P19).
func validate(t *testing.T, config string) {
	t.Helper()
	filterBinary(t)
	root, err := envoy.Root()
	if err != nil {
		t.Fatal(err)
	}
	binary, err := envoy.Path(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "validate.yaml")
	if err := os.WriteFile(path, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	command := exec.CommandContext(t.Context(), binary, "--mode", "validate", "-c", path)
	command.Dir = root
	if output, err := command.CombinedOutput(); err != nil || alarming.Match(output) {
		t.Errorf("%v: %s", err, output)
	}
}

// withRealProvider puts the commented cluster in the place of the fake one, as
// the comments tell to.
func withRealProvider(t *testing.T, config string) string {
	t.Helper()
	before, clusters, _ := strings.Cut(config, "  clusters:\n")
	_, commented, found := strings.Cut(clusters, "# A real provider")
	if !found {
		t.Fatal("envoy.yaml has no real provider")
	}
	_, commented, _ = strings.Cut(commented, "\n  #\n")
	return before + "  clusters:\n" + regexp.MustCompile(`(?m)^  # `).ReplaceAllString(commented, "  ")
}
