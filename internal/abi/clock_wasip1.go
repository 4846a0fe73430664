//go:build wasip1 && !tinygo

package abi

import (
	"time"
	"unsafe"
)

//go:wasmimport wasi_snapshot_preview1 clock_time_get
func clockTimeGet(clock uint32, precision uint64, nanoseconds unsafe.Pointer) uint32

var nanoseconds uint64

// Now is time.Now without the monotonic clock, which is a call of the host of
// its own.
func Now() time.Time {
	const realtime = 0
	clockTimeGet(realtime, 1, unsafe.Pointer(&nanoseconds))
	return time.Unix(0, int64(nanoseconds))
}
