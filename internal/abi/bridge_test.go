package abi

import (
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"
)

// hostcalls says for each hostcall what its parameters are, in order:
//
//	number   an i32
//	long     an i64
//	text     the address and the size of bytes to read
//	answer   the addresses where the address and the size of an answer belong
//	id       the address where an i32 belongs
//	value    the address where an i64 belongs
var hostcalls = map[string]string{
	"proxy_log":                          "number text",
	"proxy_set_property":                 "text text",
	"proxy_get_property":                 "text answer",
	"proxy_send_local_response":          "number text text text number",
	"proxy_get_shared_data":              "text answer id",
	"proxy_set_shared_data":              "text text number",
	"proxy_register_shared_queue":        "text id",
	"proxy_resolve_shared_queue":         "text text id",
	"proxy_dequeue_shared_queue":         "number answer",
	"proxy_enqueue_shared_queue":         "number text",
	"proxy_get_header_map_value":         "number text answer",
	"proxy_add_header_map_value":         "number text text",
	"proxy_replace_header_map_value":     "number text text",
	"proxy_remove_header_map_value":      "number text",
	"proxy_get_header_map_pairs":         "number answer",
	"proxy_set_header_map_pairs":         "number text",
	"proxy_get_buffer_bytes":             "number number number answer",
	"proxy_set_buffer_bytes":             "number number number text",
	"proxy_continue_stream":              "number",
	"proxy_close_stream":                 "number",
	"proxy_http_call":                    "text text text text number id",
	"proxy_call_foreign_function":        "text text answer",
	"proxy_set_tick_period_milliseconds": "number",
	"proxy_set_effective_context":        "number",
	"proxy_done":                         "",
	"proxy_define_metric":                "number text id",
	"proxy_increment_metric":             "number long",
	"proxy_record_metric":                "number long",
	"proxy_get_metric":                   "number value",
}

// The queues the probe knows, see testdata/probe.
const (
	queueCollect  = 101
	queueRead     = 102
	queueAllocate = 103
)

// recorder answers every hostcall with success and notes how it was called.
type recorder struct {
	module api.Module
	answer string
	calls  []string
	// collect makes the probe collect memory between the allocation of an answer
	// and its use, the worst moment.
	collect bool
}

func (r *recorder) add(env wazero.HostModuleBuilder, name string) {
	kinds := strings.Fields(hostcalls[name])
	var parameters []api.ValueType
	for _, kind := range kinds {
		switch kind {
		case "long":
			parameters = append(parameters, api.ValueTypeI64)
		case "text", "answer":
			parameters = append(parameters, api.ValueTypeI32, api.ValueTypeI32)
		default:
			parameters = append(parameters, api.ValueTypeI32)
		}
	}
	call := func(ctx context.Context, m api.Module, stack []uint64) {
		memory, next := m.Memory(), stack
		take := func() uint32 { v := uint32(next[0]); next = next[1:]; return v }
		var arguments []string
		for _, kind := range kinds {
			switch kind {
			case "number":
				arguments = append(arguments, fmt.Sprint(int32(take())))
			case "long":
				arguments = append(arguments, fmt.Sprint(int64(next[0])))
				next = next[1:]
			case "text":
				text, _ := memory.Read(take(), take())
				arguments = append(arguments, fmt.Sprintf("%q", text))
			case "answer":
				// As in Envoy: an empty body leaves both untouched.
				at, size := take(), take()
				if r.answer != "" {
					block, err := m.ExportedFunction("proxy_on_memory_allocate").Call(ctx, uint64(len(r.answer)))
					if err != nil {
						panic(err)
					}
					if r.collect {
						if _, err := m.ExportedFunction("proxy_on_queue_ready").Call(ctx, 1, queueCollect); err != nil {
							panic(err)
						}
					}
					memory.WriteString(uint32(block[0]), r.answer)
					memory.WriteUint32Le(at, uint32(block[0]))
					memory.WriteUint32Le(size, uint32(len(r.answer)))
				}
			case "id":
				memory.WriteUint32Le(take(), 1<<31+7)
			case "value":
				memory.WriteUint64Le(take(), 1<<41)
			}
		}
		switch {
		case name == "proxy_log":
			text, _ := memory.Read(uint32(stack[1]), uint32(stack[2]))
			r.calls = append(r.calls, string(text))
		default:
			r.calls = append(r.calls, fmt.Sprintf("%s(%s)", strings.TrimPrefix(name, "proxy_"), strings.Join(arguments, ", ")))
		}
		stack[0] = 0
	}
	env.NewFunctionBuilder().
		WithGoModuleFunction(api.GoModuleFunc(call), parameters, []api.ValueType{api.ValueTypeI32}).
		Export(name)
}

// taken returns what has been recorded since it was last called.
func (r *recorder) taken() []string {
	calls := r.calls
	r.calls = nil
	return calls
}

// callback makes the call Envoy would make and returns its result, 0 if none.
func (r *recorder) callback(t *testing.T, name string, arguments ...uint64) uint64 {
	t.Helper()
	results, err := r.module.ExportedFunction("proxy_"+name).Call(t.Context(), arguments...)
	if err != nil {
		t.Fatalf("%s: %v\n%s", name, err, strings.Join(r.calls, "\n"))
	}
	if len(results) == 0 {
		return 0
	}
	return results[0]
}

// startProbe compiles testdata/probe as the filter is compiled, and runs it.
func startProbe(t *testing.T) *recorder {
	t.Helper()
	path := filepath.Join(t.TempDir(), "probe.wasm")
	build := exec.CommandContext(t.Context(), "go", "build", "-buildmode=c-shared", "-ldflags=-s -w", "-o", path, "./testdata/probe")
	build.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("cannot build the probe: %v\n%s", err, out)
	}
	binary, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}

	ctx := t.Context()
	runtime := wazero.NewRuntime(ctx)
	t.Cleanup(func() { runtime.Close(context.Background()) })
	wasi_snapshot_preview1.MustInstantiate(ctx, runtime)

	r := &recorder{answer: "answer"}
	env := runtime.NewHostModuleBuilder("env")
	for name := range hostcalls {
		r.add(env, name)
	}
	if _, err := env.Instantiate(ctx); err != nil {
		t.Fatal(err)
	}
	// P47: a reactor, whose main is never called.
	r.module, err = runtime.InstantiateWithConfig(ctx, binary,
		wazero.NewModuleConfig().WithStderr(os.Stderr).WithStartFunctions("_initialize"))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func check(t *testing.T, what string, got, want []string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s: got\n%s\nwant\n%s", what, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestBridge(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a wasm binary")
	}
	r := startProbe(t)
	if r.module.ExportedFunction("proxy_abi_version_0_2_0") == nil {
		t.Error("the marker of the ABI version is not exported (P48)")
	}

	t.Run("lifecycle", func(t *testing.T) {
		r.callback(t, "on_context_create", 1, 0)
		if r.callback(t, "on_vm_start", 1, 11) != 1 {
			t.Error("on_vm_start failed")
		}
		if r.callback(t, "on_configure", 1, 0) != 0 {
			t.Error("on_configure succeeded where the plug-in returns failure")
		}
		if r.callback(t, "on_configure", 1, 12) != 1 {
			t.Error("on_configure failed")
		}
		check(t, "callbacks", r.taken(), []string{
			"NewPluginContext(1)", "OnVMStart(11)", "OnPluginStart(0)", "OnPluginStart(12)",
		})
	})

	t.Run("stream", func(t *testing.T) {
		const pause, proceed = 1, 0
		r.callback(t, "on_context_create", 2, 1)
		for _, step := range []struct {
			callback  string
			arguments []uint64
			action    uint64
		}{
			{"on_request_headers", []uint64{2, 10, 0}, pause},
			{"on_request_body", []uint64{2, 5, 0}, pause},
			{"on_request_trailers", []uint64{2, 3}, pause},
			{"on_response_headers", []uint64{2, 4, 0}, proceed},
			{"on_response_body", []uint64{2, 0, 1}, proceed},
			{"on_response_trailers", []uint64{2, 1}, proceed},
		} {
			if got := r.callback(t, step.callback, step.arguments...); got != step.action {
				t.Errorf("%s returned %d, want %d", step.callback, got, step.action)
			}
		}
		r.callback(t, "on_log", 2)
		if r.callback(t, "on_done", 2) != 1 {
			t.Error("on_done returned 0")
		}
		r.callback(t, "on_delete", 2)
		check(t, "callbacks", r.taken(), []string{
			"NewHttpContext(2)",
			"OnHttpRequestHeaders(10, false)", "OnHttpRequestBody(5, false)", "OnHttpRequestTrailers(3)",
			"OnHttpResponseHeaders(4, false)", "OnHttpResponseBody(0, true)", "OnHttpResponseTrailers(1)",
			"OnHttpStreamDone()",
		})
	})

	t.Run("hostcalls", func(t *testing.T) {
		pairs := string(binary.LittleEndian.AppendUint32(nil, 1)) + "\x01\x00\x00\x00\x01\x00\x00\x00k\x00v\x00"
		quoted := fmt.Sprintf("%q", pairs)
		r.answer = pairs
		r.callback(t, "on_tick", 1)
		calls := r.taken()
		for i, call := range calls {
			calls[i] = strings.ReplaceAll(strings.ReplaceAll(call, quoted, "PAIRS"), "got "+pairs, "got ANSWER")
		}
		check(t, "hostcalls", calls, []string{
			`set_property("path\x00of", "value")`, "got , <nil>",
			`get_property("a\x00b")`, "got ANSWER, <nil>",
			`send_local_response(429, "", "body", PAIRS, -1)`, "got , <nil>",
			`get_shared_data("key")`, "got ANSWER, <nil>",
			`set_shared_data("key", "value", -2147483641)`, "got , <nil>",
			`register_shared_queue("queue")`, "got , <nil>",
			`resolve_shared_queue("vm", "queue")`, "got , <nil>",
			`enqueue_shared_queue(-2147483641, "value")`, "got , <nil>",
			`dequeue_shared_queue(-2147483641)`, "got ANSWER, <nil>",
			`get_header_map_value(2, "name")`, "got ANSWER, <nil>",
			`add_header_map_value(2, "name", "value")`, "got , <nil>",
			`replace_header_map_value(2, "name", "value")`, "got , <nil>",
			`remove_header_map_value(2, "name")`, "got , <nil>",
			`get_header_map_pairs(3)`, "got k=v, <nil>",
			`set_header_map_pairs(3, PAIRS)`, "got , <nil>",
			`get_buffer_bytes(1, 2, 20)`, "got ANSWER, <nil>",
			`set_buffer_bytes(1, 2147483647, 0, "more")`, "got , <nil>",
			`continue_stream(1)`, "got , <nil>",
			`close_stream(3)`, "got , <nil>",
			`http_call("cluster", PAIRS, "body", "\x00\x00\x00\x00", 250)`, "got , <nil>",
			`call_foreign_function("function", "parameter")`, "got ANSWER, <nil>",
			`set_tick_period_milliseconds(500)`, "got , <nil>",
			`set_effective_context(3)`, "got , <nil>",
			`done()`,
			`define_metric(0, "counter")`, `increment_metric(-2147483641, 1099511627776)`,
			`define_metric(1, "gauge")`, `increment_metric(-2147483641, -1)`,
			`define_metric(2, "histogram")`, `record_metric(-2147483641, 1099511627776)`,
			`get_metric(-2147483641)`, "got metric, <nil>",
		})

		r.callback(t, "on_http_call_response", 1, 1<<31+7, 2, 30, 4)
		check(t, "callout", r.taken(), []string{`set_effective_context(1)`, "OnHttpCallResponse(2, 30, 4)"})
	})

	// Envoy leaves the out-parameters of a failed hostcall, and of an empty body,
	// as they are: the plug-in must not see the answer of the hostcall before.
	t.Run("no stale answers", func(t *testing.T) {
		r.answer = ""
		r.callback(t, "on_tick", 1)
		for _, call := range r.taken() {
			if strings.HasPrefix(call, "got ") && !strings.HasPrefix(call, "got ,") && call != "got metric, <nil>" {
				t.Errorf("stale answer: %q", call)
			}
		}
	})

	t.Run("size zero", func(t *testing.T) {
		if r.callback(t, "on_memory_allocate", 0) == 0 {
			t.Error("an allocation of size 0 is answered with address 0")
		}
	})

	t.Run("memory", func(t *testing.T) {
		r.answer = strings.Repeat("0123456789abcdef", 1<<12)
		r.collect = true
		r.callback(t, "on_queue_ready", 1, queueRead)
		r.collect = false
		if calls := r.taken(); calls[len(calls)-1] != "all bodies are intact" {
			t.Errorf("got %s", calls[len(calls)-1])
		}

		// The three objects of a read are the block itself and two variables of the
		// SDK whose addresses it passes through an interface.
		r.callback(t, "on_queue_ready", 1, queueAllocate)
		if calls := r.taken(); calls[len(calls)-1] != "allocations: increment 0, body 3" {
			t.Errorf("got %s", calls[len(calls)-1])
		}
	})

	t.Run("queue", func(t *testing.T) {
		r.callback(t, "on_queue_ready", 1, 9)
		check(t, "callbacks", r.taken(), []string{"OnQueueReady(9)"})
	})
}
