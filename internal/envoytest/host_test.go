package envoytest_test

import (
	"math"
	"strings"
	"testing"

	"github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm"
	"github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm/types"

	"sluice/internal/envoytest"
)

// inRequest runs f where a filter handles the headers of a request.
func inRequest(t *testing.T, tb envoytest.TB, o envoytest.Options, f func()) (*envoytest.Envoy, *envoytest.Result) {
	t.Helper()
	envoy := startHooks(t, tb, &hooks{requestHeaders: func(bool) types.Action { f(); return types.ActionContinue }}, o)
	return envoy, envoy.Do(envoytest.Request{}, ok)
}

// P15: the semantics of compare-and-swap, in the order P15 lists them.
func TestSharedData(t *testing.T) {
	envoy, _ := inRequest(t, t, envoytest.Options{}, func() {
		set := func(value string, cas uint32) error { return proxywasm.SetSharedData("k", []byte(value), cas) }
		_, _, err := proxywasm.GetSharedData("k")
		errorIs(t, "missing", err, types.ErrorStatusNotFound)
		errorIs(t, "create", set("1", math.MaxUint32), nil)
		errorIs(t, "create again", set("2", math.MaxUint32), types.ErrorStatusCasMismatch)
		value, cas, err := proxywasm.GetSharedData("k")
		if string(value) != "1" || err != nil {
			t.Errorf("get returned %q, %v", value, err)
		}
		errorIs(t, "swap", set("3", cas), nil)
		errorIs(t, "stale swap", set("4", cas), types.ErrorStatusCasMismatch)
		errorIs(t, "blind", set("", 0), nil)
		value, cas, err = proxywasm.GetSharedData("k")
		if len(value) != 0 || cas == 0 || err != nil {
			t.Errorf("get of an empty value returned %q, %d, %v", value, cas, err)
		}
	})
	if keys := envoy.SharedData().Keys(); len(keys) != 1 || keys[0] != "k" {
		t.Errorf("keys %q", keys)
	}
}

// A test can play the worker that comes first.
func TestBeforeSet(t *testing.T) {
	shared := envoytest.NewSharedData()
	shared.Set("k", []byte("0"))
	shared.BeforeSet = func(key string) {
		shared.BeforeSet = nil
		shared.Set(key, []byte("other"))
	}
	inRequest(t, t, envoytest.Options{SharedData: shared}, func() {
		_, cas, err := proxywasm.GetSharedData("k")
		errorIs(t, "get", err, nil)
		errorIs(t, "set", proxywasm.SetSharedData("k", []byte("1"), cas), types.ErrorStatusCasMismatch)
	})
	if value, _ := shared.Get("k"); string(value) != "other" {
		t.Errorf("value %q", value)
	}
}

// A broken store fails the keys it is told to, and no others.
func TestBrokenSharedData(t *testing.T) {
	shared := envoytest.NewSharedData()
	shared.Broken = func(key string) bool { return key == "k" }
	inRequest(t, t, envoytest.Options{SharedData: shared}, func() {
		_, _, err := proxywasm.GetSharedData("k")
		errorIs(t, "get", err, types.ErrorInternalFailure)
		errorIs(t, "set", proxywasm.SetSharedData("k", []byte("1"), 0), types.ErrorInternalFailure)
		errorIs(t, "set another", proxywasm.SetSharedData("l", []byte("1"), 0), nil)
	})
	if keys := shared.Keys(); len(keys) != 1 || keys[0] != "l" {
		t.Errorf("keys %q", keys)
	}
}

// Only a stream that reached an upstream has its address.
func TestUpstreamAddress(t *testing.T) {
	for details, want := range map[string]bool{"": true, "request_rate_limited": false} {
		result := startHooks(t, t, &hooks{}, envoytest.Options{}).Do(envoytest.Request{},
			func(envoytest.Request) envoytest.Response { return envoytest.Response{CodeDetails: details} })
		if got := result.Properties["upstream.address"] != ""; got != want {
			t.Errorf("with code details %q the upstream has an address: %t", details, got)
		}
	}
}

// P33, P34, P37: attributes and filter state.
func TestProperties(t *testing.T) {
	get := func(want string, path ...string) {
		t.Helper()
		if got, err := proxywasm.GetProperty(path); string(got) != want || err != nil {
			t.Errorf("%q is %q, %v", path, got, err)
		}
	}
	_, result := inRequest(t, t, envoytest.Options{Properties: map[string]string{
		"xds.route_name": "chat", "connection.id": envoytest.Int(7), "xds.empty": "",
	}}, func() {
		get("chat", "xds", "route_name")
		get("\x07\x00\x00\x00\x00\x00\x00\x00", "connection", "id")
		get("", "xds", "empty")
		get("/", "request", "path")
		get("envoy.test", "request", "host")
		get("GET", "request", "headers", ":method")
		_, err := proxywasm.GetProperty([]string{"route_name"})
		errorIs(t, "a missing property", err, types.ErrorStatusNotFound)

		errorIs(t, "set", proxywasm.SetProperty([]string{"k"}, []byte("v")), nil)
		get("v", "filter_state", "wasm.k")
		get("v", "k")
		if proxywasm.SetProperty([]string{"empty"}, nil) == nil {
			t.Error("an empty property was set")
		}
	})
	if len(result.FilterState) != 1 || result.FilterState["wasm.k"] != "v" {
		t.Errorf("filter state %v", result.FilterState)
	}

	tb := &failures{T: t}
	inRequest(t, tb, envoytest.Options{}, func() {
		errorIs(t, "set", proxywasm.SetProperty([]string{"a", "b"}, []byte("v")), nil)
	})
	tb.expect(t, "P33")
}

// P40: an increment of 0 makes the SDK panic, which is a crash if nobody recovers.
func TestMetrics(t *testing.T) {
	envoy, _ := inRequest(t, t, envoytest.Options{}, func() {
		proxywasm.DefineCounterMetric("n").Increment(2)
		proxywasm.DefineCounterMetric("n").Increment(3)
		gauge := proxywasm.DefineGaugeMetric("n")
		gauge.Add(0)
		gauge.Add(-4)
		proxywasm.DefineHistogramMetric("h").Record(5)
		if gauge.Value() != -4 {
			t.Errorf("the gauge is %d", gauge.Value())
		}
	})
	if envoy.Counter("n") != 5 || envoy.Gauge("n") != -4 || envoy.Histogram("h")[0] != 5 || len(envoy.Metrics()) != 3 {
		t.Errorf("metrics %v: %d %d %d", envoy.Metrics(), envoy.Counter("n"), envoy.Gauge("n"), envoy.Histogram("h"))
	}

	tb := &failures{T: t}
	_, result := inRequest(t, tb, envoytest.Options{}, func() { proxywasm.DefineCounterMetric("n").Increment(0) })
	tb.expect(t, "bad argument")
	if result.Status != 503 {
		t.Errorf("the client got %d", result.Status)
	}
}

func TestLogs(t *testing.T) {
	tb := &failures{T: t}
	envoy, _ := inRequest(t, tb, envoytest.Options{}, func() {
		proxywasm.LogDebug("")
		proxywasm.LogWarn("beware")
		proxywasm.LogCritical("the end")
	})
	tb.expect(t, "the end")
	if got := envoy.Logs(envoytest.Warn); len(got) != 1 || got[0].Message != "beware" {
		t.Errorf("warnings %v", got)
	}
	if got := envoy.Logs(); len(got) != 3 || got[2].Level.String() != "critical" {
		t.Errorf("logs %v", got)
	}

	inRequest(t, t, envoytest.Options{AllowCritical: true}, func() { proxywasm.LogCritical("on purpose") })
}

func TestConfigurationsAndForeignFunctions(t *testing.T) {
	inRequest(t, t, envoytest.Options{
		VMConfig:         []byte("vm"),
		ForeignFunctions: map[string]func([]byte) []byte{"upper": func(p []byte) []byte { return []byte(strings.ToUpper(string(p))) }},
	}, func() {
		if got, err := proxywasm.GetVMConfiguration(); string(got) != "vm" || err != nil {
			t.Errorf("the VM configuration is %q, %v", got, err)
		}
		_, err := proxywasm.GetPluginConfiguration()
		errorIs(t, "the plug-in's configuration", err, types.ErrorStatusNotFound)

		if got, err := proxywasm.CallForeignFunction("upper", []byte("a")); string(got) != "A" || err != nil {
			t.Errorf("the foreign function returned %q, %v", got, err)
		}
		_, err = proxywasm.CallForeignFunction("lower", nil)
		errorIs(t, "a missing foreign function", err, types.ErrorStatusNotFound)
	})
}

// Streams of several VMs may overlap in one goroutine.
func TestSideBySide(t *testing.T) {
	newEnvoy := func(name string) *envoytest.Envoy {
		return startHooks(t, t, &hooks{requestHeaders: func(bool) types.Action {
			errorIs(t, "set", proxywasm.SetSharedData(name, nil, 0), nil)
			return types.ActionContinue
		}}, envoytest.Options{})
	}
	a, b := newEnvoy("a"), newEnvoy("b")
	first, second := a.NewStream(envoytest.StreamOptions{}), b.NewStream(envoytest.StreamOptions{})
	for _, s := range []*envoytest.Stream{first, second} {
		s.RequestHeaders(envoytest.Headers{{":path", "/"}}, true)
	}
	first.Done()
	second.Disconnect()
	if a.SharedData().Keys()[0] != "a" || b.SharedData().Keys()[0] != "b" {
		t.Error("the VMs were mixed up")
	}
}
