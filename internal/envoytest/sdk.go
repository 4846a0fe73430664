package envoytest

import (
	"unsafe"

	"sluice/internal/abi"
)

// The SDK keeps its callbacks and its state in an internal package, so they are
// reached by linkname. The tests of package abi check these declarations against
// the SDK.

//go:linkname sdkCurrentState github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm/internal.currentState
var sdkCurrentState unsafe.Pointer

//go:linkname sdkVMStateReset github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm/internal.VMStateReset
func sdkVMStateReset()

//go:linkname sdkRegisterHost github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm/internal.RegisterMockWasmHost
func sdkRegisterHost(abi.Host) (release func())

//go:linkname sdkOnContextCreate github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm/internal.proxyOnContextCreate
func sdkOnContextCreate(context, parent uint32)

//go:linkname sdkOnVMStart github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm/internal.proxyOnVMStart
func sdkOnVMStart(context uint32, configurationSize int) bool

//go:linkname sdkOnConfigure github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm/internal.proxyOnConfigure
func sdkOnConfigure(context uint32, configurationSize int) bool

//go:linkname sdkOnTick github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm/internal.proxyOnTick
func sdkOnTick(context uint32)

//go:linkname sdkOnRequestHeaders github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm/internal.proxyOnRequestHeaders
func sdkOnRequestHeaders(context uint32, headers int, endOfStream bool) uint32

//go:linkname sdkOnRequestBody github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm/internal.proxyOnRequestBody
func sdkOnRequestBody(context uint32, bodySize int, endOfStream bool) uint32

//go:linkname sdkOnRequestTrailers github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm/internal.proxyOnRequestTrailers
func sdkOnRequestTrailers(context uint32, trailers int) uint32

//go:linkname sdkOnResponseHeaders github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm/internal.proxyOnResponseHeaders
func sdkOnResponseHeaders(context uint32, headers int, endOfStream bool) uint32

//go:linkname sdkOnResponseBody github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm/internal.proxyOnResponseBody
func sdkOnResponseBody(context uint32, bodySize int, endOfStream bool) uint32

//go:linkname sdkOnResponseTrailers github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm/internal.proxyOnResponseTrailers
func sdkOnResponseTrailers(context uint32, trailers int) uint32

//go:linkname sdkOnLog github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm/internal.proxyOnLog
func sdkOnLog(context uint32)

//go:linkname sdkOnDone github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm/internal.proxyOnDone
func sdkOnDone(context uint32) bool

//go:linkname sdkOnDelete github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm/internal.proxyOnDelete
func sdkOnDelete(context uint32)
