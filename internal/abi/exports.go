//go:build wasip1 && !tinygo

package abi

import "unsafe"

// Envoy refuses a module that exports none of the ABI markers it knows (P48).
//
//go:wasmexport proxy_abi_version_0_2_0
func exportABIVersion() {}

// block is the memory that Envoy asked for last and has not yet handed over.
// Envoy holds it as a number only, so without this reference a collection between
// the allocation and the end of the hostcall could free it (P48).
var block []byte

// Envoy calls this in the midst of a hostcall, before that hostcall returns. It
// must therefore leave alone whatever the hostcall is using, the variable answer
// included. A size of 0 is answered with a valid address; the SDK's own function
// panics there.
//
//go:wasmexport proxy_on_memory_allocate
func exportOnMemoryAllocate(size uint32) unsafe.Pointer {
	block = make([]byte, size)
	return unsafe.Pointer(unsafe.SliceData(block))
}

//go:linkname onContextCreate github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm/internal.proxyOnContextCreate
func onContextCreate(context, parent uint32)

//go:wasmexport proxy_on_context_create
func exportOnContextCreate(context, parent uint32) { onContextCreate(context, parent) }

//go:linkname onVMStart github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm/internal.proxyOnVMStart
func onVMStart(context uint32, configurationSize int) bool

//go:wasmexport proxy_on_vm_start
func exportOnVMStart(context, configurationSize uint32) bool {
	return onVMStart(context, int(configurationSize))
}

//go:linkname onConfigure github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm/internal.proxyOnConfigure
func onConfigure(context uint32, configurationSize int) bool

//go:wasmexport proxy_on_configure
func exportOnConfigure(context, configurationSize uint32) bool {
	return onConfigure(context, int(configurationSize))
}

//go:linkname onTick github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm/internal.proxyOnTick
func onTick(context uint32)

//go:wasmexport proxy_on_tick
func exportOnTick(context uint32) { onTick(context) }

//go:linkname onQueueReady github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm/internal.proxyOnQueueReady
func onQueueReady(context, queue uint32)

//go:wasmexport proxy_on_queue_ready
func exportOnQueueReady(context, queue uint32) { onQueueReady(context, queue) }

//go:linkname onHTTPCallResponse github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm/internal.proxyOnHttpCallResponse
func onHTTPCallResponse(context, callout uint32, headers, bodySize, trailers int)

//go:wasmexport proxy_on_http_call_response
func exportOnHTTPCallResponse(context, callout, headers, bodySize, trailers uint32) {
	onHTTPCallResponse(context, callout, int(headers), int(bodySize), int(trailers))
}

//go:linkname onRequestHeaders github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm/internal.proxyOnRequestHeaders
func onRequestHeaders(context uint32, headers int, endOfStream bool) uint32

//go:wasmexport proxy_on_request_headers
func exportOnRequestHeaders(context, headers, endOfStream uint32) uint32 {
	return onRequestHeaders(context, int(headers), endOfStream != 0)
}

//go:linkname onRequestBody github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm/internal.proxyOnRequestBody
func onRequestBody(context uint32, bodySize int, endOfStream bool) uint32

//go:wasmexport proxy_on_request_body
func exportOnRequestBody(context, bodySize, endOfStream uint32) uint32 {
	return onRequestBody(context, int(bodySize), endOfStream != 0)
}

//go:linkname onRequestTrailers github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm/internal.proxyOnRequestTrailers
func onRequestTrailers(context uint32, trailers int) uint32

//go:wasmexport proxy_on_request_trailers
func exportOnRequestTrailers(context, trailers uint32) uint32 {
	return onRequestTrailers(context, int(trailers))
}

//go:linkname onResponseHeaders github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm/internal.proxyOnResponseHeaders
func onResponseHeaders(context uint32, headers int, endOfStream bool) uint32

//go:wasmexport proxy_on_response_headers
func exportOnResponseHeaders(context, headers, endOfStream uint32) uint32 {
	return onResponseHeaders(context, int(headers), endOfStream != 0)
}

//go:linkname onResponseBody github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm/internal.proxyOnResponseBody
func onResponseBody(context uint32, bodySize int, endOfStream bool) uint32

//go:wasmexport proxy_on_response_body
func exportOnResponseBody(context, bodySize, endOfStream uint32) uint32 {
	return onResponseBody(context, int(bodySize), endOfStream != 0)
}

//go:linkname onResponseTrailers github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm/internal.proxyOnResponseTrailers
func onResponseTrailers(context uint32, trailers int) uint32

//go:wasmexport proxy_on_response_trailers
func exportOnResponseTrailers(context, trailers uint32) uint32 {
	return onResponseTrailers(context, int(trailers))
}

//go:linkname onLog github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm/internal.proxyOnLog
func onLog(context uint32)

//go:wasmexport proxy_on_log
func exportOnLog(context uint32) { onLog(context) }

//go:linkname onDone github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm/internal.proxyOnDone
func onDone(context uint32) bool

//go:wasmexport proxy_on_done
func exportOnDone(context uint32) bool { return onDone(context) }

//go:linkname onDelete github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm/internal.proxyOnDelete
func onDelete(context uint32)

//go:wasmexport proxy_on_delete
func exportOnDelete(context uint32) { onDelete(context) }
