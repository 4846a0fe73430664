package e2e

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"sluice/e2e/envoy"
)

// The main job, one command: it serves, the printed lines give what they
// promise, and Ctrl-C leaves no process.
func TestRunServesAndEndsCleanly(t *testing.T) {
	filterBinary(t)
	root, err := envoy.Root()
	if err != nil {
		t.Fatal(err)
	}
	command := filepath.Join(t.TempDir(), "run")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", command, "./e2e/run")
	build.Dir = root
	if output, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, output)
	}

	var stderr bytes.Buffer
	run := exec.CommandContext(t.Context(), command, "-config", onFreePorts(t, root))
	run.Dir = root
	run.Stderr = &stderr
	// A process group of its own, as a terminal gives.
	run.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	stdout, err := run.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := run.Start(); err != nil {
		t.Fatal(err)
	}
	ended := false
	defer func() {
		if !ended {
			syscall.Kill(-run.Process.Pid, syscall.SIGKILL) //nolint:errcheck // It may have ended.
			run.Wait()                                      //nolint:errcheck // It was killed.
		}
	}()

	var curls []string
	output := bufio.NewScanner(stdout)
	for len(curls) < 3 && output.Scan() {
		if strings.HasPrefix(output.Text(), "curl ") {
			curls = append(curls, output.Text())
		}
	}
	if len(curls) < 3 {
		t.Fatalf("it printed %d curl lines: %s", len(curls), stderr.String())
	}
	go io.Copy(io.Discard, stdout) //nolint:errcheck // The access log.

	// The third is the second again, a retry-after later; curl itself waits.
	for i, want := range []struct {
		status  string
		headers []string
	}{
		{"200 OK", []string{"x-ratelimit-limit-tokens: 2000", "x-ratelimit-remaining-requests: 4"}},
		{"429 Too Many Requests", []string{"retry-after: ", "x-ratelimit-limit-tokens: 2000", `"class":"throttle"`}},
		{"200 OK", []string{"x-ratelimit-limit-tokens: 2000"}},
	} {
		answer, err := exec.CommandContext(t.Context(), "sh", "-c", curls[i]).Output()
		if err != nil {
			t.Fatalf("%s: %v", curls[i], err)
		}
		last := answer[max(0, bytes.LastIndex(answer, []byte("HTTP/1.1 "))):]
		if !bytes.HasPrefix(last, []byte("HTTP/1.1 "+want.status)) {
			t.Fatalf("%s gives %s, want %s", curls[i], last, want.status)
		}
		for _, header := range want.headers {
			if !bytes.Contains(last, []byte(header)) {
				t.Errorf("%s: no %q in %s", curls[i], header, last)
			}
		}
	}

	// Ctrl-C signals every process of the terminal's group.
	if err := syscall.Kill(-run.Process.Pid, syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- run.Wait() }()
	select {
	case err := <-done:
		ended = true
		if err != nil || stderr.Len() > 0 {
			t.Errorf("it ended with %v: %s", err, stderr.String())
		}
	case <-time.After(patience):
		t.Fatal("it does not end")
	}
	if err := syscall.Kill(-run.Process.Pid, 0); err != syscall.ESRCH {
		t.Errorf("a process of its group is left: %v", err)
	}
}

// onFreePorts is a copy of envoy.yaml for a machine on which its ports may be
// taken. Envoy's own are left to the system; the provider's has to be known.
func onFreePorts(t *testing.T, root string) string {
	t.Helper()
	config, err := os.ReadFile(filepath.Join(root, "envoy.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	provider := listener.Addr().(*net.TCPAddr).Port
	listener.Close()
	replaced := strings.NewReplacer(
		"port_value: 10000", "port_value: 0",
		"port_value: 9901", "port_value: 0",
		"port_value: 8080", fmt.Sprintf("port_value: %d", provider),
	).Replace(string(config))
	path := filepath.Join(t.TempDir(), "envoy.yaml")
	if err := os.WriteFile(path, []byte(replaced), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
