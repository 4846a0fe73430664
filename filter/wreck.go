//go:build crash

package main

import (
	"github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm"
	"github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm/types"

	"sluice/internal/abi"
)

// With the build tag "crash", which no release has, a request with the header
// x-sluice-crash ends the VM: so e2e shows what becomes of the counters. It runs
// after main.go's init, for the files are in the order of their names.
func init() { proxywasm.SetVMContext(&wreckedVM{vm{now: abi.Now}}) }

type wreckedVM struct{ vm }

func (v *wreckedVM) NewPluginContext(id uint32) types.PluginContext {
	return &wreckedPlugin{v.vm.NewPluginContext(id)}
}

type wreckedPlugin struct{ types.PluginContext }

func (p *wreckedPlugin) NewHttpContext(id uint32) types.HttpContext {
	return &wreckedStream{p.PluginContext.NewHttpContext(id)}
}

type wreckedStream struct{ types.HttpContext }

func (s *wreckedStream) OnHttpRequestHeaders(n int, end bool) types.Action {
	if value, err := proxywasm.GetHttpRequestHeader("x-sluice-crash"); err == nil && value != "" {
		panic("as was asked for") // which nothing recovers here
	}
	return s.HttpContext.OnHttpRequestHeaders(n, end)
}
