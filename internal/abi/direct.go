package abi

import (
	"encoding/binary"
	"unsafe"
)

//go:linkname setProperty github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm/internal.ProxySetProperty
func setProperty(path *byte, pathSize int, value *byte, valueSize int) uint32

// SetProperty sets the property of a path of one element, and says whether the
// host took it; an empty value it never takes (P33). It is what the SDK's
// function of that name does without the three copies that that makes of the
// path, which are most of its cost: a filter sets a dozen of them a request.
func SetProperty(name string, value []byte) bool {
	return len(value) > 0 &&
		setProperty(unsafe.StringData(name), len(name), unsafe.SliceData(value), len(value)) == 0
}

//go:linkname sendLocalResponse github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm/internal.ProxySendLocalResponse
func sendLocalResponse(status uint32, details *byte, detailsSize int, body *byte, bodySize int,
	headers *byte, headersSize int, grpcStatus int32) uint32

// NoGRPC is the gRPC status of an answer to another protocol.
const NoGRPC = -1

// SendLocalResponse answers the request, and says whether the host took it. It
// is the SDK's SendHttpResponse with details: a word without spaces that
// access logs show as RESPONSE_CODE_DETAILS, which the SDK leaves empty (P38).
func SendLocalResponse(status int, details string, grpcStatus int, headers [][2]string, body []byte) bool {
	pairs := appendPairs(nil, headers)
	return sendLocalResponse(uint32(status), unsafe.StringData(details), len(details),
		unsafe.SliceData(body), len(body), unsafe.SliceData(pairs), len(pairs), int32(grpcStatus)) == 0
}

// appendPairs appends headers as the ABI has them: their number, the sizes of
// each name and value, and those themselves, each with a zero byte behind it.
func appendPairs(b []byte, headers [][2]string) []byte {
	b = binary.LittleEndian.AppendUint32(b, uint32(len(headers)))
	for _, h := range headers {
		b = binary.LittleEndian.AppendUint32(b, uint32(len(h[0])))
		b = binary.LittleEndian.AppendUint32(b, uint32(len(h[1])))
	}
	for _, h := range headers {
		b = append(append(b, h[0]...), 0)
		b = append(append(b, h[1]...), 0)
	}
	return b
}
