// Command wasm is the limiter as a wasm module.
package main

import (
	"github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm"

	_ "sluice/internal/abi"
	"sluice/internal/envoytest/testdata/limiter"
)

func main() {}

func init() { proxywasm.SetVMContext(&limiter.VM{}) }
