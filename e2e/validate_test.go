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
