package envoytest

// status is the result of a hostcall.
type status uint32

const (
	statusOK                  status = 0
	statusNotFound            status = 1
	statusBadArgument         status = 2
	statusInvalidMemoryAccess status = 6
	statusCasMismatch         status = 8
	statusInternalFailure     status = 10
	statusUnimplemented       status = 12
)

// The header maps of the ABI.
const (
	mapRequestHeaders   = 0
	mapRequestTrailers  = 1
	mapResponseHeaders  = 2
	mapResponseTrailers = 3
)

// The buffers of the ABI.
const (
	bufferRequestBody  = 0
	bufferResponseBody = 1
	bufferVMConfig     = 6
	bufferPluginConfig = 7
)

// The two directions of a stream in proxy_continue_stream and proxy_close_stream.
const (
	streamRequest  = 0
	streamResponse = 1
)
