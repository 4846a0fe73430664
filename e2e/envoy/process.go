package envoy

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	func_e "github.com/tetratelabs/func-e"
	"github.com/tetratelabs/func-e/api"
)

// Options say how to start an Envoy.
type Options struct {
	// Config is the bootstrap configuration, YAML or JSON. ConfigPath is a
	// file that holds it, instead.
	Config     []byte
	ConfigPath string

	Concurrency int      // worker threads, 0: 2
	Args        []string // further arguments
	Path        string   // the binary, empty: Path's

	Out io.Writer // what Envoy writes to standard output, nil: dropped
	Log io.Writer // what Envoy logs, nil: dropped
}

// Process is a running Envoy.
type Process struct {
	admin       string // host:port
	dir         string
	log         *tail
	concurrency int
	kill        context.CancelFunc
	exited      chan struct{} // closed when Envoy has ended, err then says why
	err         error
	stop        sync.Once
	stopped     error // what Stop returns
}

// stopGrace is how long an Envoy may take to end before it is killed.
const stopGrace = 10 * time.Second

// Start starts Envoy and returns once it serves. ctx bounds the start alone:
// Envoy runs until Stop.
func Start(ctx context.Context, o Options) (*Process, error) {
	path := o.Path
	if path == "" {
		var err error
		if path, err = Path(ctx); err != nil {
			return nil, err
		}
	}
	dir, err := os.MkdirTemp("", "sluice-envoy-")
	if err != nil {
		return nil, err
	}
	config := o.ConfigPath
	if config == "" {
		config = filepath.Join(dir, "bootstrap.yaml") // JSON is YAML too.
		if err := os.WriteFile(config, o.Config, 0o600); err != nil {
			return nil, errors.Join(err, os.RemoveAll(dir))
		}
	}
	if o.Concurrency == 0 {
		o.Concurrency = 2
	}
	address := filepath.Join(dir, "admin-address")
	args := append([]string{
		"-c", config,
		"--concurrency", strconv.Itoa(o.Concurrency),
		"--admin-address-path", address,
		// Hot restart takes shared memory named after a base id, over which
		// two Envoys on one machine would meet.
		"--disable-hot-restart",
	}, o.Args...)

	life, kill := context.WithCancel(context.Background())
	p := &Process{dir: dir, kill: kill, exited: make(chan struct{}), log: &tail{next: writerOr(o.Log)}, concurrency: o.Concurrency}
	go func() {
		defer close(p.exited)
		p.err = func_e.Run(life, args, api.EnvoyPath(path),
			api.ConfigHome(dir), api.DataHome(dir), api.StateHome(dir), api.RuntimeDir(dir),
			api.Out(io.Discard), api.EnvoyOut(writerOr(o.Out)), api.EnvoyErr(p.log))
	}()
	if err := p.awaitReady(ctx, address); err != nil {
		p.Stop() //nolint:errcheck // Why it did not start matters more.
		return nil, err
	}
	return p, nil
}

// awaitReady waits for Envoy to tell its admin address and to be live. Envoy
// announces neither, so it is asked again and again.
func (p *Process) awaitReady(ctx context.Context, addressFile string) error {
	for {
		if address, err := os.ReadFile(addressFile); err == nil && len(address) > 0 {
			p.admin = string(address)
			if _, err := p.Get(ctx, "/ready"); err == nil {
				return nil
			}
		}
		select {
		case <-p.exited:
			if p.err != nil {
				return fmt.Errorf("envoy did not start: %s", cmp.Or(p.log.alarms(), p.err.Error()+"\n"+p.log.String()))
			}
			return fmt.Errorf("envoy ended before it served\n%s", p.log)
		case <-ctx.Done():
			return fmt.Errorf("envoy is not ready: %w\n%s", ctx.Err(), p.log)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// Stop ends Envoy and waits for its end: first asked, as by SIGTERM, then
// killed. It is an error if Envoy had to be killed, or ended badly.
func (p *Process) Stop() error {
	p.stop.Do(func() {
		defer os.RemoveAll(p.dir) //nolint:errcheck // Nothing in it is missed or harmful.
		defer p.kill()
		select {
		case <-p.exited:
			// Without an error it was signalled, as the terminal does on
			// Ctrl-C to every process in it.
			p.stopped = p.err
			return
		default:
		}
		ctx, cancel := context.WithTimeout(context.Background(), stopGrace)
		defer cancel()
		p.do(ctx, http.MethodPost, "/quitquitquit") //nolint:errcheck // A signal may have come first.
		select {
		case <-p.exited:
			// func-e minds when Envoy ends before func-e has found it
			// ready. Only how Envoy itself ended counts here.
			if exit := (*exec.ExitError)(nil); errors.As(p.err, &exit) {
				p.stopped = p.err
			}
		case <-ctx.Done():
			p.kill()
			<-p.exited
			p.stopped = fmt.Errorf("envoy did not end within %v and was killed", stopGrace)
		}
	})
	return p.stopped
}

// Exited is closed when Envoy has ended, by Stop or by itself.
func (p *Process) Exited() <-chan struct{} { return p.exited }

// Admin is the address of Envoy's admin interface, as host:port.
func (p *Process) Admin() string { return p.admin }

// Get reads a page of the admin interface.
func (p *Process) Get(ctx context.Context, path string) (string, error) {
	return p.do(ctx, http.MethodGet, path)
}

func (p *Process) do(ctx context.Context, method, path string) (string, error) {
	if p.admin == "" {
		return "", errors.New("envoy's admin interface is not up")
	}
	req, err := http.NewRequestWithContext(ctx, method, "http://"+p.admin+path, nil)
	if err != nil {
		return "", err
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return "", err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		return "", err
	}
	if res.StatusCode != http.StatusOK {
		return "", fmt.Errorf("admin %s: %s: %s", path, res.Status, bytes.TrimSpace(body))
	}
	return string(body), nil
}

// URL is the base URL of a listener, by its name: the configuration may leave
// the port to the system.
func (p *Process) URL(ctx context.Context, listener string) (string, error) {
	page, err := p.Get(ctx, "/listeners?format=json")
	if err != nil {
		return "", err
	}
	var listeners struct {
		Statuses []struct {
			Name    string
			Address struct {
				Socket struct {
					Address string
					Port    int `json:"port_value"`
				} `json:"socket_address"`
			} `json:"local_address"`
		} `json:"listener_statuses"`
	}
	if err := json.Unmarshal([]byte(page), &listeners); err != nil {
		return "", fmt.Errorf("admin /listeners: %w", err)
	}
	for _, l := range listeners.Statuses {
		if l.Name == listener {
			return "http://" + net.JoinHostPort(l.Address.Socket.Address, strconv.Itoa(l.Address.Socket.Port)), nil
		}
	}
	return "", fmt.Errorf("envoy has no listener %q", listener)
}

func writerOr(w io.Writer) io.Writer {
	if w == nil {
		return io.Discard
	}
	return w
}

// tail passes on what is written, and keeps the end of it for error messages.
type tail struct {
	next io.Writer
	mu   sync.Mutex
	kept []byte
}

const tailSize = 8 << 10

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	t.kept = append(t.kept, b...)
	if extra := len(t.kept) - tailSize; extra > 0 {
		t.kept = append(t.kept[:0], t.kept[extra:]...)
	}
	t.mu.Unlock()
	return t.next.Write(b)
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.TrimSpace(string(t.kept))
}

// alarms are the lines that Envoy logged as errors, the last first: it says more
// of what it was doing than of what went wrong.
func (t *tail) alarms() string {
	var alarms []string
	for line := range strings.Lines(t.String()) {
		if strings.Contains(line, "][error]") || strings.Contains(line, "][critical]") {
			alarms = append(alarms, strings.TrimSpace(line))
		}
	}
	slices.Reverse(alarms)
	return strings.Join(alarms, "\n")
}
