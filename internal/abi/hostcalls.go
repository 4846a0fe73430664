package abi

// Host is the set of hostcalls as the SDK makes them. It has the methods of the
// SDK's internal.ProxyWasmHost with uint32 in place of the SDK's enum types; a
// test fails if the two differ in anything else.
type Host interface {
	ProxyLog(level uint32, message *byte, messageSize int) uint32

	ProxySetProperty(path *byte, pathSize int, value *byte, valueSize int) uint32
	ProxyGetProperty(path *byte, pathSize int, value **byte, valueSize *int) uint32

	ProxySendLocalResponse(statusCode uint32, details *byte, detailsSize int, body *byte, bodySize int, headers *byte, headersSize int, grpcStatus int32) uint32

	ProxyGetSharedData(key *byte, keySize int, value **byte, valueSize *int, cas *uint32) uint32
	ProxySetSharedData(key *byte, keySize int, value *byte, valueSize int, cas uint32) uint32

	ProxyRegisterSharedQueue(name *byte, nameSize int, queue *uint32) uint32
	ProxyResolveSharedQueue(vmID *byte, vmIDSize int, name *byte, nameSize int, queue *uint32) uint32
	ProxyDequeueSharedQueue(queue uint32, value **byte, valueSize *int) uint32
	ProxyEnqueueSharedQueue(queue uint32, value *byte, valueSize int) uint32

	ProxyGetHeaderMapValue(mapType uint32, key *byte, keySize int, value **byte, valueSize *int) uint32
	ProxyAddHeaderMapValue(mapType uint32, key *byte, keySize int, value *byte, valueSize int) uint32
	ProxyReplaceHeaderMapValue(mapType uint32, key *byte, keySize int, value *byte, valueSize int) uint32
	ProxyRemoveHeaderMapValue(mapType uint32, key *byte, keySize int) uint32
	ProxyGetHeaderMapPairs(mapType uint32, pairs **byte, pairsSize *int) uint32
	ProxySetHeaderMapPairs(mapType uint32, pairs *byte, pairsSize int) uint32

	ProxyGetBufferBytes(bufferType uint32, start int, maxSize int, bytes **byte, bytesSize *int) uint32
	ProxySetBufferBytes(bufferType uint32, start int, maxSize int, bytes *byte, bytesSize int) uint32

	ProxyContinueStream(streamType uint32) uint32
	ProxyCloseStream(streamType uint32) uint32

	ProxyHttpCall(upstream *byte, upstreamSize int, headers *byte, headersSize int, body *byte, bodySize int, trailers *byte, trailersSize int, timeout uint32, callout *uint32) uint32
	ProxyCallForeignFunction(name *byte, nameSize int, parameter *byte, parameterSize int, result **byte, resultSize *int) uint32

	ProxySetTickPeriodMilliseconds(period uint32) uint32
	ProxySetEffectiveContext(context uint32) uint32
	ProxyDone() uint32

	ProxyDefineMetric(metricType uint32, name *byte, nameSize int, metric *uint32) uint32
	ProxyIncrementMetric(metric uint32, offset int64) uint32
	ProxyRecordMetric(metric uint32, value uint64) uint32
	ProxyGetMetric(metric uint32, value *uint64) uint32
}

// reachable is never set. The compiler cannot know that.
var reachable bool

// KeepHostMethods makes the linker keep the methods of every type that is used
// as a Host. Whoever hands a Host to the SDK by linkname calls it once.
//
// The linker keeps a method of a type only if it finds a call of an interface
// method with the same name and the same types. The SDK calls the methods through
// an interface of its own, whose types are not these; the calls here are the ones
// the linker finds. They are never made. A method expression, Host.ProxyLog, is
// not enough.
func KeepHostMethods(h Host) {
	if !reachable {
		return
	}
	h.ProxyLog(0, nil, 0)
	h.ProxySetProperty(nil, 0, nil, 0)
	h.ProxyGetProperty(nil, 0, nil, nil)
	h.ProxySendLocalResponse(0, nil, 0, nil, 0, nil, 0, 0)
	h.ProxyGetSharedData(nil, 0, nil, nil, nil)
	h.ProxySetSharedData(nil, 0, nil, 0, 0)
	h.ProxyRegisterSharedQueue(nil, 0, nil)
	h.ProxyResolveSharedQueue(nil, 0, nil, 0, nil)
	h.ProxyDequeueSharedQueue(0, nil, nil)
	h.ProxyEnqueueSharedQueue(0, nil, 0)
	h.ProxyGetHeaderMapValue(0, nil, 0, nil, nil)
	h.ProxyAddHeaderMapValue(0, nil, 0, nil, 0)
	h.ProxyReplaceHeaderMapValue(0, nil, 0, nil, 0)
	h.ProxyRemoveHeaderMapValue(0, nil, 0)
	h.ProxyGetHeaderMapPairs(0, nil, nil)
	h.ProxySetHeaderMapPairs(0, nil, 0)
	h.ProxyGetBufferBytes(0, 0, 0, nil, nil)
	h.ProxySetBufferBytes(0, 0, 0, nil, 0)
	h.ProxyContinueStream(0)
	h.ProxyCloseStream(0)
	h.ProxyHttpCall(nil, 0, nil, 0, nil, 0, nil, 0, 0, nil)
	h.ProxyCallForeignFunction(nil, 0, nil, 0, nil, nil)
	h.ProxySetTickPeriodMilliseconds(0)
	h.ProxySetEffectiveContext(0)
	h.ProxyDone()
	h.ProxyDefineMetric(0, nil, 0, nil)
	h.ProxyIncrementMetric(0, 0)
	h.ProxyRecordMetric(0, 0)
	h.ProxyGetMetric(0, nil)
}
