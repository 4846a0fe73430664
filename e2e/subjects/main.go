// Command subjects shows what very many keys do to Envoy: it sends one request
// of each of a million keys through one worker, a request limit in front, and
// prints the CPU time a request costs and the memory that Envoy holds, beside
// those of one key; and that an exhausted key stays exhausted all the while.
package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"sluice/e2e/envoy"
	"sluice/limits"
)

var (
	keys     = flag.Int64("keys", 1_000_000, "distinct keys")
	subjects = flag.Int("max-subjects", 65_536, "the filter's state.max_subjects")
	clients  = flag.Int("clients", 8, "requests at a time")
	wasm     = flag.String("wasm", "build/sluice.wasm", "the filter to measure")
)

// exhausted is a key that has used up its limit; nobody else ever does.
const exhausted = "exhausted"

func main() {
	flag.Parse()
	if err := run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	g, err := start(ctx)
	if err != nil {
		return err
	}
	defer g.process.Stop() //nolint:errcheck // The figures are what matters.

	one := func(int64) string { return "only" }
	for range 2 { // V8 compiles what is hot, and the heaps find their size
		if _, err := g.send(*keys/50, one); err != nil {
			return err
		}
	}
	if statuses, err := g.exhaust(5); err != nil || statuses != "200 200 200 429 429" {
		return errors.Join(err, errors.New("the limit of three answers "+statuses))
	}
	// In turns, so that a machine that grows slow meanwhile slows both.
	fmt.Printf("keys so far   one key, CPU/request   others   times   Envoy's RSS   an exhausted key\n")
	const steps = 10
	var times []float64
	for step := range int64(steps) {
		single, err := g.send(*keys/50, one)
		if err != nil {
			return err
		}
		first := *keys / steps * step
		many, err := g.send(*keys/steps, func(n int64) string { return fmt.Sprintf("key-%d", first+n) })
		if err != nil {
			return err
		}
		status, err := g.exhaust(1)
		if err != nil {
			return err
		}
		times = append(times, many.cpu/single.cpu)
		fmt.Printf("%11d %20.1fµs %6.1fµs %7.2f %9d MiB   %s\n",
			first+*keys/steps, single.cpu, many.cpu, times[step], many.rss>>20, status)
	}
	slices.Sort(times)
	fmt.Printf("\nmedian: %.2f times the CPU of one key\n", times[steps/2])
	return nil
}

type gateway struct {
	process *envoy.Process
	addr    string
}

type figures struct {
	cpu float64 // µs of Envoy a request
	rss int64   // bytes, afterwards
}

func start(ctx context.Context) (*gateway, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	go http.Serve(listener, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { //nolint:errcheck // It ends with this program.
		io.WriteString(w, "{}") //nolint:errcheck // Whoever left does not miss it.
	}))
	root, err := envoy.Root()
	if err != nil {
		return nil, err
	}
	b, err := envoy.LoadBootstrap(filepath.Join(root, "envoy.yaml"))
	if err != nil {
		return nil, err
	}
	path, err := filepath.Abs(*wasm)
	if err != nil {
		return nil, err
	}
	b.FreePorts()
	b.AccessLog(os.DevNull)
	b.Binary(path)
	b.Configure(fmt.Sprintf(`{"state": {"max_subjects": %d}, "limits": [
		{"name": "rpd", "scope": ["key"], "dimension": "requests", "limit": 1e12, "window": "24h",
		 "overrides": [{"attribute": {"key": [%q]}, "limit": 3}]}]}`, *subjects, limits.HashSecret(exhausted)))
	if err := b.Upstream("provider", listener.Addr().String()); err != nil {
		return nil, err
	}
	g := &gateway{}
	if g.process, err = envoy.Start(ctx, envoy.Options{Config: b.JSON(), Concurrency: 1, Args: []string{"--log-level", "error"}}); err != nil {
		return nil, err
	}
	base, err := g.process.URL(ctx, "gateway")
	if err != nil {
		return nil, err
	}
	u, err := url.Parse(base)
	g.addr = u.Host
	return g, err
}

// send sends n requests, each of the key that a number from 0 gives.
func (g *gateway) send(n int64, key func(int64) string) (figures, error) {
	before, err := g.process.CPUTime()
	if err != nil {
		return figures{}, err
	}
	var next atomic.Int64
	failed := make(chan error, *clients)
	var all sync.WaitGroup
	for range *clients {
		all.Go(func() {
			failed <- g.connection(func(request func(key string) (int, error)) error {
				for {
					i := next.Add(1) - 1
					if i >= n {
						return nil
					}
					if status, err := request(key(i)); err != nil || status != http.StatusOK {
						return errors.Join(err, fmt.Errorf("key %s: status %d", key(i), status))
					}
				}
			})
		})
	}
	all.Wait()
	close(failed)
	for err := range failed {
		if err != nil {
			return figures{}, err
		}
	}
	after, err := g.process.CPUTime()
	if err != nil {
		return figures{}, err
	}
	rss, err := g.process.RSS()
	return figures{float64((after - before).Microseconds()) / float64(n), rss}, err
}

// exhaust sends n requests of the exhausted key, and returns the statuses.
func (g *gateway) exhaust(n int) (string, error) {
	var statuses []string
	err := g.connection(func(request func(key string) (int, error)) error {
		for range n {
			status, err := request(exhausted)
			if err != nil {
				return err
			}
			statuses = append(statuses, fmt.Sprint(status))
		}
		return nil
	})
	return strings.Join(statuses, " "), err
}

// connection lets use send requests over one connection. It is written by hand,
// for a client must not be what takes the time.
func (g *gateway) connection(use func(request func(key string) (int, error)) error) error {
	c, err := net.Dial("tcp", g.addr)
	if err != nil {
		return err
	}
	defer c.Close()
	in := bufio.NewReader(c)
	return use(func(key string) (int, error) {
		if _, err := fmt.Fprintf(c, "GET /v1/models HTTP/1.1\r\nhost: gateway\r\nauthorization: Bearer %s\r\n\r\n", key); err != nil {
			return 0, err
		}
		res, err := http.ReadResponse(in, nil)
		if err != nil {
			return 0, err
		}
		defer res.Body.Close()
		_, err = io.Copy(io.Discard, res.Body)
		return res.StatusCode, err
	})
}
