// Command filter is the proxy-wasm plugin. Envoy loads it as a reactor: it
// calls _initialize, which runs init, and never main (P47).
package main

import (
	"github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm"

	"sluice/internal/abi" // lets the SDK run under the standard compiler
)

func main() {}

func init() { proxywasm.SetVMContext(&vm{now: abi.Now}) }
