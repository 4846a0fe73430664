package envoytest_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm/types"

	"sluice/internal/envoytest"
)

// hooks is a filter made of functions, those it needs.
type hooks struct {
	requestHeaders  func(end bool) types.Action
	requestBody     func(size int, end bool) types.Action
	requestTrailers func() types.Action

	responseHeaders  func(end bool) types.Action
	responseBody     func(size int, end bool) types.Action
	responseTrailers func() types.Action

	done func()
}

type hooksVM struct {
	types.DefaultVMContext
	hooks *hooks
}

func (vm *hooksVM) NewPluginContext(uint32) types.PluginContext {
	return &hooksPlugin{hooks: vm.hooks}
}

type hooksPlugin struct {
	types.DefaultPluginContext
	hooks *hooks
}

func (p *hooksPlugin) NewHttpContext(uint32) types.HttpContext { return hooksStream{p.hooks} }

type hooksStream struct{ *hooks }

func (s hooksStream) OnHttpRequestHeaders(_ int, end bool) types.Action {
	return withEnd(s.requestHeaders, end)
}

func (s hooksStream) OnHttpRequestBody(size int, end bool) types.Action {
	return withSize(s.requestBody, size, end)
}
func (s hooksStream) OnHttpRequestTrailers(int) types.Action { return bare(s.requestTrailers) }

func (s hooksStream) OnHttpResponseHeaders(_ int, end bool) types.Action {
	return withEnd(s.responseHeaders, end)
}

func (s hooksStream) OnHttpResponseBody(size int, end bool) types.Action {
	return withSize(s.responseBody, size, end)
}
func (s hooksStream) OnHttpResponseTrailers(int) types.Action { return bare(s.responseTrailers) }

func (s hooksStream) OnHttpStreamDone() {
	if s.done != nil {
		s.done()
	}
}

func withEnd(f func(bool) types.Action, end bool) types.Action {
	if f == nil {
		return types.ActionContinue
	}
	return f(end)
}

func withSize(f func(int, bool) types.Action, size int, end bool) types.Action {
	if f == nil {
		return types.ActionContinue
	}
	return f(size, end)
}

func bare(f func() types.Action) types.Action {
	if f == nil {
		return types.ActionContinue
	}
	return f()
}

// failures is a TB that notes failures instead of failing.
type failures struct {
	*testing.T
	noted []string
}

func (f *failures) Errorf(format string, args ...any) {
	f.noted = append(f.noted, fmt.Sprintf(format, args...))
}

// expect checks that the one failure noted mentions the pitfall.
func (f *failures) expect(t *testing.T, pitfall string) {
	t.Helper()
	if len(f.noted) != 1 || !strings.Contains(f.noted[0], pitfall) {
		t.Errorf("failures %q, want one that mentions %s", f.noted, pitfall)
	}
}

func startHooks(t *testing.T, tb envoytest.TB, h *hooks, o envoytest.Options) *envoytest.Envoy {
	t.Helper()
	envoy := envoytest.Native(tb, func() types.VMContext { return &hooksVM{hooks: h} }, o)
	if err := envoy.Start(nil); err != nil {
		t.Fatal(err)
	}
	return envoy
}

// errorIs reports a hostcall whose error is not the expected one.
func errorIs(t *testing.T, what string, got, want error) {
	t.Helper()
	if got != want {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}
