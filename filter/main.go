// Command filter is the proxy-wasm plugin. Envoy loads it as a reactor: it
// calls _initialize, which runs init, and never main (P47).
package main

import (
	"runtime/debug"

	"github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm"

	"sluice/internal/abi" // lets the SDK run under the standard compiler
)

func main() {}

// gcPercent lets the heap, which is of a few MB, grow to four times what is in
// use before it is collected: wasm has one thread, so a collection is part of
// some request.
const gcPercent = 300

func init() {
	debug.SetGCPercent(gcPercent)
	proxywasm.SetVMContext(&vm{now: abi.Now})
}
