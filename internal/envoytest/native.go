package envoytest

import (
	"fmt"
	"runtime/debug"
	"unsafe"

	"github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm"
	"github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm/types"

	"sluice/internal/abi"
)

// Native is an Envoy around a filter that is compiled into the test. Each worker
// gets a VM context of its own, as it gets a VM of its own in Envoy.
func Native(t TB, newVMContext func() types.VMContext, options Options) *Envoy {
	return newEnvoy(t, options, func(w *worker) (guest, error) {
		return newNativeGuest(nativeHost{w}, newVMContext()), nil
	})
}

// nativeGuest is a VM in the sense of the SDK: its state. The SDK keeps one in a
// package variable, for a wasm VM has but one. Here it is exchanged around each
// callback, so that any number of them can live side by side.
type nativeGuest struct {
	host  nativeHost
	state unsafe.Pointer
}

func newNativeGuest(host nativeHost, vm types.VMContext) *nativeGuest {
	abi.KeepHostMethods(host)
	g := &nativeGuest{host: host}
	g.enter(func() {
		sdkVMStateReset()
		proxywasm.SetVMContext(vm)
		g.state = sdkCurrentState
	})
	return g
}

// enter runs f with this VM as the SDK's current one. The registration of the
// host holds a lock of the SDK until it is released, which keeps everybody else
// out meanwhile, other users of the SDK's mock host included.
func (g *nativeGuest) enter(f func()) {
	release := sdkRegisterHost(g.host)
	defer release()
	previous := sdkCurrentState
	defer func() { sdkCurrentState = previous }()
	sdkCurrentState = g.state
	f()
}

func (g *nativeGuest) call(callback string, arguments ...uint32) (result uint32, err error) {
	// What is a panic here is a trap in wasm.
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v\n%s", r, debug.Stack())
		}
	}()
	g.enter(func() { result = dispatch(callback, arguments) })
	return result, nil
}

func (g *nativeGuest) close() {}

func dispatch(callback string, a []uint32) uint32 {
	switch callback {
	case onContextCreate:
		sdkOnContextCreate(a[0], a[1])
	case onVMStart:
		return bit(sdkOnVMStart(a[0], int(a[1])))
	case onConfigure:
		return bit(sdkOnConfigure(a[0], int(a[1])))
	case onTick:
		sdkOnTick(a[0])
	case onRequestHeaders:
		return sdkOnRequestHeaders(a[0], int(a[1]), a[2] != 0)
	case onRequestBody:
		return sdkOnRequestBody(a[0], int(a[1]), a[2] != 0)
	case onRequestTrailers:
		return sdkOnRequestTrailers(a[0], int(a[1]))
	case onResponseHeaders:
		return sdkOnResponseHeaders(a[0], int(a[1]), a[2] != 0)
	case onResponseBody:
		return sdkOnResponseBody(a[0], int(a[1]), a[2] != 0)
	case onResponseTrailers:
		return sdkOnResponseTrailers(a[0], int(a[1]))
	case onLog:
		sdkOnLog(a[0])
	case onDone:
		return bit(sdkOnDone(a[0]))
	case onDelete:
		sdkOnDelete(a[0])
	default:
		panic("envoytest: no callback " + callback)
	}
	return 0
}
