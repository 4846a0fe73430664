// Package e2e shows in a real Envoy, with a fake provider behind it, what Sluice
// promises: one scenario a file.
package e2e

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"sluice/e2e/envoy"
	"sluice/e2e/fakellm"
)

// setup says how a scenario's gateway differs from the one that the repository
// ships, envoy.yaml on free ports with four workers.
type setup struct {
	config string // the filter's configuration, JSON; empty: envoy.yaml's

	// With any of these the scenario gets an Envoy of its own. The others
	// share one, for compiling the filter takes Envoy seconds.
	own         bool                   // for scenarios that read metrics: others' counts arrive late
	concurrency int                    // workers, 0: 4
	edit        func(*envoy.Bootstrap) // changes to the bootstrap
	args        []string               // further arguments
	file        string                 // the bootstrap to load instead of envoy.yaml, from the repository's root
	second      *fakellm.Server        // behind the second endpoint of the bootstrap's provider
	static      bool                   // The listener stands in the bootstrap: Envoy stops at a bad one, but cannot update it.

	expect string // expression for alarming log lines that the scenario provokes
}

// gateway is an Envoy with Sluice in it and a fake provider behind it, as one
// scenario sees it: with fresh counters, logs and clients.
type gateway struct {
	*instance
	url       string
	client    *http.Client
	log       *logView
	accessLog *accessLog
	namespace string // of the filter's counters
}

// instance is a running Envoy and the provider behind it.
type instance struct {
	*envoy.Process
	provider  *fakellm.Server
	listeners *envoy.Listeners
	output    *envoyLog
	shipped   any // the gateway filter's configuration in the file
	dir       string
	scenarios int
}

// patience is how long a scenario waits for what should happen at once.
const patience = 20 * time.Second

// startTime bounds how long Envoy may take to serve. It compiles the filter.
const startTime = 4 * time.Minute

// shared is the instance of the scenarios that need none of their own. They run
// one after the other.
var shared *instance

func TestMain(m *testing.M) {
	code := m.Run()
	if shared != nil {
		if err := shared.stop(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	os.Exit(code)
}

// startGateway gives a scenario its gateway. What Envoy logs meanwhile is shown
// if the test fails, and fails it if it tells of a crash.
func startGateway(t *testing.T, s setup) *gateway {
	t.Helper()
	if s.own || s.concurrency != 0 || s.edit != nil || s.args != nil || s.file != "" {
		i, err := launch(t, s)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := i.stop(); err != nil {
				t.Error(err)
			}
		})
		return i.gateway(t, s)
	}
	if shared != nil && shared.ended() {
		shared.stop() //nolint:errcheck // The scenario in which it ended has failed.
		shared = nil
	}
	if shared == nil {
		i, err := launch(t, setup{})
		if err != nil {
			t.Fatal(err)
		}
		shared = i
	}
	return shared.gateway(t, s)
}

// launch starts an Envoy with envoy.yaml, or the scenario's own file.
func launch(t *testing.T, s setup) (_ *instance, err error) {
	t.Helper()
	root, err := envoy.Root()
	if err != nil {
		return nil, err
	}
	b, err := envoy.LoadBootstrap(filepath.Join(root, cmp.Or(s.file, "envoy.yaml")))
	if err != nil {
		return nil, err
	}
	binary := filterBinary(t)
	provider, err := fakellm.Start("127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	// Not the test's own folder: a shared instance outlives the test.
	dir, err := os.MkdirTemp("", "sluice-e2e-")
	if err != nil {
		return nil, errors.Join(err, provider.Close())
	}
	i := &instance{provider: provider, output: &envoyLog{}, dir: dir}
	defer func() {
		if err != nil {
			i.clean()
		}
	}()

	b.FreePorts()
	b.AccessLog(filepath.Join(dir, "access.log"))
	addrs := []string{provider.Addr()}
	if s.second != nil {
		addrs = append(addrs, s.second.Addr())
	}
	if err := b.Upstream("provider", addrs...); err != nil {
		return nil, err
	}
	b.Binary(binary)
	for _, w := range b.Wasm() {
		if w["name"] == "sluice" {
			i.shipped = w["configuration"]
		}
	}
	if s.config != "" {
		b.Configure(s.config)
	}
	if s.edit != nil {
		s.edit(b)
	}
	if !s.static {
		if err := i.moveListeners(b); err != nil {
			return nil, err
		}
	}
	if s.concurrency == 0 {
		s.concurrency = 4
	}
	ctx, cancel := context.WithTimeout(t.Context(), startTime)
	defer cancel()
	i.Process, err = envoy.Start(ctx, envoy.Options{
		Config: b.JSON(), Concurrency: s.concurrency, Log: i.output,
		Args: append([]string{"--file-flush-interval-msec", "20", "--drain-time-s", "1"}, s.args...),
	})
	return i, err
}

// moveListeners makes the listeners updatable.
func (i *instance) moveListeners(b *envoy.Bootstrap) (err error) {
	watched := filepath.Join(i.dir, "listeners")
	if err := os.Mkdir(watched, 0o700); err != nil {
		return err
	}
	i.listeners, err = b.MoveListeners(watched)
	return err
}

func (i *instance) ended() bool {
	select {
	case <-i.Exited():
		return true
	default:
		return false
	}
}

func (i *instance) stop() error {
	defer i.clean()
	return i.Stop()
}

func (i *instance) clean() {
	i.provider.Close()
	os.RemoveAll(i.dir) //nolint:errcheck // It is the system's folder for such things.
}

// gateway hands the instance to a scenario.
func (i *instance) gateway(t *testing.T, s setup) *gateway {
	t.Helper()
	i.scenarios++
	g := &gateway{
		instance:  i,
		log:       i.output.view(t, s.expect),
		accessLog: &accessLog{path: filepath.Join(i.dir, fmt.Sprintf("access-%d.log", i.scenarios))},
		namespace: fmt.Sprintf("scenario-%d", i.scenarios),
	}
	transport := &http.Transport{MaxIdleConnsPerHost: 256, DisableCompression: true}
	g.client = &http.Client{Transport: transport}
	t.Cleanup(transport.CloseIdleConnections)

	i.provider.Forget()
	i.provider.Use(nil)
	i.listeners.AccessLog(g.accessLog.path)
	if err := g.update(t, s.config); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	var err error
	if g.url, err = i.URL(ctx, "gateway"); err != nil {
		t.Fatal(err)
	}
	return g
}

// update gives the filter another configuration while Envoy runs. A refusal is
// an error. The counters are the scenario's, from its start to its end.
func (g *gateway) update(t *testing.T, config string) error {
	t.Helper()
	if config == "" {
		for _, w := range g.listeners.Wasm() {
			w["configuration"] = g.shipped
		}
	} else {
		g.listeners.Configure(inNamespace(config, g.namespace))
	}
	if err := g.listeners.Write(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), startTime)
	defer cancel()
	err := g.AwaitListeners(ctx, g.listeners)
	g.client.CloseIdleConnections() // They stay with the old listener.
	return err
}

// inNamespace adds a namespace to a configuration that has no state settings.
// What is no JSON object stays as it is.
func inNamespace(config, namespace string) string {
	var fields map[string]json.RawMessage
	if json.Unmarshal([]byte(config), &fields) != nil || fields["state"] != nil {
		return config
	}
	fields["state"] = json.RawMessage(fmt.Sprintf(`{"namespace": %q}`, namespace))
	text, err := json.Marshal(fields)
	if err != nil {
		panic(err) // What was JSON before is so after.
	}
	return string(text)
}

// await returns once done holds for what the provider has seen.
func (g *gateway) await(t *testing.T, done func([]fakellm.Request) bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if err := g.provider.Await(ctx, done); err != nil {
		t.Fatalf("the provider saw %+v: %v", g.provider.Requests(), err)
	}
}
