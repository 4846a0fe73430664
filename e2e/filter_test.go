package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"sluice/e2e/envoy"
)

// filterBinary builds the filter, once a run, and is the path of the binary.
func filterBinary(t *testing.T) string {
	t.Helper()
	path, err := buildFilter()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

var buildFilter = sync.OnceValues(func() (string, error) {
	root, err := envoy.Root()
	if err != nil {
		return "", err
	}
	binary := filepath.Join(root, "build", "sluice.wasm")
	if err := os.MkdirAll(filepath.Dir(binary), 0o755); err != nil {
		return "", err
	}
	// Others may build or run the same file at this moment, so it is moved
	// into place when it is complete.
	scratch, err := os.MkdirTemp(filepath.Dir(binary), "filter-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(scratch)
	next := filepath.Join(scratch, "sluice.wasm")
	build := exec.Command("go", "build", "-buildmode=c-shared", "-trimpath", "-ldflags=-s -w", "-o", next, "./filter")
	build.Dir = root
	build.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm")
	if output, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("the filter does not build: %w\n%s", err, output)
	}
	return binary, os.Rename(next, binary)
})
