package envoytest_test

import (
	"reflect"
	"testing"

	"github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm"
	"github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm/types"

	"sluice/internal/envoytest"
)

// P2, P11: headers are reachable in their own phase and, to read, in the log.
func TestHeadersAreReachableInTheirPhase(t *testing.T) {
	request := func(where string, read, pairs, write error) {
		_, err := proxywasm.GetHttpRequestHeader(":path")
		errorIs(t, where+": get", err, read)
		_, err = proxywasm.GetHttpRequestHeaders()
		errorIs(t, where+": pairs", err, pairs)
		errorIs(t, where+": add", proxywasm.AddHttpRequestHeader("x-"+where, "1"), write)
		_, err = proxywasm.GetProperty([]string{"request", "path"})
		errorIs(t, where+": property", err, pairs)
	}
	response := func(where string, read, pairs, write error) {
		_, err := proxywasm.GetHttpResponseHeader(":status")
		errorIs(t, where+": get response", err, read)
		_, err = proxywasm.GetHttpResponseHeaders()
		errorIs(t, where+": response pairs", err, pairs)
		errorIs(t, where+": replace response", proxywasm.ReplaceHttpResponseHeader("x-"+where, "1"), write)
	}
	gone, empty := types.ErrorStatusBadArgument, types.ErrorStatusNotFound
	h := &hooks{
		requestHeaders: func(bool) types.Action {
			request("headers", nil, nil, nil)
			response("headers", gone, empty, gone)
			return types.ActionContinue
		},
		requestBody: func(int, bool) types.Action {
			request("body", gone, empty, gone)
			return types.ActionContinue
		},
		responseHeaders: func(bool) types.Action {
			request("response", gone, empty, gone)
			response("response", nil, nil, nil)
			return types.ActionContinue
		},
		responseBody: func(int, bool) types.Action {
			response("body", gone, empty, gone)
			return types.ActionContinue
		},
		done: func() {
			request("done", nil, nil, gone)
			response("done", nil, nil, gone)
		},
	}
	got := startHooks(t, t, h, envoytest.Options{}).Do(envoytest.Request{Body: []byte("b")}, ok)
	if !got.Upstream.Headers.Has("x-headers") || got.Upstream.Headers.Has("x-body") || !got.Headers.Has("x-response") {
		t.Errorf("the edits did not arrive: %v, %v", got.Upstream.Headers, got.Headers)
	}
}

// P13: repeated headers.
func TestRepeatedHeaders(t *testing.T) {
	h := &hooks{requestHeaders: func(bool) types.Action {
		got, err := proxywasm.GetHttpRequestHeader("X-A")
		if got != "1" || err != nil {
			t.Errorf("get returned %q, %v", got, err)
		}
		got, err = proxywasm.GetHttpRequestHeader("x-empty")
		if got != "" || err != nil {
			t.Errorf("get of an empty header returned %q, %v", got, err)
		}
		_, err = proxywasm.GetHttpRequestHeader("x-none")
		errorIs(t, "get of a missing header", err, types.ErrorStatusNotFound)

		errorIs(t, "replace", proxywasm.ReplaceHttpRequestHeader("X-B", "new"), nil)
		errorIs(t, "remove", proxywasm.RemoveHttpRequestHeader("x-c"), nil)
		errorIs(t, "remove of a missing header", proxywasm.RemoveHttpRequestHeader("x-none"), nil)
		errorIs(t, "add", proxywasm.AddHttpRequestHeader("X-A", "3"), nil)
		return types.ActionContinue
	}}
	got := startHooks(t, t, h, envoytest.Options{}).Do(envoytest.Request{Headers: envoytest.Headers{
		{":authority", "h"}, {":path", "/"}, {":method", "GET"}, {":scheme", "http"},
		{"X-A", "1"}, {"x-b", "1"}, {"x-c", "1"}, {"x-a", "2"}, {"x-b", "2"}, {"x-c", "2"}, {"x-empty", ""},
	}}, ok)
	want := envoytest.Headers{
		{":authority", "h"}, {":path", "/"}, {":method", "GET"}, {":scheme", "http"},
		{"x-a", "1"}, {"x-b", "new"}, {"x-a", "2"}, {"x-empty", ""}, {"x-a", "3"},
	}
	if !reflect.DeepEqual(got.Upstream.Headers, want) {
		t.Errorf("the upstream saw %v, want %v", got.Upstream.Headers, want)
	}
}

func TestReplaceAllHeaders(t *testing.T) {
	h := &hooks{responseHeaders: func(bool) types.Action {
		errorIs(t, "set", proxywasm.ReplaceHttpResponseHeaders([][2]string{{":status", "201"}, {"A", ""}}), nil)
		return types.ActionContinue
	}}
	got := startHooks(t, t, h, envoytest.Options{}).Do(envoytest.Request{}, ok)
	if want := (envoytest.Headers{{":status", "201"}, {"a", ""}}); got.Status != 201 || !reflect.DeepEqual(got.Headers, want) {
		t.Errorf("the client got %v, want %v", got.Headers, want)
	}
}

// P1, P3, P8: what stands still in Envoy fails the test.
func TestPausesThatHang(t *testing.T) {
	body := envoytest.Request{Body: []byte("b")}
	pause := func(bool) types.Action { return types.ActionPause }
	for name, test := range map[string]struct {
		hooks   *hooks
		request envoytest.Request
		hold    bool
		pitfall string
	}{
		"headers without the option":  {&hooks{requestHeaders: pause}, body, false, "P1"},
		"headers that end the stream": {&hooks{requestHeaders: pause}, envoytest.Request{}, true, "P3"},
		"response headers":            {&hooks{responseHeaders: pause}, body, false, "P1"},
		"last piece": {&hooks{requestBody: func(int, bool) types.Action { return types.ActionPause }},
			body, true, "last piece of the body"},
		"watermark": {&hooks{requestBody: func(int, bool) types.Action { return 2 }}, body, true, "P8"},
	} {
		t.Run(name, func(t *testing.T) {
			tb := &failures{T: t}
			got := startHooks(t, tb, test.hooks, envoytest.Options{HoldHeaders: test.hold}).Do(test.request, ok)
			tb.expect(t, test.pitfall)
			if got.Status != 0 {
				t.Errorf("the client got %d", got.Status)
			}
		})
	}
}
