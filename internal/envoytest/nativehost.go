package envoytest

import "unsafe"

// nativeHost carries hostcalls from the SDK's mock interface to a worker: it turns
// addresses into strings and back.
type nativeHost struct{ worker *worker }

// text copies what the filter passes, which it may change afterwards.
func text(at *byte, size int) string { return string(unsafe.Slice(at, size)) }

// give hands an answer to the filter in memory of its own. Without one, Envoy
// leaves the variables alone or zeroes them, which the SDK cannot tell apart.
func give(value string, at **byte, size *int) {
	if value != "" {
		block := []byte(value)
		*at, *size = unsafe.SliceData(block), len(block)
	}
}

func (h nativeHost) ProxyLog(level uint32, message *byte, messageSize int) uint32 {
	return uint32(h.worker.log(level, text(message, messageSize)))
}

func (h nativeHost) ProxySetProperty(path *byte, pathSize int, value *byte, valueSize int) uint32 {
	return uint32(h.worker.setProperty(text(path, pathSize), text(value, valueSize)))
}

func (h nativeHost) ProxyGetProperty(path *byte, pathSize int, value **byte, valueSize *int) uint32 {
	v, s := h.worker.getProperty(text(path, pathSize))
	give(v, value, valueSize)
	return uint32(s)
}

func (h nativeHost) ProxySendLocalResponse(statusCode uint32, details *byte, detailsSize int, body *byte, bodySize int, headers *byte, headersSize int, _ int32) uint32 {
	return uint32(h.worker.sendLocalResponse(statusCode, text(details, detailsSize), text(body, bodySize), text(headers, headersSize)))
}

func (h nativeHost) ProxyGetSharedData(key *byte, keySize int, value **byte, valueSize *int, cas *uint32) uint32 {
	v, c, s := h.worker.getSharedData(text(key, keySize))
	give(v, value, valueSize)
	*cas = c
	return uint32(s)
}

func (h nativeHost) ProxySetSharedData(key *byte, keySize int, value *byte, valueSize int, cas uint32) uint32 {
	return uint32(h.worker.setSharedData(text(key, keySize), text(value, valueSize), cas))
}

func (h nativeHost) ProxyGetHeaderMapValue(mapType uint32, key *byte, keySize int, value **byte, valueSize *int) uint32 {
	v, s := h.worker.getHeader(mapType, text(key, keySize))
	give(v, value, valueSize)
	return uint32(s)
}

func (h nativeHost) ProxyAddHeaderMapValue(mapType uint32, key *byte, keySize int, value *byte, valueSize int) uint32 {
	return uint32(h.worker.addHeader(mapType, text(key, keySize), text(value, valueSize)))
}

func (h nativeHost) ProxyReplaceHeaderMapValue(mapType uint32, key *byte, keySize int, value *byte, valueSize int) uint32 {
	return uint32(h.worker.replaceHeader(mapType, text(key, keySize), text(value, valueSize)))
}

func (h nativeHost) ProxyRemoveHeaderMapValue(mapType uint32, key *byte, keySize int) uint32 {
	return uint32(h.worker.removeHeader(mapType, text(key, keySize)))
}

func (h nativeHost) ProxyGetHeaderMapPairs(mapType uint32, pairs **byte, pairsSize *int) uint32 {
	v, s := h.worker.getHeaders(mapType)
	give(v, pairs, pairsSize)
	return uint32(s)
}

func (h nativeHost) ProxySetHeaderMapPairs(mapType uint32, pairs *byte, pairsSize int) uint32 {
	return uint32(h.worker.setHeaders(mapType, text(pairs, pairsSize)))
}

func (h nativeHost) ProxyGetBufferBytes(bufferType uint32, start int, maxSize int, bytes **byte, bytesSize *int) uint32 {
	v, s := h.worker.getBuffer(bufferType, uint32(start), uint32(maxSize))
	give(v, bytes, bytesSize)
	return uint32(s)
}

func (h nativeHost) ProxySetBufferBytes(bufferType uint32, start int, maxSize int, bytes *byte, bytesSize int) uint32 {
	return uint32(h.worker.setBuffer(bufferType, uint32(start), uint32(maxSize), text(bytes, bytesSize)))
}

func (h nativeHost) ProxyContinueStream(streamType uint32) uint32 {
	return uint32(h.worker.continueStream(streamType))
}

func (h nativeHost) ProxyCloseStream(streamType uint32) uint32 {
	return uint32(h.worker.closeStream(streamType))
}

func (h nativeHost) ProxyCallForeignFunction(name *byte, nameSize int, parameter *byte, parameterSize int, result **byte, resultSize *int) uint32 {
	v, s := h.worker.callForeignFunction(text(name, nameSize), text(parameter, parameterSize))
	give(v, result, resultSize)
	return uint32(s)
}

func (h nativeHost) ProxySetTickPeriodMilliseconds(period uint32) uint32 {
	return uint32(h.worker.setTickPeriod(period))
}

func (h nativeHost) ProxySetEffectiveContext(context uint32) uint32 {
	return uint32(h.worker.setEffectiveContext(context))
}

func (h nativeHost) ProxyDefineMetric(metricType uint32, name *byte, nameSize int, metric *uint32) uint32 {
	id, s := h.worker.defineMetric(metricType, text(name, nameSize))
	*metric = id
	return uint32(s)
}

func (h nativeHost) ProxyIncrementMetric(metric uint32, offset int64) uint32 {
	return uint32(h.worker.incrementMetric(metric, offset))
}

func (h nativeHost) ProxyRecordMetric(metric uint32, value uint64) uint32 {
	return uint32(h.worker.recordMetric(metric, value))
}

func (h nativeHost) ProxyGetMetric(metric uint32, value *uint64) uint32 {
	v, s := h.worker.getMetric(metric)
	*value = v
	return uint32(s)
}

func (nativeHost) ProxyDone() uint32 { return uint32(statusOK) }

// The rest is not played: shared queues and calls to other clusters.

func (nativeHost) ProxyRegisterSharedQueue(*byte, int, *uint32) uint32 {
	return uint32(statusUnimplemented)
}

func (nativeHost) ProxyResolveSharedQueue(*byte, int, *byte, int, *uint32) uint32 {
	return uint32(statusUnimplemented)
}

func (nativeHost) ProxyDequeueSharedQueue(uint32, **byte, *int) uint32 {
	return uint32(statusUnimplemented)
}

func (nativeHost) ProxyEnqueueSharedQueue(uint32, *byte, int) uint32 {
	return uint32(statusUnimplemented)
}

func (nativeHost) ProxyHttpCall(*byte, int, *byte, int, *byte, int, *byte, int, uint32, *uint32) uint32 {
	return uint32(statusUnimplemented)
}
