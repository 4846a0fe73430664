package envoytest_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm/types"

	"sluice/internal/envoytest"
	"sluice/internal/envoytest/testdata/limiter"
)

// limiterBinary builds the limiter once.
var limiterBinary = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "envoytest")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "limiter.wasm")
	build := exec.Command("go", "build", "-buildmode=c-shared", "-ldflags=-s -w", "-o", path, "./testdata/limiter/wasm")
	build.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm")
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
})

func newLimiter(t envoytest.TB, o envoytest.Options) *envoytest.Envoy {
	return envoytest.Native(t, func() types.VMContext { return &limiter.VM{} }, o)
}

// onBoth runs a test against the native limiter and the compiled one.
func onBoth(t *testing.T, test func(t *testing.T, start func(envoytest.TB, envoytest.Options) *envoytest.Envoy)) {
	t.Run("native", func(t *testing.T) {
		test(t, newLimiter)
	})
	t.Run("wasm", func(t *testing.T) {
		if testing.Short() {
			t.Skip("builds a wasm binary")
		}
		binary, err := limiterBinary()
		if err != nil {
			t.Fatal(err)
		}
		test(t, func(tb envoytest.TB, o envoytest.Options) *envoytest.Envoy { return envoytest.Wasm(tb, binary, o) })
	})
}

func ok(envoytest.Request) envoytest.Response {
	return envoytest.Response{Headers: envoytest.Headers{{"X-Seen", "a"}, {"X-Seen", "b"}}, Body: []byte("hello")}
}

var userRequest = envoytest.Request{
	Headers: envoytest.Headers{{":path", "/v1"}, {"X-User", "u"}},
	Body:    []byte("question"),
}

func TestScenario(t *testing.T) {
	var native []*envoytest.Result
	onBoth(t, func(t *testing.T, start func(envoytest.TB, envoytest.Options) *envoytest.Envoy) {
		clock := time.Unix(1e9, 0)
		envoy := start(t, envoytest.Options{
			HoldHeaders: true,
			Properties:  map[string]string{"source.address": "10.0.0.1:1"},
			Clock:       func() time.Time { return clock },
		})
		if err := envoy.Start([]byte("1")); err != nil {
			t.Fatal(err)
		}
		admitted := envoy.Do(userRequest, ok)
		refused := envoy.Do(userRequest, ok)

		if admitted.Status != 200 || string(admitted.Body) != "hello" || admitted.LocalReply {
			t.Errorf("the first request got %+v", admitted)
		}
		if up := admitted.Upstream; up == nil || up.Headers.Has("x-user") || up.Headers.Get("x-size") != "8" || string(up.Body) != "question" {
			t.Errorf("the upstream saw %+v", up)
		}
		if got := admitted.Headers.Values("x-seen"); !reflect.DeepEqual(got, []string{"200 false"}) {
			t.Errorf("x-seen is %q", got)
		}
		if got := admitted.FilterState["wasm.outcome"]; got != "/v1 200" {
			t.Errorf("the filter state is %q", got)
		}

		if refused.Status != 429 || string(refused.Body) != "no more for 10.0.0.1:1" || !refused.LocalReply || refused.Upstream != nil {
			t.Errorf("the second request got %+v", refused)
		}
		if refused.Headers.Get("retry-after") != "1" || refused.Headers.Get("x-seen") != "429 true" {
			t.Errorf("the reply has headers %v", refused.Headers)
		}
		if d, found := refused.Properties["response.code_details"]; d != "" || !found {
			t.Errorf("the reply has code details %q, %t", d, found)
		}

		if got := envoy.Counter("admitted"); got != 1 {
			t.Errorf("admitted is %d", got)
		}
		if got := envoy.Gauge("open"); got != 0 {
			t.Errorf("open is %d", got)
		}
		if got := envoy.Histogram("sizes"); !reflect.DeepEqual(got, []uint64{8, 8}) {
			t.Errorf("sizes is %d", got)
		}
		if value, _ := envoy.SharedData().Get("count/u"); !bytes.Equal(value, []byte{1, 0, 0, 0}) {
			t.Errorf("the shared data are %v", value)
		}
		if logs := envoy.Logs(envoytest.Warn, envoytest.Error); len(logs) > 0 {
			t.Errorf("logs %v", logs)
		}

		if native == nil {
			native = []*envoytest.Result{admitted, refused}
		} else if !reflect.DeepEqual(native, []*envoytest.Result{admitted, refused}) {
			t.Error("the compiled filter behaves unlike the native one")
		}
	})
}

func TestConfiguration(t *testing.T) {
	onBoth(t, func(t *testing.T, start func(envoytest.TB, envoytest.Options) *envoytest.Envoy) {
		for _, config := range []string{"", "many"} {
			err := start(t, envoytest.Options{}).Start([]byte(config))
			if err == nil || !strings.Contains(err.Error(), "configuration") {
				t.Errorf("Start(%q) = %v", config, err)
			}
		}

		// P18: shared data outlast the configuration, a stream stays with the one it
		// began with, and a bad one changes nothing.
		envoy := start(t, envoytest.Options{HoldHeaders: true})
		if err := envoy.Start([]byte("1")); err != nil {
			t.Fatal(err)
		}
		envoy.Do(userRequest, ok)
		old := envoy.NewStream(envoytest.StreamOptions{})
		if err := envoy.Reconfigure([]byte("none")); err == nil {
			t.Error("a bad configuration is accepted")
		}
		if got := envoy.Do(userRequest, ok); got.Status != 429 {
			t.Errorf("after a bad configuration: %d", got.Status)
		}
		if err := envoy.Reconfigure([]byte("2")); err != nil {
			t.Fatal(err)
		}
		old.RequestHeaders(envoytest.Headers{{"x-user", "u"}}, true)
		old.Done()
		if got := old.Result(); got.Status != 429 {
			t.Errorf("the old stream got %d", got.Status)
		}
		for i, want := range []int{200, 429} {
			if got := envoy.Do(userRequest, ok); got.Status != want {
				t.Errorf("request %d under the new limit: %d, want %d", i, got.Status, want)
			}
		}
	})
}

// P42: a crash fails the test, answers with 503 and takes its worker with it.
func TestCrash(t *testing.T) {
	onBoth(t, func(t *testing.T, start func(envoytest.TB, envoytest.Options) *envoytest.Envoy) {
		tb := &failures{T: t}
		envoy := start(tb, envoytest.Options{Workers: 2})
		if err := envoy.Start([]byte("9")); err != nil {
			t.Fatal(err)
		}
		request := envoytest.Request{Headers: envoytest.Headers{{"x-user", "crash"}}}
		for range 2 {
			if got := envoy.Do(request, ok); got.Status != 503 {
				t.Errorf("after the crash: %d", got.Status)
			}
		}
		tb.expect(t, "crashed")
		if got := envoy.Do(envoytest.Request{Worker: 1}, ok); got.Status != 200 {
			t.Errorf("the other worker: %d", got.Status)
		}
	})
}

// P15: several workers, many requests at once, and not one too many.
func TestWorkers(t *testing.T) {
	onBoth(t, func(t *testing.T, start func(envoytest.TB, envoytest.Options) *envoytest.Envoy) {
		const workers, each, limit = 4, 25, 60
		envoy := start(t, envoytest.Options{HoldHeaders: true, Workers: workers, Properties: map[string]string{"source.address": "a"}})
		if err := envoy.Start([]byte("60")); err != nil {
			t.Fatal(err)
		}
		var group sync.WaitGroup
		statuses := make([][]int, workers)
		for n := range workers {
			group.Go(func() {
				request := userRequest
				request.Worker = n
				for range each {
					statuses[n] = append(statuses[n], envoy.Do(request, ok).Status)
				}
			})
		}
		group.Wait()
		count := map[int]int{}
		for _, each := range statuses {
			for _, status := range each {
				count[status]++
			}
		}
		if count[200] != limit || count[429] != workers*each-limit {
			t.Errorf("statuses %v", count)
		}
		if got := envoy.Counter("admitted"); got != limit {
			t.Errorf("the workers counted %d", got)
		}
	})
}

func TestClockAndTick(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a wasm binary")
	}
	binary, err := limiterBinary()
	if err != nil {
		t.Fatal(err)
	}
	now := time.Unix(1e9, 0)
	envoy := envoytest.Wasm(t, binary, envoytest.Options{Clock: func() time.Time { return now }})
	if err := envoy.Start([]byte("1")); err != nil {
		t.Fatal(err)
	}
	envoy.Tick()
	now = now.Add(time.Hour)
	envoy.Tick()
	want := []envoytest.Log{
		{Level: envoytest.Info, Message: "tick at 1000000000"},
		{Level: envoytest.Info, Message: "tick at 1000003600"},
	}
	if got := envoy.Logs(); !reflect.DeepEqual(got, want) {
		t.Errorf("logs %v", got)
	}
}
