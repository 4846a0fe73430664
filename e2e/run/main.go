// Command run is make run: it starts a fake provider and Envoy with the
// repository's envoy.yaml, prints what to try, and serves until Ctrl-C.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"sluice/e2e/envoy"
	"sluice/e2e/fakellm"
)

const (
	filter   = "build/sluice.wasm" // as the configuration names it
	envoyLog = "build/envoy.log"   // Envoy's own log; its access log goes to the terminal.

	// startTime bounds how long Envoy may take to serve. It compiles the filter.
	startTime = 3 * time.Minute
)

var config = flag.String("config", "", "the configuration to run (default the repository's envoy.yaml)")

func main() {
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx); err != nil && ctx.Err() == nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run serves until ctx ends.
func run(ctx context.Context) (err error) {
	root, err := envoy.Root()
	if err != nil {
		return err
	}
	if *config == "" {
		*config = "envoy.yaml"
	} else if *config, err = filepath.Abs(*config); err != nil { // where it was started, not in the root
		return err
	}
	// The configuration names the filter relative to the repository's root.
	if err := os.Chdir(root); err != nil {
		return err
	}
	if _, err := os.Stat(filter); err != nil {
		return fmt.Errorf("the filter is not built, run make build: %w", err)
	}
	path, err := envoy.Path(ctx)
	if err != nil {
		return err
	}
	bootstrap, err := envoy.LoadBootstrap(*config)
	if err != nil {
		return err
	}
	gateway, err := bootstrap.Address("gateway")
	if err != nil {
		return err
	}
	for _, addr := range []string{gateway, bootstrap.AdminAddress()} {
		if err := free(addr); err != nil {
			return err
		}
	}

	provider, err := startProvider(bootstrap)
	if err != nil {
		return err
	}
	if provider != nil {
		defer provider.Close()
	}
	fmt.Println("starting Envoy, which takes some seconds to compile the filter; its log is " + filepath.Join(root, envoyLog))
	process, err := startEnvoy(ctx, path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, process.Stop()) }()

	url, err := process.URL(ctx, "gateway")
	if err != nil {
		return err
	}
	fmt.Print(greeting(url, "http://"+process.Admin(), hasTriedLimit(*config)))
	select {
	case <-ctx.Done():
		fmt.Println("\nending")
		return nil
	case <-process.Exited():
		// The terminal's Ctrl-C may reach Envoy before it reaches us, and
		// then Envoy ends well.
		if err := process.Stop(); err != nil {
			return fmt.Errorf("envoy has ended, its log is %s: %w", envoyLog, err)
		}
		return nil
	}
}

// hasTriedLimit says whether a configuration has the limit that the greeting's
// lines go by.
func hasTriedLimit(config string) bool {
	text, err := os.ReadFile(config)
	return err == nil && bytes.Contains(text, []byte("key-tokens"))
}

// startProvider serves the fake provider where the configuration expects one on
// this machine. A provider elsewhere is a real one.
func startProvider(bootstrap *envoy.Bootstrap) (*fakellm.Server, error) {
	addr, err := bootstrap.Endpoint("provider")
	if err != nil {
		return nil, err
	}
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, err
	}
	if !net.ParseIP(host).IsLoopback() {
		return nil, nil
	}
	provider, err := fakellm.Start(addr)
	if err != nil {
		return nil, fmt.Errorf("%w\n%s expects the provider there: end what listens on it, or change %s", err, *config, *config)
	}
	return provider, nil
}

func startEnvoy(ctx context.Context, path string) (*envoy.Process, error) {
	if err := os.MkdirAll(filepath.Dir(envoyLog), 0o755); err != nil {
		return nil, err
	}
	log, err := os.Create(envoyLog) // Open until this process ends.
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	return envoy.Start(ctx, envoy.Options{
		Path: path, ConfigPath: *config, Out: os.Stdout, Log: log,
		// Else the access log lags a second behind what you try.
		Args: []string{"--file-flush-interval-msec", "100"},
	})
}

// free says whether addr can be listened on: Envoy's own message on a taken
// port names no remedy.
func free(addr string) error {
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return fmt.Errorf("%w\n%s has Envoy listen there: end what listens on it, or change %s", err, *config, *config)
	}
	return listener.Close()
}
