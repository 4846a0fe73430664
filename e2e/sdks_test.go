package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"sluice/e2e/envoy"
	"sluice/e2e/fakellm"
)

// The gateway's own limits, for the calls that are named after them.
const sdkLimits = `"attributes": {"call": {"headers": ["x-call"]}}, "limits": [
	{"name": "key-rpm", "scope": ["key"], "dimension": "requests", "limit": 1, "window": "8s", "match": {"attribute": {"call": ["*/gateway throttle/*"]}}},
	{"name": "key-rph", "scope": ["key"], "dimension": "requests", "limit": 1, "window": "1h", "match": {"attribute": {"call": ["*/gateway hour/*"]}}},
	{"name": "allowance", "scope": ["key"], "dimension": "requests", "limit": 1, "window": "never", "match": {"attribute": {"call": ["*/gateway quota*/*"]}}},
	{"name": "key-tpm", "scope": ["key"], "dimension": "tokens", "limit": 32, "window": "1m", "match": {"attribute": {"call": ["*/gateway too-large/*"]}}}]`

// Real SDKs do what a class promises, whoever refuses and in whatever form the
// provider does: they wait out a throttle and an overload, send nothing twice
// that can only fail, and raise what tells the reason. Where one does otherwise
// the table says so.
func TestSDKs(t *testing.T) {
	python, node := make(chan error, 1), make(chan error, 1)
	go func() { _, err := pythonSDKs(); python <- err }()
	go func() { _, err := nodeSDKs(); node <- err }()
	for _, err := range []error{<-python, <-node} {
		if err != nil {
			t.Fatal(err)
		}
	}
	g := startGateway(t, setup{edit: routesToProviders, config: "{" + sdkLimits + "}"})
	of := map[string][]sdkGroup{}
	for _, s := range sdks {
		of[s.name] = s.groups()
	}
	g.callAll(t, of)

	// SDKs that retry a 429 in vain leave a 402 alone.
	if err := g.update(t, `{"errors": {"quota_status": 402}, `+sdkLimits+"}"); err != nil {
		t.Fatal(err)
	}
	of = map[string][]sdkGroup{}
	for _, s := range sdks {
		if s.quota402 != (raised{}) {
			of[s.name] = []sdkGroup{s.group("gateway quota as 402",
				sdkCall{name: "first", attempts: once, reach: 1},
				sdkCall{name: "retrying", Retries: true, raises: s.quota402, attempts: once})}
		}
	}
	g.callAll(t, of)
}

// callAll has each SDK make its calls, all SDKs at the same time, and reports
// where something came otherwise than the calls want it.
func (g *gateway) callAll(t *testing.T, of map[string][]sdkGroup) {
	t.Helper()
	calls := map[string]sdkCall{}
	for _, groups := range of {
		for _, group := range groups {
			for _, c := range group.Calls {
				calls[c.ID] = c
			}
		}
	}
	var mu sync.Mutex
	reached := map[string]int{}
	g.provider.Use(func(r fakellm.Request) fakellm.Script {
		mu.Lock()
		defer mu.Unlock()
		id := r.Header.Get("x-call")
		reached[id]++
		if c := calls[id]; reached[id] <= c.refusals {
			return c.upstream.refusals[c.class]
		}
		return fakellm.Script{Body: calls[id].upstream.answer}
	})

	said := make(map[string]map[string]sdkSaid, len(of))
	var programs sync.WaitGroup
	for _, s := range sdks {
		if of[s.name] == nil {
			continue
		}
		programs.Go(func() {
			output, err := s.run(t, g.url+"/"+s.provider, of[s.name])
			if err != nil {
				t.Errorf("%s: %v", s.name, err)
			}
			mu.Lock()
			defer mu.Unlock()
			said[s.name] = output
		})
	}
	programs.Wait()
	sent := g.sent(t)
	for _, s := range sdks {
		for _, group := range of[s.name] {
			for _, c := range group.Calls {
				t.Run(c.ID, func(t *testing.T) {
					mu.Lock()
					defer mu.Unlock()
					c.check(t, said[s.name][c.ID], sent[c.ID], reached[c.ID])
				})
			}
		}
	}
}

// sdkPatience bounds how long the calls of one SDK may take: one that believes a
// long wait sleeps for hours.
const sdkPatience = 4 * time.Minute

// sdkSaid is what a client program says of a call: its answer's text, or what the
// SDK raised.
type sdkSaid struct {
	ID, Text   string
	Error      string
	Status     int
	Type, Code string
	Message    string
}

// run starts the client program and reads what it says, by the call.
func (s sdk) run(t *testing.T, url string, groups []sdkGroup) (map[string]sdkSaid, error) {
	arguments, err := json.Marshal(groups)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(t.Context(), sdkPatience)
	defer cancel()
	var command *exec.Cmd
	if program := filepath.Join(sdkFiles, s.program); filepath.Ext(program) == ".py" {
		python, err := pythonSDKs()
		if err != nil {
			return nil, err
		}
		command = exec.CommandContext(ctx, python, program, s.client, url, string(arguments))
	} else {
		text, err := os.Open(program)
		if err != nil {
			return nil, err
		}
		defer text.Close()
		command = exec.CommandContext(ctx, "node", "--input-type=module", "-", s.client, url, string(arguments))
		command.Stdin = text
		if command.Dir, err = nodeSDKs(); err != nil {
			return nil, err
		}
	}
	var stderr bytes.Buffer
	command.Stderr = &stderr
	output, err := command.Output()
	said := map[string]sdkSaid{}
	for line := range strings.Lines(string(output)) {
		var facts sdkSaid
		if err := json.Unmarshal([]byte(line), &facts); err != nil {
			return said, fmt.Errorf("%w: %s", err, line)
		}
		said[facts.ID] = facts
	}
	if err != nil {
		return said, errors.Join(ctx.Err(), fmt.Errorf("%s: %w: %s", s.program, err, stderr.String()))
	}
	return said, nil
}

// sent is when the requests of each call came to the gateway.
func (g *gateway) sent(t *testing.T) map[string][]time.Time {
	t.Helper()
	// Envoy writes the log in the order in which requests end: behind the last
	// one's line there is none of an SDK.
	last := fmt.Sprintf("last of %s", time.Now())
	g.do(t, request{method: "GET", body: "-", header: http.Header{"X-Call": {last}}}).is(t, 200)
	for n := 1; ; n++ {
		entries := g.accessLog.all(t, n)
		times := map[string][]time.Time{}
		for _, e := range entries {
			id, _ := e["call"].(string)
			text, _ := e["time"].(string)
			at, err := time.Parse(time.RFC3339, text)
			if err != nil {
				t.Fatalf("access log: %v", err)
			}
			times[id] = append(times[id], at)
		}
		if times[last] != nil {
			return times
		}
		n = len(entries)
	}
}

// routesToProviders gives each provider a cluster and a path of its own, as a
// gateway does, and writes into the access log which call a request belongs to.
func routesToProviders(b *envoy.Bootstrap) {
	type object = map[string]any
	resources := b.Tree["static_resources"].(object)
	provider := resources["clusters"].([]any)[0].(object)
	routes := []any{object{"match": object{"prefix": "/"}, "route": object{"cluster": provider["name"]}}}
	for name := range upstreams {
		cluster := maps.Clone(provider)
		cluster["name"] = name
		resources["clusters"] = append(resources["clusters"].([]any), cluster)
		routes = append([]any{object{
			"match": object{"prefix": "/" + name + "/"},
			"route": object{"cluster": name, "prefix_rewrite": "/", "auto_host_rewrite": true, "timeout": "0s"},
		}}, routes...)
	}
	b.Each("HttpConnectionManager", func(manager object) {
		host := manager["route_config"].(object)["virtual_hosts"].([]any)[0].(object)
		host["routes"] = routes
		format := manager["access_log"].([]any)[0].(object)["typed_config"].(object)["log_format"].(object)
		format["json_format"].(object)["call"] = "%REQ(x-call)%"
	})
}
