package main

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"sluice/e2e/bench/body"
	"sluice/tokens"
)

var estimateSizes = []int{2_000, 16_000, 64_000, 450_000}

//go:embed v8.mjs
var v8Script string

// estimates prints what it costs to read a request, natively and in V8, which runs
// the filter in Envoy. The fastest of many turns counts.
func estimates(ctx context.Context, root string) error {
	fmt.Println("reading a request: its model, its limits, and the estimate of its input")
	inV8, err := timeInV8(ctx, root)
	if errors.Is(err, exec.ErrNotFound) {
		fmt.Println("(no node here, so nothing is measured in V8)")
	} else if err != nil {
		return err
	}
	fmt.Println("   bytes        native               V8")
	for i, size := range estimateSizes {
		request := body.Chat(size)
		line := fmt.Sprintf("%8d %s", len(request), cost(timeNatively(request), len(request)))
		if inV8 != nil {
			line += cost(inV8[i], len(request))
		}
		fmt.Println(line)
	}
	fmt.Println()
	return nil
}

func cost(d time.Duration, size int) string {
	return fmt.Sprintf("%8.1fµs %4.0f MB/s", float64(d)/1e3, float64(size)/float64(d)*1e3)
}

func timeNatively(request []byte) time.Duration {
	times := 400_000/len(request) + 1
	best := time.Hour
	for range 200 {
		start := time.Now()
		for range times {
			tokens.ReadRequest(request)
		}
		best = min(best, time.Since(start)/time.Duration(times))
	}
	return best
}

// timeInV8 builds the guest and times it in node.
func timeInV8(ctx context.Context, root string) ([]time.Duration, error) {
	if _, err := exec.LookPath("node"); err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "sluice-bench")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // It is temporary.
	guest := filepath.Join(dir, "guest.wasm")
	build := exec.CommandContext(ctx, "go", "build", "-buildmode=c-shared", "-o", guest, "./e2e/bench/guest")
	build.Dir = root
	build.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm")
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		return nil, fmt.Errorf("building the guest: %w", err)
	}
	arguments := []string{guest}
	for _, size := range estimateSizes {
		arguments = append(arguments, strconv.Itoa(size))
	}
	node := exec.CommandContext(ctx, "node", append([]string{"--no-warnings", "--input-type=module", "-e", v8Script, "--"}, arguments...)...)
	node.Env = append(os.Environ(), "ARGUMENTS="+strconv.Itoa(len(arguments)))
	node.Stderr = os.Stderr
	out, err := node.Output()
	if err != nil {
		return nil, fmt.Errorf("node: %w", err)
	}
	var times []time.Duration
	for _, line := range strings.Fields(string(out)) {
		ns, err := strconv.ParseInt(line, 10, 64)
		if err != nil {
			return nil, err
		}
		times = append(times, time.Duration(ns))
	}
	if len(times) != len(estimateSizes) {
		return nil, fmt.Errorf("node printed %q", out)
	}
	return times, nil
}
