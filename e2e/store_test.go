package e2e

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"sluice/e2e/envoy"
	"sluice/limits"
	"sluice/limits/limitstest"
)

// The shared data of a real Envoy is a Store as the engine needs it, and the
// engine's counts over it are exact, with workers of Envoy between which they
// race. The accesses are the filter's own, made by a plug-in in its place.
func TestSharedDataIsAStore(t *testing.T) {
	plugin := buildPlugin(t, "./e2e/testdata/store")
	g := startGateway(t, setup{own: true, edit: func(b *envoy.Bootstrap) { b.Binary(plugin) }})
	store := remoteStore{url: g.url, client: g.client}
	limitstest.TestStore(t, func() limits.Store { return store })

	if n := g.busyWorkers(t); n < 2 {
		t.Errorf("%d workers had connections: nothing raced", n)
	}
}

// buildPlugin builds a plug-in of this module, beside the filter, and is the
// path of the binary.
func buildPlugin(t *testing.T, pkg string, flags ...string) string {
	t.Helper()
	root, err := envoy.Root()
	if err != nil {
		t.Fatal(err)
	}
	binary := filepath.Join(t.TempDir(), "plugin.wasm")
	arguments := append([]string{"build", "-buildmode=c-shared", "-trimpath", "-ldflags=-s -w", "-o", binary}, flags...)
	build := exec.CommandContext(t.Context(), "go", append(arguments, pkg)...)
	build.Dir = root
	build.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm")
	if output, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%s does not build: %v\n%s", pkg, err, output)
	}
	return binary
}

// busyWorkers is how many workers have had a connection of a client.
func (g *gateway) busyWorkers(t *testing.T) (busy int) {
	t.Helper()
	page, err := g.Get(t.Context(), "/stats?filter=^listener\\..*worker_.*downstream_cx_total")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(page) {
		if !strings.HasSuffix(line, ": 0\n") && !strings.Contains(line, ".admin.") {
			busy++
		}
	}
	return busy
}

// remoteStore is the shared data of an Envoy with the plug-in in it.
type remoteStore struct {
	url    string
	client *http.Client
}

func (s remoteStore) Get(key []byte) ([]byte, uint32, error) {
	header, value, err := s.access("/get", key, 0, nil)
	if err != nil {
		return nil, 0, err
	}
	version, err := strconv.ParseUint(header.Get("x-version"), 10, 32)
	return value, uint32(version), err
}

func (s remoteStore) Create(key, value []byte) error {
	_, _, err := s.access("/create", key, 0, value)
	return err
}

func (s remoteStore) Swap(key, value []byte, version uint32) error {
	_, _, err := s.access("/swap", key, version, value)
	return err
}

func (s remoteStore) access(path string, key []byte, version uint32, value []byte) (http.Header, []byte, error) {
	// The suite ends its workers itself, and a Store has no context.
	req, err := http.NewRequestWithContext(context.Background(), http.MethodPost, s.url+path, bytes.NewReader(value))
	if err != nil {
		return nil, nil, err
	}
	req.Header.Set("x-key", hex.EncodeToString(key))
	req.Header.Set("x-version", strconv.FormatUint(uint64(version), 10))
	res, err := s.client.Do(req)
	if err != nil {
		return nil, nil, err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	switch {
	case err != nil:
		return nil, nil, err
	case res.StatusCode == http.StatusNotFound && path == "/get":
		return nil, nil, limits.ErrNotFound
	case res.StatusCode == http.StatusConflict && path != "/get":
		return nil, nil, limits.ErrConflict
	case res.StatusCode != http.StatusOK:
		return nil, nil, errors.Join(fmt.Errorf("%s: %s", path, res.Status), errors.New(string(body)))
	}
	return res.Header, body, nil
}
