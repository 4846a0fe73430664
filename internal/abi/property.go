package abi

import "unsafe"

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
