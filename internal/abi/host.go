//go:build wasip1 && !tinygo

package abi

import "unsafe"

//go:linkname registerHost github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm/internal.RegisterMockWasmHost
func registerHost(Host) (release func())

// The registration is never released: the SDK guards it by a lock so that its
// tests take turns, and a VM has but one host.
func init() {
	KeepHostMethods(envoy{})
	registerHost(envoy{})
}

// envoy is the real host.
type envoy struct{}

// answer is where Envoy writes the address and the size of a block it answers
// with. It writes 32 bits into data, whose upper half stays zero, so that data
// then holds a valid pointer of 64 bits: wasm is little-endian.
//
// They are package variables, not locals, for two reasons. A hostcall then
// allocates nothing. And their address does not change: Envoy calls
// proxy_on_memory_allocate before it writes, a collection may happen there, and a
// collection may move a goroutine's stack. For the same reason no import below is
// marked go:noescape, which would allow a caller to pass the address of a local.
//
// There is one of each because wasm has one thread and Envoy writes its answer
// after everything else it does in a hostcall.
var answer struct {
	data *byte
	size uint32
}

// receive hands the answer on and forgets it. Both fields are zero again before
// the next hostcall, which matters: on failure, and for an empty body, Envoy
// leaves them as they are (P5, P48).
func receive(data **byte, size *int) {
	*data, *size = answer.data, int(answer.size)
	answer.data, answer.size = nil, 0
	block = nil
}

//go:wasmimport env proxy_log
func proxyLog(level uint32, message *byte, messageSize uint32) uint32

func (envoy) ProxyLog(level uint32, message *byte, messageSize int) uint32 {
	return proxyLog(level, message, uint32(messageSize))
}

//go:wasmimport env proxy_set_property
func proxySetProperty(path *byte, pathSize uint32, value *byte, valueSize uint32) uint32

func (envoy) ProxySetProperty(path *byte, pathSize int, value *byte, valueSize int) uint32 {
	return proxySetProperty(path, uint32(pathSize), value, uint32(valueSize))
}

//go:wasmimport env proxy_get_property
func proxyGetProperty(path *byte, pathSize uint32, value unsafe.Pointer, valueSize *uint32) uint32

func (envoy) ProxyGetProperty(path *byte, pathSize int, value **byte, valueSize *int) uint32 {
	status := proxyGetProperty(path, uint32(pathSize), unsafe.Pointer(&answer.data), &answer.size)
	receive(value, valueSize)
	return status
}

//go:wasmimport env proxy_send_local_response
func proxySendLocalResponse(statusCode uint32, details *byte, detailsSize uint32, body *byte, bodySize uint32, headers *byte, headersSize uint32, grpcStatus int32) uint32

func (envoy) ProxySendLocalResponse(statusCode uint32, details *byte, detailsSize int, body *byte, bodySize int, headers *byte, headersSize int, grpcStatus int32) uint32 {
	return proxySendLocalResponse(statusCode, details, uint32(detailsSize), body, uint32(bodySize), headers, uint32(headersSize), grpcStatus)
}

//go:wasmimport env proxy_get_shared_data
func proxyGetSharedData(key *byte, keySize uint32, value unsafe.Pointer, valueSize *uint32, cas *uint32) uint32

func (envoy) ProxyGetSharedData(key *byte, keySize int, value **byte, valueSize *int, cas *uint32) uint32 {
	status := proxyGetSharedData(key, uint32(keySize), unsafe.Pointer(&answer.data), &answer.size, cas)
	receive(value, valueSize)
	return status
}

//go:wasmimport env proxy_set_shared_data
func proxySetSharedData(key *byte, keySize uint32, value *byte, valueSize uint32, cas uint32) uint32

func (envoy) ProxySetSharedData(key *byte, keySize int, value *byte, valueSize int, cas uint32) uint32 {
	return proxySetSharedData(key, uint32(keySize), value, uint32(valueSize), cas)
}

//go:wasmimport env proxy_register_shared_queue
func proxyRegisterSharedQueue(name *byte, nameSize uint32, queue *uint32) uint32

func (envoy) ProxyRegisterSharedQueue(name *byte, nameSize int, queue *uint32) uint32 {
	return proxyRegisterSharedQueue(name, uint32(nameSize), queue)
}

//go:wasmimport env proxy_resolve_shared_queue
func proxyResolveSharedQueue(vmID *byte, vmIDSize uint32, name *byte, nameSize uint32, queue *uint32) uint32

func (envoy) ProxyResolveSharedQueue(vmID *byte, vmIDSize int, name *byte, nameSize int, queue *uint32) uint32 {
	return proxyResolveSharedQueue(vmID, uint32(vmIDSize), name, uint32(nameSize), queue)
}

//go:wasmimport env proxy_dequeue_shared_queue
func proxyDequeueSharedQueue(queue uint32, value unsafe.Pointer, valueSize *uint32) uint32

func (envoy) ProxyDequeueSharedQueue(queue uint32, value **byte, valueSize *int) uint32 {
	status := proxyDequeueSharedQueue(queue, unsafe.Pointer(&answer.data), &answer.size)
	receive(value, valueSize)
	return status
}

//go:wasmimport env proxy_enqueue_shared_queue
func proxyEnqueueSharedQueue(queue uint32, value *byte, valueSize uint32) uint32

func (envoy) ProxyEnqueueSharedQueue(queue uint32, value *byte, valueSize int) uint32 {
	return proxyEnqueueSharedQueue(queue, value, uint32(valueSize))
}

//go:wasmimport env proxy_get_header_map_value
func proxyGetHeaderMapValue(mapType uint32, key *byte, keySize uint32, value unsafe.Pointer, valueSize *uint32) uint32

func (envoy) ProxyGetHeaderMapValue(mapType uint32, key *byte, keySize int, value **byte, valueSize *int) uint32 {
	status := proxyGetHeaderMapValue(mapType, key, uint32(keySize), unsafe.Pointer(&answer.data), &answer.size)
	receive(value, valueSize)
	return status
}

//go:wasmimport env proxy_add_header_map_value
func proxyAddHeaderMapValue(mapType uint32, key *byte, keySize uint32, value *byte, valueSize uint32) uint32

func (envoy) ProxyAddHeaderMapValue(mapType uint32, key *byte, keySize int, value *byte, valueSize int) uint32 {
	return proxyAddHeaderMapValue(mapType, key, uint32(keySize), value, uint32(valueSize))
}

//go:wasmimport env proxy_replace_header_map_value
func proxyReplaceHeaderMapValue(mapType uint32, key *byte, keySize uint32, value *byte, valueSize uint32) uint32

func (envoy) ProxyReplaceHeaderMapValue(mapType uint32, key *byte, keySize int, value *byte, valueSize int) uint32 {
	return proxyReplaceHeaderMapValue(mapType, key, uint32(keySize), value, uint32(valueSize))
}

//go:wasmimport env proxy_remove_header_map_value
func proxyRemoveHeaderMapValue(mapType uint32, key *byte, keySize uint32) uint32

func (envoy) ProxyRemoveHeaderMapValue(mapType uint32, key *byte, keySize int) uint32 {
	return proxyRemoveHeaderMapValue(mapType, key, uint32(keySize))
}

//go:wasmimport env proxy_get_header_map_pairs
func proxyGetHeaderMapPairs(mapType uint32, pairs unsafe.Pointer, pairsSize *uint32) uint32

func (envoy) ProxyGetHeaderMapPairs(mapType uint32, pairs **byte, pairsSize *int) uint32 {
	status := proxyGetHeaderMapPairs(mapType, unsafe.Pointer(&answer.data), &answer.size)
	receive(pairs, pairsSize)
	return status
}

//go:wasmimport env proxy_set_header_map_pairs
func proxySetHeaderMapPairs(mapType uint32, pairs *byte, pairsSize uint32) uint32

func (envoy) ProxySetHeaderMapPairs(mapType uint32, pairs *byte, pairsSize int) uint32 {
	return proxySetHeaderMapPairs(mapType, pairs, uint32(pairsSize))
}

//go:wasmimport env proxy_get_buffer_bytes
func proxyGetBufferBytes(bufferType uint32, start uint32, maxSize uint32, bytes unsafe.Pointer, bytesSize *uint32) uint32

func (envoy) ProxyGetBufferBytes(bufferType uint32, start int, maxSize int, bytes **byte, bytesSize *int) uint32 {
	status := proxyGetBufferBytes(bufferType, uint32(start), uint32(maxSize), unsafe.Pointer(&answer.data), &answer.size)
	receive(bytes, bytesSize)
	return status
}

//go:wasmimport env proxy_set_buffer_bytes
func proxySetBufferBytes(bufferType uint32, start uint32, maxSize uint32, bytes *byte, bytesSize uint32) uint32

func (envoy) ProxySetBufferBytes(bufferType uint32, start int, maxSize int, bytes *byte, bytesSize int) uint32 {
	return proxySetBufferBytes(bufferType, uint32(start), uint32(maxSize), bytes, uint32(bytesSize))
}

//go:wasmimport env proxy_continue_stream
func proxyContinueStream(streamType uint32) uint32

func (envoy) ProxyContinueStream(streamType uint32) uint32 { return proxyContinueStream(streamType) }

//go:wasmimport env proxy_close_stream
func proxyCloseStream(streamType uint32) uint32

func (envoy) ProxyCloseStream(streamType uint32) uint32 { return proxyCloseStream(streamType) }

//go:wasmimport env proxy_http_call
func proxyHTTPCall(upstream *byte, upstreamSize uint32, headers *byte, headersSize uint32, body *byte, bodySize uint32, trailers *byte, trailersSize uint32, timeout uint32, callout *uint32) uint32

func (envoy) ProxyHttpCall(upstream *byte, upstreamSize int, headers *byte, headersSize int, body *byte, bodySize int, trailers *byte, trailersSize int, timeout uint32, callout *uint32) uint32 {
	return proxyHTTPCall(upstream, uint32(upstreamSize), headers, uint32(headersSize), body, uint32(bodySize), trailers, uint32(trailersSize), timeout, callout)
}

//go:wasmimport env proxy_call_foreign_function
func proxyCallForeignFunction(name *byte, nameSize uint32, parameter *byte, parameterSize uint32, result unsafe.Pointer, resultSize *uint32) uint32

func (envoy) ProxyCallForeignFunction(name *byte, nameSize int, parameter *byte, parameterSize int, result **byte, resultSize *int) uint32 {
	status := proxyCallForeignFunction(name, uint32(nameSize), parameter, uint32(parameterSize), unsafe.Pointer(&answer.data), &answer.size)
	receive(result, resultSize)
	return status
}

//go:wasmimport env proxy_set_tick_period_milliseconds
func proxySetTickPeriodMilliseconds(period uint32) uint32

func (envoy) ProxySetTickPeriodMilliseconds(period uint32) uint32 {
	return proxySetTickPeriodMilliseconds(period)
}

//go:wasmimport env proxy_set_effective_context
func proxySetEffectiveContext(context uint32) uint32

func (envoy) ProxySetEffectiveContext(context uint32) uint32 {
	return proxySetEffectiveContext(context)
}

//go:wasmimport env proxy_done
func proxyDone() uint32

func (envoy) ProxyDone() uint32 { return proxyDone() }

//go:wasmimport env proxy_define_metric
func proxyDefineMetric(metricType uint32, name *byte, nameSize uint32, metric *uint32) uint32

func (envoy) ProxyDefineMetric(metricType uint32, name *byte, nameSize int, metric *uint32) uint32 {
	return proxyDefineMetric(metricType, name, uint32(nameSize), metric)
}

//go:wasmimport env proxy_increment_metric
func proxyIncrementMetric(metric uint32, offset int64) uint32

func (envoy) ProxyIncrementMetric(metric uint32, offset int64) uint32 {
	return proxyIncrementMetric(metric, offset)
}

//go:wasmimport env proxy_record_metric
func proxyRecordMetric(metric uint32, value uint64) uint32

func (envoy) ProxyRecordMetric(metric uint32, value uint64) uint32 {
	return proxyRecordMetric(metric, value)
}

//go:wasmimport env proxy_get_metric
func proxyGetMetric(metric uint32, value *uint64) uint32

func (envoy) ProxyGetMetric(metric uint32, value *uint64) uint32 {
	return proxyGetMetric(metric, value)
}
