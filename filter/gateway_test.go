package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm/types"

	"sluice/internal/envoytest"
	"sluice/limits"
)

// noon is when the tests begin: whole seconds, so that waits come out even.
var noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// gateway is an Envoy with the filter in it, and the clock of both.
type gateway struct {
	*envoytest.Envoy
	now time.Time
}

func (g *gateway) pass(d time.Duration) { g.now = g.now.Add(d) }

// starter starts a gateway whose configuration is accepted.
type starter func(t *testing.T, config string, adjust ...func(*envoytest.Options)) *gateway

// onBoth runs a test against the filter built natively, where it can be
// debugged, and against the wasm that Envoy gets.
func onBoth(t *testing.T, test func(t *testing.T, start starter)) {
	t.Parallel() // each wasm VM takes a while to start
	t.Run("native", func(t *testing.T) { test(t, started(newNative)) })
	t.Run("wasm", func(t *testing.T) {
		if testing.Short() {
			t.Skip("builds the wasm binary")
		}
		test(t, started(newWasm))
	})
}

type runner func(*testing.T, *gateway, envoytest.Options) *envoytest.Envoy

func newNative(t *testing.T, g *gateway, o envoytest.Options) *envoytest.Envoy {
	return envoytest.Native(t, func() types.VMContext { return &vm{now: func() time.Time { return g.now }} }, o)
}

func newWasm(t *testing.T, g *gateway, o envoytest.Options) *envoytest.Envoy {
	binary, err := filterBinary()
	if err != nil {
		t.Fatal(err)
	}
	o.Clock = func() time.Time { return g.now }
	return envoytest.Wasm(t, binary, o)
}

// filterBinary builds the filter once in a test run.
var filterBinary = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "sluice")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "sluice.wasm")
	build := exec.Command("go", "build", "-buildmode=c-shared", "-ldflags=-s -w", "-o", path, ".")
	build.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm")
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
})

func started(run runner) starter {
	return func(t *testing.T, config string, adjust ...func(*envoytest.Options)) *gateway {
		t.Helper()
		g := prepared(t, run, adjust...)
		if err := g.Start([]byte(config)); err != nil {
			t.Fatal(err)
		}
		return g
	}
}

// prepared is a gateway that is not started yet.
func prepared(t *testing.T, run runner, adjust ...func(*envoytest.Options)) *gateway {
	o := envoytest.Options{HoldHeaders: true, BufferLimit: 4 << 20}
	for _, f := range adjust {
		f(&o)
	}
	g := &gateway{now: noon}
	g.Envoy = run(t, g, o)
	return g
}

// reconfigure updates the configuration.
func (g *gateway) reconfigure(t *testing.T, config string) {
	t.Helper()
	if err := g.Reconfigure([]byte(config)); err != nil {
		t.Fatal(err)
	}
}

// counter is the value of a counter once the VMs have handed over theirs.
func (g *gateway) counter(name string) uint64 {
	g.Tick()
	return g.Counter(name)
}

// one is a configuration with a single limit, its fields given as JSON, by
// default of one request a minute for each key.
func one(fields string) string { return withLimits("", fields) }

// withLimits is a configuration with limits and, in front of them, other fields.
func withLimits(fields string, list ...string) string {
	for i, l := range list {
		for _, missing := range [][2]string{
			{"name", `"l` + strconv.Itoa(i) + `"`}, {"scope", `["key"]`}, {"dimension", `"requests"`}, {"limit", "1"}, {"window", `"1m"`},
		} {
			if !strings.Contains(l, `"`+missing[0]+`"`) {
				l = `"` + missing[0] + `":` + missing[1] + comma(l) + l
			}
		}
		list[i] = "{" + l + "}"
	}
	return "{" + fields + comma(fields) + `"limits":[` + strings.Join(list, ",") + "]}"
}

func comma(behind string) string {
	if behind == "" {
		return ""
	}
	return ","
}

// aKey is a credential, hashed is how it may be shown.
const aKey, anotherKey = "sk-first-0123456789", "sk-second-0123456789"

func hashed(secret string) string { return limits.HashSecret(secret) }

// chat is a chat request with a key, and further fields of its body as JSON.
func chat(key string, fields ...string) envoytest.Request {
	body := `{"model":"gpt-4o","messages":[{"role":"user","content":"Say hello."}]`
	for _, f := range fields {
		body += "," + f
	}
	return post("/v1/chat/completions", body+"}", "authorization", "Bearer "+key)
}

// post is a JSON request with headers, name after value.
func post(path, body string, headers ...string) envoytest.Request {
	r := envoytest.Request{
		Headers: envoytest.Headers{{":path", path}, {":method", "POST"}, {"content-type", "application/json"}},
		Body:    []byte(body),
	}
	return with(r, headers...)
}

func get(path string, headers ...string) envoytest.Request {
	return with(envoytest.Request{Headers: envoytest.Headers{{":path", path}, {":method", "GET"}}}, headers...)
}

// with adds headers. Pseudo headers and content-type are replaced.
func with(r envoytest.Request, headers ...string) envoytest.Request {
	lines := append(envoytest.Headers{}, r.Headers...)
next:
	for i := 0; i < len(headers); i += 2 {
		if name := headers[i]; name[0] == ':' || name == "content-type" {
			for j := range lines {
				if lines[j][0] == name {
					lines[j][1] = headers[i+1]
					continue next
				}
			}
		}
		lines = append(lines, [2]string{headers[i], headers[i+1]})
	}
	r.Headers = lines
	return r
}

// keyed is a request of a client, of which only the key matters.
func keyed(headers ...string) envoytest.Request { return get("/v1/models", headers...) }

// answers is an upstream that answers each request alike.
func answers(status int, body string, headers ...string) envoytest.Upstream {
	return func(envoytest.Request) envoytest.Response {
		r := envoytest.Response{Status: status, Body: []byte(body), Headers: envoytest.Headers{{"content-type", "application/json"}}}
		for i := 0; i < len(headers); i += 2 {
			r.Headers = append(r.Headers, [2]string{headers[i], headers[i+1]})
		}
		return r
	}
}

// usage is an answer that reports its use.
func usage(input, output int) envoytest.Upstream {
	in, out := strconv.Itoa(input), strconv.Itoa(output)
	return answers(200, `{"id":"c1","object":"chat.completion","model":"gpt-4o","choices":[],"usage":{"prompt_tokens":`+in+
		`,"completion_tokens":`+out+`,"total_tokens":`+strconv.Itoa(input+output)+`}}`)
}

var ok = answers(200, "{}")

// unasked is an upstream that must not be reached.
func unasked(t *testing.T) envoytest.Upstream {
	return func(envoytest.Request) envoytest.Response {
		t.Helper()
		t.Error("the request reached the upstream")
		return envoytest.Response{}
	}
}

// state is what the filter tells of a request in filter state.
func state(r *envoytest.Result, name string) string { return r.FilterState["wasm.sluice_"+name] }

// number reads a header or a filter state that is a number.
func number(t *testing.T, text string) int {
	t.Helper()
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatalf("%q is no number", text)
	}
	return n
}

// remaining is what the response says is left of a dimension.
func remaining(t *testing.T, r *envoytest.Result, dimension string) int {
	t.Helper()
	return number(t, r.Headers.Get("x-ratelimit-remaining-"+dimension))
}

// has checks the status and headers of what the client got; the value "-" means
// that there is no such header.
func has(t *testing.T, r *envoytest.Result, status int, headers ...string) {
	t.Helper()
	if r.Status != status {
		t.Errorf("status %d, want %d; body %.300s", r.Status, status, r.Body)
	}
	for i := 0; i < len(headers); i += 2 {
		name, want := headers[i], headers[i+1]
		got := r.Headers.Values(name)
		if want == "-" {
			if len(got) > 0 {
				t.Errorf("%s: %q, want none", name, got)
			}
		} else if len(got) != 1 || got[0] != want {
			t.Errorf("%s: %q, want %q once", name, got, want)
		}
	}
}

// problem is the error that the client got, by its fields.
func problem(t *testing.T, r *envoytest.Result) map[string]any {
	t.Helper()
	var body struct {
		Error map[string]any `json:"error"`
	}
	if err := json.Unmarshal(r.Body, &body); err != nil || body.Error == nil {
		t.Fatalf("status %d, the body is no error: %v: %.300s", r.Status, err, r.Body)
	}
	return body.Error
}
