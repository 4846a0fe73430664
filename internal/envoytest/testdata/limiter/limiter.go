// Package limiter is a tiny filter that uses every hostcall a filter like ours
// needs. It admits as many requests with one x-user as its configuration says, and
// crashes over the user "crash".
package limiter

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm"
	"github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm/types"
)

// VM is the entry point.
type VM struct{ types.DefaultVMContext }

// NewPluginContext is called by the SDK.
func (*VM) NewPluginContext(uint32) types.PluginContext { return &plugin{} }

type plugin struct {
	types.DefaultPluginContext
	limit    uint32
	admitted proxywasm.MetricCounter
	open     proxywasm.MetricGauge
	sizes    proxywasm.MetricHistogram
}

func (p *plugin) OnPluginStart(int) types.OnPluginStartStatus {
	config, err := proxywasm.GetPluginConfiguration()
	if err != nil {
		proxywasm.LogErrorf("no configuration: %v", err)
		return types.OnPluginStartStatusFailed
	}
	limit, err := strconv.Atoi(string(config))
	if err != nil {
		proxywasm.LogErrorf("bad configuration: %v", err)
		return types.OnPluginStartStatusFailed
	}
	p.limit = uint32(limit)
	p.admitted = proxywasm.DefineCounterMetric("admitted")
	p.open = proxywasm.DefineGaugeMetric("open")
	p.sizes = proxywasm.DefineHistogramMetric("sizes")
	if err := proxywasm.SetTickPeriodMilliSeconds(1000); err != nil {
		panic(err)
	}
	return types.OnPluginStartStatusOK
}

func (p *plugin) OnTick() { proxywasm.LogInfof("tick at %d", time.Now().Unix()) }

func (p *plugin) NewHttpContext(uint32) types.HttpContext { return &stream{plugin: p} }

type stream struct {
	types.DefaultHttpContext
	plugin  *plugin
	user    string
	replied bool
}

func (s *stream) OnHttpRequestHeaders(_ int, end bool) types.Action {
	s.plugin.open.Add(1)
	headers, err := proxywasm.GetHttpRequestHeaders()
	note("request headers", err)
	for _, h := range headers {
		if h[0] == "x-user" {
			s.user = h[1]
		}
	}
	if s.user == "crash" {
		panic("a crash, as ordered")
	}
	note("remove", proxywasm.RemoveHttpRequestHeader("x-user"))
	if end {
		return s.admit()
	}
	return types.ActionPause
}

func (s *stream) OnHttpRequestBody(size int, end bool) types.Action {
	if s.replied || !end {
		return types.ActionPause
	}
	body, err := proxywasm.GetHttpRequestBody(0, math.MaxInt32)
	note("request body", err)
	s.plugin.sizes.Record(uint64(len(body)))
	note("late header", proxywasm.AddHttpRequestHeader("x-size", strconv.Itoa(len(body))))
	return s.admit()
}

// admit counts the request with compare-and-swap.
func (s *stream) admit() types.Action {
	for {
		value, cas, err := proxywasm.GetSharedData("count/" + s.user)
		var count uint32
		switch {
		case errors.Is(err, types.ErrorStatusNotFound):
			cas = math.MaxUint32
		case err != nil:
			panic(err)
		default:
			count = binary.LittleEndian.Uint32(value)
		}
		if count >= s.plugin.limit {
			s.replied = true
			address, err := proxywasm.GetProperty([]string{"source", "address"})
			note("address", err)
			note("reply", proxywasm.SendHttpResponse(429, [][2]string{{"Retry-After", "1"}}, []byte("no more for "+string(address)), -1))
			return types.ActionPause
		}
		err = proxywasm.SetSharedData("count/"+s.user, binary.LittleEndian.AppendUint32(nil, count+1), cas)
		if errors.Is(err, types.ErrorStatusCasMismatch) {
			continue
		}
		note("count", err)
		s.plugin.admitted.Increment(1)
		return types.ActionContinue
	}
}

func (s *stream) OnHttpResponseHeaders(int, bool) types.Action {
	status, err := proxywasm.GetHttpResponseHeader(":status")
	note("status", err)
	note("replace", proxywasm.ReplaceHttpResponseHeader("x-seen", fmt.Sprintf("%s %t", status, s.replied)))
	return types.ActionContinue
}

func (s *stream) OnHttpStreamDone() {
	s.plugin.open.Add(-1)
	path, err := proxywasm.GetHttpRequestHeader(":path")
	note("path", err)
	code, err := proxywasm.GetProperty([]string{"response", "code"})
	note("code", err)
	note("set", proxywasm.SetProperty([]string{"outcome"}, fmt.Appendf(nil, "%s %d", path, binary.LittleEndian.Uint64(code))))
	got, err := proxywasm.GetProperty([]string{"filter_state", "wasm.outcome"})
	note("get", err)
	proxywasm.LogInfof("outcome %s, %d admitted", got, s.plugin.admitted.Value())
}

func note(what string, err error) {
	if err != nil {
		proxywasm.LogWarnf("%s: %v", what, err)
	}
}
