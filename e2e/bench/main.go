// Command bench is make bench: what the filter costs. It times how a request is
// read, by itself. Then it sends the same chat
// requests through two Envoys with one worker each, one with the filter and one
// without, in turns, so that a machine that grows slow meanwhile slows both; and
// prints the medians.
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"sluice/e2e/bench/body"
	"sluice/e2e/envoy"
)

var (
	rounds   = flag.Int("rounds", 7, "turns that each Envoy gets")
	requests = flag.Int("requests", 4000, "requests in a turn")
	wasm     = flag.String("wasm", "build/sluice.wasm", "the filter to measure")

	onlyEstimates = flag.Bool("estimates", false, "leave Envoy out")
)

// configuration is one that many would have: a key's requests and tokens.
const configuration = `{"limits": [
	{"name": "key-rpm", "scope": ["key"], "dimension": "requests", "limit": 1e12, "window": "1m"},
	{"name": "key-tpm", "scope": ["key"], "dimension": "tokens", "limit": 1e15, "window": "1m"}]}`

func main() {
	flag.Parse()
	if err := run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	root, err := envoy.Root()
	if err != nil {
		return err
	}
	if err := estimates(ctx, root); err != nil {
		return err
	}
	if *onlyEstimates {
		return nil
	}
	provider, err := startProvider()
	if err != nil {
		return err
	}
	defer provider.Close()
	sides := []*side{{name: "off"}, {name: "on"}}
	for _, s := range sides {
		if err := s.start(ctx, provider.addr); err != nil {
			return err
		}
		defer s.process.Stop() //nolint:errcheck // The figures are what matters.
	}
	request := body.Chat(2048)
	fmt.Printf("%d-byte chat request, one worker, medians of %d turns of %d requests\n", len(request), *rounds, *requests)
	// One at a time shows what a request waits; eight keep the worker busy, so
	// that Envoy's own cost is spread over several requests each time it wakes.
	for _, clients := range []int{1, 8} {
		if err := compare(sides, request, clients); err != nil {
			return err
		}
	}
	return nil
}

// compare measures both sides in turns, and prints the medians.
func compare(sides []*side, body []byte, clients int) error {
	for _, s := range sides {
		s.turns = nil
	}
	for round := range *rounds + 2 {
		for _, s := range sides {
			t, err := s.turn(body, clients)
			if err != nil {
				return err
			}
			if round >= 2 { // V8 compiles what is hot
				s.turns = append(s.turns, t)
			}
		}
	}
	fmt.Printf("\n%d at a time\nfilter   CPU/request   requests/s        p50        p99\n", clients)
	for _, s := range sides {
		m := s.median()
		fmt.Printf("%-6s %11.1fµs %12.0f %10v %10v\n", s.name, m.cpu, m.rate,
			m.p50.Round(time.Microsecond), m.p99.Round(time.Microsecond))
	}
	off, on := sides[0].median(), sides[1].median()
	fmt.Printf("on/off: %.2f times the CPU, %.2f times the throughput\n", on.cpu/off.cpu, on.rate/off.rate)
	return nil
}

// side is an Envoy that is measured.
type side struct {
	name    string
	process *envoy.Process
	url     string
	client  *http.Client
	turns   []turn
}

// turn is what one round of requests took.
type turn struct {
	cpu      float64 // µs of Envoy a request
	rate     float64 // requests a second
	p50, p99 time.Duration
}

func (s *side) start(ctx context.Context, upstream string) error {
	root, err := envoy.Root()
	if err != nil {
		return err
	}
	b, err := envoy.LoadBootstrap(filepath.Join(root, "envoy.yaml"))
	if err != nil {
		return err
	}
	b.FreePorts()
	b.AccessLog(os.DevNull)
	if err := b.Upstream("provider", upstream); err != nil {
		return err
	}
	if s.name == "off" {
		b.Without("wasm.v3.Wasm")
	} else {
		path, err := filepath.Abs(*wasm)
		if err != nil {
			return err
		}
		b.Binary(path)
		b.Configure(configuration)
	}
	if s.process, err = envoy.Start(ctx, envoy.Options{Config: b.JSON(), Concurrency: 1, Args: []string{"--log-level", "error"}}); err != nil {
		return err
	}
	base, err := s.process.URL(ctx, "gateway")
	s.url = base + "/v1/chat/completions"
	s.client = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 8}}
	return err
}

func (s *side) turn(body []byte, clients int) (turn, error) {
	before, err := s.process.CPUTime()
	if err != nil {
		return turn{}, err
	}
	start := time.Now()
	latencies := make([][]time.Duration, clients)
	failures := make([]error, clients)
	var wg sync.WaitGroup
	for i := range clients {
		wg.Go(func() {
			for range *requests / clients {
				d, err := s.request(body)
				if err != nil {
					failures[i] = err
					return
				}
				latencies[i] = append(latencies[i], d)
			}
		})
	}
	wg.Wait()
	took := time.Since(start)
	for _, err := range failures {
		if err != nil {
			return turn{}, err
		}
	}
	after, err := s.process.CPUTime()
	if err != nil {
		return turn{}, err
	}
	all := slices.Concat(latencies...)
	slices.Sort(all)
	n := float64(len(all))
	return turn{
		cpu:  float64((after - before).Microseconds()) / n,
		rate: n / took.Seconds(),
		p50:  all[len(all)/2], p99: all[len(all)*99/100],
	}, nil
}

func (s *side) request(body []byte) (time.Duration, error) {
	r, err := http.NewRequest(http.MethodPost, s.url, bytes.NewReader(body))
	if err != nil {
		return 0, err
	}
	r.Header.Set("content-type", "application/json")
	r.Header.Set("authorization", "Bearer sk-bench-0123456789abcdef0123456789abcdef")
	start := time.Now()
	answer, err := s.client.Do(r)
	if err != nil {
		return 0, err
	}
	defer answer.Body.Close()
	if _, err := io.Copy(io.Discard, answer.Body); err != nil {
		return 0, err
	}
	if answer.StatusCode != http.StatusOK {
		return 0, fmt.Errorf("filter %s: status %s", s.name, answer.Status)
	}
	return time.Since(start), nil
}

// median is that of each figure by itself.
func (s *side) median() turn {
	pick := func(of func(turn) float64) float64 {
		values := make([]float64, len(s.turns))
		for i, t := range s.turns {
			values[i] = of(t)
		}
		slices.Sort(values)
		return values[len(values)/2]
	}
	return turn{
		cpu:  pick(func(t turn) float64 { return t.cpu }),
		rate: pick(func(t turn) float64 { return t.rate }),
		p50:  time.Duration(pick(func(t turn) float64 { return float64(t.p50) })),
		p99:  time.Duration(pick(func(t turn) float64 { return float64(t.p99) })),
	}
}

// provider answers every request alike and at once.
type provider struct {
	http.Server
	addr string
}

const answer = `{"id":"chatcmpl-1","object":"chat.completion","created":1700000000,"model":"gpt-4o","choices":[{"index":0,` +
	`"message":{"role":"assistant","content":"A river runs where it must, and the fox drinks from it."},"finish_reason":"stop"}],` +
	`"usage":{"prompt_tokens":420,"completion_tokens":14,"total_tokens":434}}`

func startProvider() (*provider, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	p := &provider{addr: listener.Addr().String()}
	p.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body) //nolint:errcheck // What it says is no matter.
		w.Header().Set("content-type", "application/json")
		io.WriteString(w, answer) //nolint:errcheck // A client that left fails by itself.
	})
	go p.Serve(listener) //nolint:errcheck // It always ends with ErrServerClosed.
	return p, nil
}
