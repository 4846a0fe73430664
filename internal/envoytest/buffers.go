package envoytest

import "math"

// buffer returns what a get reads, and whether there is such a buffer at all.
func (w *worker) buffer(bufferType uint32) (content string, ok bool) {
	s := w.stream()
	switch {
	case bufferType == bufferVMConfig:
		return string(w.envoy.options.VMConfig), true
	case bufferType == bufferPluginConfig:
		return string(w.configuration), w.configuration != nil
	case bufferType == bufferRequestBody && s != nil:
		return string(s.request.body), true
	case bufferType == bufferResponseBody && s != nil:
		return string(s.response.body), true
	}
	return "", false
}

// getBuffer of an empty body succeeds without a block, which the SDK takes for
// NotFound (P5).
func (w *worker) getBuffer(bufferType, start, maxSize uint32) (string, status) {
	content, ok := w.buffer(bufferType)
	switch {
	case !ok:
		return "", statusNotFound
	case uint64(start)+uint64(maxSize) > math.MaxUint32:
		return "", statusBadArgument
	case int(start) > len(content):
		return "", statusOK
	}
	return content[start:min(int(start)+int(maxSize), len(content))], statusOK
}

// setBuffer prepends, replaces or appends. Envoy refuses anything in between.
func (w *worker) setBuffer(bufferType, start, size uint32, content string) status {
	s := w.stream()
	var body *[]byte
	switch {
	case s == nil || s.logging:
		return statusNotFound
	case bufferType == bufferRequestBody:
		body = &s.request.body
	case bufferType == bufferResponseBody:
		body = &s.response.body
	default:
		return statusNotFound
	}
	switch {
	case start == 0 && size == 0:
		*body = append([]byte(content), *body...)
	case start == 0 && int(size) >= len(*body):
		*body = []byte(content)
	case start > 0 && int(start) >= len(*body):
		*body = append(*body, content...)
	default:
		return statusBadArgument
	}
	return statusOK
}
