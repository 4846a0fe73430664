package envoytest_test

import (
	"fmt"
	"math"
	"reflect"
	"testing"

	"github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm"
	"github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm/types"

	"sluice/internal/envoytest"
)

func chunks(texts ...string) [][]byte {
	var all [][]byte
	for _, text := range texts {
		all = append(all, []byte(text))
	}
	return all
}

// P5, P7: what a body callback is told and can read, held or not.
func TestBodySizes(t *testing.T) {
	for name, test := range map[string]struct {
		hold    bool
		request envoytest.Request
		want    []string
		passed  [][]byte
	}{
		"streaming": {false, envoytest.Request{Chunks: chunks("ab", "c")},
			[]string{"2 false ab", "1 false c", "0 true -"}, chunks("ab", "c")},
		"held": {true, envoytest.Request{Chunks: chunks("ab", "c")},
			[]string{"2 false ab", "3 false abc", "3 true abc"}, chunks("abc")},
		"end with the last chunk": {true, envoytest.Request{Chunks: chunks("ab", "c"), EndWithChunk: true},
			[]string{"2 false ab", "3 true abc"}, chunks("abc")},
		"streaming with trailers": {false, envoytest.Request{Body: []byte("ab"), Trailers: envoytest.Headers{{"t", "1"}}},
			[]string{"2 false ab", "trailers -"}, chunks("ab")},
		"held with trailers": {true, envoytest.Request{Body: []byte("ab"), Trailers: envoytest.Headers{{"t", "1"}}},
			[]string{"2 false ab", "trailers ab"}, chunks("ab")},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			read := func() string {
				body, err := proxywasm.GetHttpRequestBody(0, math.MaxInt32)
				if err != nil {
					errorIs(t, "read", err, types.ErrorStatusNotFound)
					return "-"
				}
				return string(body)
			}
			h := &hooks{
				requestHeaders: func(bool) types.Action {
					if test.hold {
						return types.ActionPause
					}
					return types.ActionContinue
				},
				requestBody: func(size int, end bool) types.Action {
					got = append(got, fmt.Sprintf("%d %t %s", size, end, read()))
					if test.hold && !end {
						return types.ActionPause
					}
					errorIs(t, "late header", proxywasm.AddHttpRequestHeader("late", "1"), map[bool]error{true: nil, false: types.ErrorStatusBadArgument}[test.hold])
					return types.ActionContinue
				},
				requestTrailers: func() types.Action {
					got = append(got, "trailers "+read())
					errorIs(t, "trailer", proxywasm.AddHttpRequestTrailer("u", "2"), nil)
					return types.ActionContinue
				},
			}
			result := startHooks(t, t, h, envoytest.Options{HoldHeaders: true}).Do(test.request, ok)
			if !reflect.DeepEqual(got, test.want) {
				t.Errorf("callbacks %q, want %q", got, test.want)
			}
			if !reflect.DeepEqual(result.Upstream.Chunks, test.passed) {
				t.Errorf("the upstream got %q, want %q", result.Upstream.Chunks, test.passed)
			}
			if n := len(result.Upstream.Trailers); n != 2*len(test.request.Trailers) {
				t.Errorf("the upstream got %d trailers", n)
			}
			if result.Status != 200 {
				t.Errorf("the client got %d", result.Status)
			}
		})
	}
}

func TestBodyEdits(t *testing.T) {
	h := &hooks{responseHeaders: func(bool) types.Action {
		errorIs(t, "remove", proxywasm.RemoveHttpResponseHeader("content-length"), nil)
		return types.ActionContinue
	}}
	h.responseBody = func(size int, end bool) types.Action {
		if !end {
			return types.ActionPause
		}
		errorIs(t, "append", proxywasm.AppendHttpResponseBody([]byte(">")), nil)
		errorIs(t, "prepend", proxywasm.PrependHttpResponseBody([]byte("<")), nil)
		part, err := proxywasm.GetHttpResponseBody(2, 3)
		if string(part) != "ell" || err != nil {
			t.Errorf("part %q, %v", part, err)
		}
		return types.ActionContinue
	}
	envoy := startHooks(t, t, h, envoytest.Options{})
	if got := envoy.Do(envoytest.Request{}, ok); string(got.Body) != "<hello>" {
		t.Errorf("the client got %q", got.Body)
	}

	h.responseBody = func(_ int, end bool) types.Action {
		if !end {
			return types.ActionPause
		}
		errorIs(t, "replace", proxywasm.ReplaceHttpResponseBody([]byte("other")), nil)
		return types.ActionContinue
	}
	if got := envoy.Do(envoytest.Request{}, ok); string(got.Body) != "other" {
		t.Errorf("the client got %q", got.Body)
	}
}

// P12: a body that no longer fits its content-length.
func TestContentLength(t *testing.T) {
	tb := &failures{T: t}
	h := &hooks{requestBody: func(_ int, end bool) types.Action {
		if !end {
			errorIs(t, "replace", proxywasm.ReplaceHttpRequestBody([]byte("longer")), nil)
		}
		return types.ActionContinue
	}}
	startHooks(t, tb, h, envoytest.Options{}).Do(envoytest.Request{Body: []byte("body")}, ok)
	tb.expect(t, "P12")
}

// P6: Envoy replies for the filter when it holds too much.
func TestBufferLimit(t *testing.T) {
	var sizes []int
	responses := 0
	h := &hooks{
		requestBody: func(size int, end bool) types.Action {
			sizes = append(sizes, size)
			if end {
				return types.ActionContinue
			}
			return types.ActionPause
		},
		responseHeaders: func(bool) types.Action { responses++; return types.ActionContinue },
	}
	envoy := startHooks(t, t, h, envoytest.Options{BufferLimit: 4})
	if got := envoy.Do(envoytest.Request{Body: []byte("1234")}, ok); got.Status != 200 {
		t.Errorf("a body of the limit got %d", got.Status)
	}
	got := envoy.Do(envoytest.Request{Body: []byte("12345")}, ok)
	if got.Status != 413 || !got.LocalReply || got.Properties["response.code_details"] != "request_payload_too_large" {
		t.Errorf("a larger body got %+v", got)
	}
	if !reflect.DeepEqual(sizes, []int{4, 4, 5}) || responses != 2 {
		t.Errorf("the filter saw bodies of %d and %d responses", sizes, responses)
	}

	h.requestBody = nil
	h.responseBody = func(int, bool) types.Action { return types.ActionPause }
	got = envoy.Do(envoytest.Request{}, ok)
	if !got.Reset || got.Properties["response.code_details"] != "response_payload_too_large" {
		t.Errorf("a larger response got %+v", got)
	}
}

// P23, P26: chunks of a response pass on as they come, and the client may leave.
func TestStreamedResponse(t *testing.T) {
	var details []byte
	h := &hooks{done: func() { details, _ = proxywasm.GetProperty([]string{"response", "code_details"}) }}
	envoy := startHooks(t, t, h, envoytest.Options{})

	events := envoytest.Response{Chunks: chunks("one", "two")}
	got := envoy.Do(envoytest.Request{}, func(envoytest.Request) envoytest.Response { return events })
	if !reflect.DeepEqual(got.Chunks, events.Chunks) || string(details) != "via_upstream" {
		t.Errorf("the client got %q, details %q", got.Chunks, details)
	}
	events.Disconnect = true
	got = envoy.Do(envoytest.Request{}, func(envoytest.Request) envoytest.Response { return events })
	if string(got.Body) != "onetwo" || string(details) != "downstream_remote_disconnect" {
		t.Errorf("the client got %q, details %q", got.Body, details)
	}
}

// P27: the log can be all a filter hears of a stream.
func TestDoneWithoutHeaders(t *testing.T) {
	done := 0
	h := &hooks{done: func() {
		done++
		_, err := proxywasm.GetHttpRequestHeaders()
		errorIs(t, "headers", err, types.ErrorStatusNotFound)
	}}
	s := startHooks(t, t, h, envoytest.Options{}).NewStream(envoytest.StreamOptions{})
	s.Done()
	s.Done()
	if done != 1 {
		t.Errorf("OnHttpStreamDone was called %d times", done)
	}
}
