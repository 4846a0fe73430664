package e2e

import (
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"sluice/e2e/fakellm"
)

// retrying is a gateway with examples/retry-fallback/envoy.yaml, as it stands,
// and two providers behind it. The waits of its scenarios are long, so they go on
// side by side: a request names its own.
type retrying struct {
	*gateway
	providers [2]*fakellm.Server

	mu      sync.Mutex
	answers map[string]*[2][]fakellm.Script // of a scenario, what each provider still has to say
}

func startRetrying(t *testing.T) *retrying {
	t.Helper()
	second, err := fakellm.Start("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { second.Close() })
	g := startGateway(t, setup{file: "examples/retry-fallback/envoy.yaml", second: second})
	info, err := g.Get(t.Context(), "/server_info")
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(info, "/1.36.") {
		t.Skip("in Envoy 1.36 an upstream filter holds nothing (P29)")
	}
	r := &retrying{gateway: g, providers: [2]*fakellm.Server{g.provider, second}, answers: map[string]*[2][]fakellm.Script{}}
	for i, provider := range r.providers {
		provider.Use(func(request fakellm.Request) fakellm.Script { return r.next(request.Header.Get("X-Scenario"), i) })
	}
	return r
}

// script says what the providers answer to the attempts of a scenario, in order,
// the last again and again. Without, they are well.
func (g *retrying) script(scenario string, first, second []fakellm.Script) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.answers[scenario] = &[2][]fakellm.Script{first, second}
}

func (g *retrying) next(scenario string, provider int) (next fakellm.Script) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if answers := g.answers[scenario]; answers != nil && len(answers[provider]) > 0 {
		next = answers[provider][0]
		if left := answers[provider][1:]; len(left) > 0 {
			answers[provider] = left
		}
	}
	return next
}

// tried is the attempts of a scenario that each provider has seen.
func (g *retrying) tried(scenario string) (attempts [2][]fakellm.Request) {
	for i, provider := range g.providers {
		for _, r := range provider.Requests() {
			if r.Header.Get("X-Scenario") == scenario {
				attempts[i] = append(attempts[i], r)
			}
		}
	}
	return attempts
}

// refusals are what providers answer.
var (
	fine       = fakellm.Script{}
	overloaded = fakellm.Script{Status: 529, Header: header("Content-Type", "application/json"),
		Body: `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`}
	throttled = `{"error":{"message":"Rate limit reached for requests.","type":"requests","code":"rate_limit_exceeded"}}`
	spent     = `{"error":{"message":"You exceeded your current quota, please check your plan and billing details.","type":"insufficient_quota","code":"insufficient_quota"}}`
)

func header(pairs ...string) http.Header {
	h := http.Header{}
	for i := 0; i < len(pairs); i += 2 {
		h.Set(pairs[i], pairs[i+1])
	}
	return h
}

// throttle is a refusal that says when to come back by these headers.
func throttle(pairs ...string) fakellm.Script {
	return fakellm.Script{Status: 429, Header: header(append([]string{"Content-Type", "application/json"}, pairs...)...), Body: throttled}
}

// retryScenario is one request, what the providers answer to its attempts, and
// what comes of it.
type retryScenario struct {
	first, second []fakellm.Script
	path, body    string

	status  int             // that the client gets
	class   string          // of the refusal that it gets
	headers []string        // that it gets
	begins  string          // how the body does
	tried   [2]int          // attempts at each provider
	waits   []time.Duration // between those at the first
}

// run sends the request and holds what happens against what should.
func (g *retrying) run(t *testing.T, name string, s retryScenario) {
	g.script(name, s.first, s.second)
	// A client has no say in how often.
	h := http.Header{"X-Scenario": {name}, "X-Envoy-Max-Retries": {"9"}, "X-Envoy-Retry-On": {"5xx"}}
	r := g.do(t, request{key: name, path: s.path, body: s.body, header: h}).is(t, s.status)
	// However often it was tried, the client has made one request of 30.
	r.has(t, "x-ratelimit-limit-requests", "30", "x-ratelimit-remaining-requests", "29")
	r.has(t, s.headers...)
	if s.class != "" {
		if p := r.problem(t); p.Class != s.class || p.Source != "upstream" {
			t.Errorf("the client got %s", r.body)
		}
	}
	if !strings.HasPrefix(r.body, s.begins) {
		t.Errorf("the body is %s", r.body)
	}
	attempts := g.tried(name)
	for i, want := range s.tried {
		if got := len(attempts[i]); got != want {
			t.Errorf("provider %d was tried %d times, want %d", i+1, got, want)
		}
		for _, a := range attempts[i] {
			which := []string{"first", "second"}[i]
			if a.Host != which+".example.com" || a.Header.Get("Authorization") != "Bearer key-of-the-"+which {
				t.Errorf("provider %d was asked as %s with %q", i+1, a.Host, a.Header.Get("Authorization"))
			}
		}
	}
	for i, least := range s.waits {
		if len(attempts[0]) <= i+1 {
			break
		}
		// Envoy adds up to half.
		if wait := attempts[0][i+1].Arrived.Sub(attempts[0][i].Arrived); wait < least || wait > least*3/2+slack {
			t.Errorf("retry %d came after %v, want %v", i+1, wait, least)
		}
	}
}

// slack is what a loaded machine may add to a wait.
const slack = 1500 * time.Millisecond

// Envoy's own retries, told by the filter in the upstream role: they wait as long
// as the provider says, in whatever words it says so, leave quotas alone, and in
// the end go to the second provider. The client's limit is charged once.
func TestRetriesHonourTheProvider(t *testing.T) {
	g := startRetrying(t)
	one, two := []time.Duration{time.Second}, []time.Duration{2 * time.Second}
	hint := throttle()
	hint.Body = `{"error":{"message":"Rate limit reached for gpt-4o on tokens per min (TPM): Limit 30000, Used 29000, Requested 1500. Please try again in 1.2s.","type":"tokens","code":"rate_limit_exceeded"}}`
	event := fakellm.Script{Header: header("Content-Type", "text/event-stream"), Parts: []string{
		"data: " + `{"error":{"message":"The server is currently overloaded.","type":"server_error","code":"server_is_overloaded"}}` + "\n\n"}}
	quota := fakellm.Script{Status: 429, Header: header("Content-Type", "application/json", "Retry-After", "1"), Body: spent}

	scenarios := map[string]retryScenario{
		"seconds":        {first: []fakellm.Script{throttle("Retry-After", "1"), fine}, status: 200, tried: [2]int{2, 0}, waits: one},
		"a duration":     {first: []fakellm.Script{throttle("Retry-After", "2s"), fine}, status: 200, tried: [2]int{2, 0}, waits: two},
		"milliseconds":   {first: []fakellm.Script{throttle("Retry-After-Ms", "1500"), fine}, status: 200, tried: [2]int{2, 0}, waits: two},
		"a reset":        {first: []fakellm.Script{throttle("X-Ratelimit-Remaining-Tokens", "0", "X-Ratelimit-Reset-Tokens", "1.2s"), fine}, status: 200, tried: [2]int{2, 0}, waits: two},
		"a text":         {first: []fakellm.Script{hint, fine}, status: 200, tried: [2]int{2, 0}, waits: two},
		"an overload":    {first: []fakellm.Script{overloaded, fine}, status: 200, tried: [2]int{2, 0}, waits: []time.Duration{0}},
		"in the stream":  {first: []fakellm.Script{event, fine}, body: chat(`"stream":true`), status: 200, tried: [2]int{2, 0}, waits: []time.Duration{0}, begins: "data: "},
		"an answer":      {status: 200, tried: [2]int{1, 0}},
		"no rate limit":  {first: []fakellm.Script{{Status: 500, Body: `{"error":{"message":"The server had an error."}}`}}, status: 500, tried: [2]int{1, 0}},
		"a quota":        {first: []fakellm.Script{quota}, status: 429, tried: [2]int{1, 0}, class: "quota", headers: []string{"retry-after", "", "x-should-retry", "false"}},
		"a quota of 402": {first: []fakellm.Script{{Status: 402, Header: quota.Header, Body: spent}}, status: 402, tried: [2]int{1, 0}, class: "quota"},
		"a messages quota": {first: []fakellm.Script{quota}, path: "/v1/messages", body: `{"model":"claude-x","max_tokens":5,"messages":[]}`,
			status: 429, tried: [2]int{1, 0}, class: "quota", begins: `{"type":"error"`},
		"a fallback":  {first: []fakellm.Script{overloaded}, status: 200, tried: [2]int{2, 1}, waits: []time.Duration{0}},
		"none can":    {first: []fakellm.Script{overloaded}, second: []fakellm.Script{overloaded}, status: 503, tried: [2]int{2, 2}, class: "overload", headers: []string{"retry-after", "2"}},
		"both refuse": {first: []fakellm.Script{throttle("Retry-After", "1s")}, second: []fakellm.Script{throttle("Retry-After", "1s")}, status: 429, tried: [2]int{2, 2}, waits: one, class: "throttle", headers: []string{"retry-after", "1"}},
	}
	var all sync.WaitGroup
	for name, s := range scenarios {
		all.Go(func() { t.Run(name, func(t *testing.T) { g.run(t, name, s) }) })
	}
	all.Wait()

	// Each attempt that was refused is counted once: by the filter that saw it, not
	// again by the gateway's.
	g.countsRefused(t, map[[2]string]int{
		{"openai_compatible", "throttle"}: 5 + 4,
		{"anthropic", "overload"}:         1 + 2 + 4,
		{"openai_compatible", "overload"}: 1,
		{"openai_compatible", "quota"}:    2,
		{"anthropic", "quota"}:            1,
	})
	t.Run("a stream that has begun", g.aBegunStreamIsNotReplayed)
	t.Run("the gateway's own refusal", g.ownRefusalsAreNotRetried)
	t.Run("a storm", g.aStormIsNotMadeWorse)
	t.Run("a wait beyond the budget", g.aLongWaitGoesToTheSecond) // the first is left alone then
}

var (
	refusedLine = regexp.MustCompile(`sluice_upstream_refused\{(.*)\} (\d+)`)
	refusedBy   = regexp.MustCompile(`\bprovider="([^"]*)"`)
	refusedAs   = regexp.MustCompile(`\bclass="([^"]*)"`)
)

// countsRefused waits until sluice_upstream_refused has these values, by provider
// and class. Older Envoys put the cluster before its name.
func (g *retrying) countsRefused(t *testing.T, want map[[2]string]int) {
	t.Helper()
	deadline := time.Now().Add(patience)
	for {
		page, err := g.Get(t.Context(), "/stats/prometheus?filter=sluice_upstream_refused")
		if err != nil {
			t.Fatal(err)
		}
		got := map[[2]string]int{}
		for _, line := range refusedLine.FindAllStringSubmatch(page, -1) {
			by, as := refusedBy.FindStringSubmatch(line[1]), refusedAs.FindStringSubmatch(line[1])
			n, err := strconv.Atoi(line[2])
			if by == nil || as == nil || err != nil {
				t.Fatalf("%q", line)
			}
			got[[2]string{by[1], as[1]}] += n
		}
		if maps.Equal(got, want) {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("refusals %v, want %v, of %s", got, want, page)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// What has begun to reach the client is not sent again, whatever ends it.
func (g *retrying) aBegunStreamIsNotReplayed(t *testing.T) {
	content := `data: {"choices":[{"index":0,"delta":{"content":"Hel"}}]}` + "\n\n"
	failure := `data: {"error":{"message":"The server is currently overloaded.","type":"server_error","code":"server_is_overloaded"}}` + "\n\n"
	for name, script := range map[string]fakellm.Script{
		"by an error event": {Header: header("Content-Type", "text/event-stream"), Parts: []string{content, failure}, ChunkDelay: 50 * time.Millisecond},
		"by a cut":          {Header: header("Content-Type", "text/event-stream"), Parts: []string{content, content}, CutAfter: 1},
	} {
		g.script(name, []fakellm.Script{script, fine}, nil)
		r, err := g.try(t, request{key: name, body: chat(`"stream":true`), header: http.Header{"X-Scenario": {name}}})
		if err == nil && (r.status != 200 || !strings.HasPrefix(r.body, content) || strings.Count(r.body, content) != 1) {
			t.Errorf("%s: %d %s", name, r.status, r.body)
		}
		if cut := script.CutAfter > 0; cut != (err != nil) {
			t.Errorf("%s: %v, %s", name, err, r.body)
		}
		if tried := g.tried(name); len(tried[0]) != 1 || len(tried[1]) != 0 {
			t.Errorf("%s: tried %d and %d times", name, len(tried[0]), len(tried[1]))
		}
	}
}

// What the gateway refuses reaches no provider, and the router does not try.
func (g *retrying) ownRefusalsAreNotRetried(t *testing.T) {
	g.spend(t, 30, request{key: "busy"})
	attempts := func() int { return g.providers[0].Count() + g.providers[1].Count() }
	before, retries := attempts(), g.retries(t)
	if p := g.do(t, request{key: "busy"}).is(t, 429).problem(t); p.Source != "gateway" || p.Limit != "key-requests" {
		t.Errorf("problem %+v", p)
	}
	if n := attempts(); n != before || g.retries(t) != retries {
		t.Errorf("%d attempts and %s, before %d and %s", n, g.retries(t), before, retries)
	}
}

// retries is what Envoy tells of the retries that it has made.
func (g *retrying) retries(t *testing.T) string {
	t.Helper()
	page, err := g.Get(t.Context(), `/stats?filter=^cluster\.provider\.upstream_rq_retry$`)
	if err != nil || !strings.HasPrefix(page, "cluster.provider.upstream_rq_retry: ") {
		t.Fatalf("%q, %v", page, err)
	}
	return strings.TrimSpace(page)
}

// Where many are refused at once, ten may be tried again, and the others get
// their refusal at once.
func (g *retrying) aStormIsNotMadeWorse(t *testing.T) {
	const requests, retrying, retries = 40, 10, 3
	const scenario = "a storm"
	refuse := throttle("Retry-After", "1")
	refuse.Delay = 300 * time.Millisecond // so that all are there before the first is refused
	g.script(scenario, []fakellm.Script{refuse}, []fakellm.Script{refuse})
	var all sync.WaitGroup
	for i := range requests {
		all.Go(func() {
			r, err := g.try(t, request{key: fmt.Sprintf("storm-%d", i), header: http.Header{"X-Scenario": {scenario}}})
			if err != nil {
				t.Error(err)
			} else if p := r.problem(t); r.status != 429 || p.Class != "throttle" || *p.RetryAfter != 1 {
				t.Errorf("%d %s", r.status, r.body)
			}
		})
	}
	all.Wait()
	attempts := g.tried(scenario)
	if n := len(attempts[0]) + len(attempts[1]); n < requests+retrying || n > requests+retrying*retries {
		t.Errorf("%d attempts for %d requests", n, requests)
	}
}

// A wait that the router would not wait for sends the request to the second
// provider, and those after it too.
func (g *retrying) aLongWaitGoesToTheSecond(t *testing.T) {
	tried := func(scenario string) (first, second int) {
		g.script(scenario, []fakellm.Script{throttle("Retry-After", "1m")}, nil)
		began := time.Now()
		g.do(t, request{key: "long", header: http.Header{"X-Scenario": {scenario}}}).is(t, 200)
		if took := time.Since(began); took > 10*time.Second {
			t.Errorf("it took %v", took)
		}
		attempts := g.tried(scenario)
		return len(attempts[0]), len(attempts[1])
	}
	if first, second := tried("the one that meets it"); first < 1 || first > 2 || second != 1 {
		t.Errorf("the providers were tried %d and %d times", first, second)
	}
	for i := range 3 {
		if first, second := tried(fmt.Sprintf("after it, %d", i)); first != 0 || second != 1 {
			t.Errorf("the providers were tried %d and %d times", first, second)
		}
	}

	// Where both are so, the client gets to know the wait, and they are asked
	// again rather than no one.
	for range 2 {
		g.script("both", []fakellm.Script{throttle("Retry-After", "2m")}, []fakellm.Script{throttle("Retry-After", "2m")})
		began := time.Now()
		if p := g.do(t, request{key: "long", header: http.Header{"X-Scenario": {"both"}}}).is(t, 429).problem(t); *p.RetryAfter != 120 || time.Since(began) > 10*time.Second {
			t.Errorf("problem %+v after %v", p, time.Since(began))
		}
	}
	if attempts := g.tried("both"); len(attempts[0])+len(attempts[1]) > 2*4 {
		t.Errorf("the providers were tried %d and %d times", len(attempts[0]), len(attempts[1]))
	}
}
