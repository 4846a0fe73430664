// Command probe is a plug-in that makes every hostcall of the SDK and reports
// every callback, so that a test can see both pass over the bridge unharmed.
package main

import (
	"bytes"
	"runtime"

	"github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm"
	"github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm/types"

	_ "sluice/internal/abi"
)

func main() {}

func init() { proxywasm.SetVMContext(&vm{}) }

type vm struct{}

func (*vm) OnVMStart(size int) types.OnVMStartStatus {
	proxywasm.LogInfof("OnVMStart(%d)", size)
	return types.OnVMStartStatusOK
}

func (*vm) NewPluginContext(id uint32) types.PluginContext {
	proxywasm.LogInfof("NewPluginContext(%d)", id)
	return &plugin{}
}

type plugin struct{}

// OnPluginStart fails for an empty configuration, to show that both answers pass.
func (*plugin) OnPluginStart(size int) types.OnPluginStartStatus {
	proxywasm.LogInfof("OnPluginStart(%d)", size)
	return size > 0
}

func (*plugin) OnPluginDone() bool {
	proxywasm.LogInfo("OnPluginDone()")
	return true
}

// OnTick makes each hostcall once.
func (*plugin) OnTick() {
	got := func(what string, err error) { proxywasm.LogInfof("got %s, %v", what, err) }

	got("", proxywasm.SetProperty([]string{"path", "of"}, []byte("value")))
	property, err := proxywasm.GetProperty([]string{"a", "b"})
	got(string(property), err)

	got("", proxywasm.SendHttpResponse(429, [][2]string{{"k", "v"}}, []byte("body"), -1))

	data, cas, err := proxywasm.GetSharedData("key")
	got(string(data), err)
	got("", proxywasm.SetSharedData("key", []byte("value"), cas))

	queue, err := proxywasm.RegisterSharedQueue("queue")
	got("", err)
	_, err = proxywasm.ResolveSharedQueue("vm", "queue")
	got("", err)
	got("", proxywasm.EnqueueSharedQueue(queue, []byte("value")))
	data, err = proxywasm.DequeueSharedQueue(queue)
	got(string(data), err)

	header, err := proxywasm.GetHttpResponseHeader("name")
	got(header, err)
	got("", proxywasm.AddHttpResponseHeader("name", "value"))
	got("", proxywasm.ReplaceHttpResponseHeader("name", "value"))
	got("", proxywasm.RemoveHttpResponseHeader("name"))
	pairs, err := proxywasm.GetHttpResponseTrailers()
	if err == nil {
		header = pairs[0][0] + "=" + pairs[0][1]
	}
	got(header, err)
	got("", proxywasm.ReplaceHttpResponseTrailers([][2]string{{"k", "v"}}))

	body, err := proxywasm.GetHttpResponseBody(2, 20)
	got(string(body), err)
	got("", proxywasm.AppendHttpResponseBody([]byte("more")))

	got("", proxywasm.ResumeHttpResponse())
	got("", proxywasm.CloseUpstream())

	_, err = proxywasm.DispatchHttpCall("cluster", [][2]string{{"k", "v"}}, []byte("body"), nil, 250, func(headers, size, trailers int) {
		proxywasm.LogInfof("OnHttpCallResponse(%d, %d, %d)", headers, size, trailers)
	})
	got("", err)
	data, err = proxywasm.CallForeignFunction("function", []byte("parameter"))
	got(string(data), err)

	got("", proxywasm.SetTickPeriodMilliSeconds(500))
	got("", proxywasm.SetEffectiveContext(3))
	proxywasm.PluginDone()

	proxywasm.DefineCounterMetric("counter").Increment(1 << 40)
	proxywasm.DefineGaugeMetric("gauge").Add(-1)
	histogram := proxywasm.DefineHistogramMetric("histogram")
	histogram.Record(1 << 40)
	if histogram.Value() == 1<<41 {
		got("metric", nil)
	}
}

// The queues on which the test asks for something other than a report.
const (
	queueCollect  = 101
	queueRead     = 102
	queueAllocate = 103
)

// overwritten holds blocks made right after a collection, where a block that was
// freed too early would have been.
var overwritten [][]byte

func (*plugin) OnQueueReady(queue uint32) {
	switch queue {
	default:
		proxywasm.LogInfof("OnQueueReady(%d)", queue)
	case queueCollect:
		runtime.GC()
		overwritten = append(overwritten, bytes.Repeat([]byte("x"), 1<<16))
	case queueRead:
		readBodies()
	case queueAllocate:
		counter := proxywasm.DefineCounterMetric("counter")
		proxywasm.LogInfof("allocations: increment %d, body %d",
			allocations(func() { counter.Increment(1) }),
			allocations(func() { _, _ = proxywasm.GetHttpResponseBody(0, 64) }))
	}
}

// readBodies reads a large body over and over, while the test has memory
// collected in the midst of each hostcall.
func readBodies() {
	want := bytes.Repeat([]byte("0123456789abcdef"), 1<<12)
	for range 200 {
		overwritten = nil
		body, err := proxywasm.GetHttpResponseBody(0, len(want))
		if err != nil {
			panic(err)
		}
		if runtime.GC(); !bytes.Equal(body, want) {
			panic("the body has changed")
		}
		for _, block := range overwritten {
			if bytes.ContainsAny(block, "0123456789abcdef") {
				panic("Envoy wrote the body where something else was")
			}
		}
	}
	proxywasm.LogInfo("all bodies are intact")
}

// allocations is the number of heap objects one call makes.
func allocations(call func()) uint64 {
	const calls = 200
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range calls {
		call()
	}
	runtime.ReadMemStats(&after)
	return (after.Mallocs - before.Mallocs) / calls
}

func (*plugin) NewTcpContext(uint32) types.TcpContext { return nil }

func (*plugin) NewHttpContext(id uint32) types.HttpContext {
	proxywasm.LogInfof("NewHttpContext(%d)", id)
	return &stream{}
}

type stream struct{}

func (*stream) OnHttpRequestHeaders(headers int, end bool) types.Action {
	proxywasm.LogInfof("OnHttpRequestHeaders(%d, %t)", headers, end)
	return types.ActionPause
}

func (*stream) OnHttpRequestBody(size int, end bool) types.Action {
	proxywasm.LogInfof("OnHttpRequestBody(%d, %t)", size, end)
	return types.ActionPause
}

func (*stream) OnHttpRequestTrailers(trailers int) types.Action {
	proxywasm.LogInfof("OnHttpRequestTrailers(%d)", trailers)
	return types.ActionPause
}

func (*stream) OnHttpResponseHeaders(headers int, end bool) types.Action {
	proxywasm.LogInfof("OnHttpResponseHeaders(%d, %t)", headers, end)
	return types.ActionContinue
}

func (*stream) OnHttpResponseBody(size int, end bool) types.Action {
	proxywasm.LogInfof("OnHttpResponseBody(%d, %t)", size, end)
	return types.ActionContinue
}

func (*stream) OnHttpResponseTrailers(trailers int) types.Action {
	proxywasm.LogInfof("OnHttpResponseTrailers(%d)", trailers)
	return types.ActionContinue
}

func (*stream) OnHttpStreamDone() { proxywasm.LogInfo("OnHttpStreamDone()") }
