// Package abi lets a filter written against the proxy-wasm Go SDK run in Envoy
// when it is compiled by the standard Go compiler.
//
// The SDK (tetratelabs/proxy-wasm-go-sdk v0.24.0) was written for TinyGo. Under
// the standard compiler it still compiles, but it is cut off from Envoy on both
// sides (P48): its callbacks carry "//export", which that compiler ignores, and
// its hostcalls go to a mock host unless the build tag "tinygo" is set. This
// package closes both gaps. Importing it is enough:
//
//	import _ "sluice/internal/abi"
//
// It holds no policy and knows nothing of what the filter does. Under TinyGo the
// bridge is left out and the SDK works by itself. In a native build only [Host]
// and [KeepHostMethods] remain, which a fake host for tests needs as well.
//
// # From Envoy into the SDK
//
// exports.go exports each callback of the ABI with "//go:wasmexport" and calls
// the SDK's unexported function of that name, which "//go:linkname" makes
// reachable. A function that is declared without a body is only accepted in a
// package that has an assembly file, hence the empty linkname_wasip1.s.
//
// The ABI speaks of 32-bit integers only, whereas int has 64 bits in Go's wasm
// port, so each export widens what it receives.
//
// Envoy calls "_initialize" and never "main" (P47): a filter sets its VM context
// in an init function and leaves main empty.
//
// # From the SDK to Envoy
//
// host.go implements the SDK's mock host interface by importing the real
// hostcalls with "//go:wasmimport", and registers itself in init. Four things
// there are less obvious than they look.
//
// The interface. The SDK's interface type and its enums live in an internal
// package and cannot be named here. [Host] is a second interface type with the
// same methods, in which uint32 stands for each enum. The two have the same
// layout in memory, so RegisterMockWasmHost, reached by linkname, takes the one
// for the other. The tests in this package compare the two, type by type, for
// the compiler cannot.
//
// The linker. It drops methods that are only reached through an interface when
// it sees no call of a method of that very type, and it does see the SDK's calls
// but not that they concern ours. [KeepHostMethods] calls each method through
// [Host], or seems to; without it the VM dies with "unreachable method called".
//
// Out-parameters. Envoy writes 32 bits where it answers with an address or a
// size, Go reserves 64 for a pointer and for an int. They are received in
// package-level variables that are zero before every hostcall, and widened. See
// the variable answer for why they are not on the stack.
//
// Memory. Envoy answers in a block that it asks for through
// proxy_on_memory_allocate and of which it then knows nothing but a number, which
// Go's collector cannot follow. The variable block keeps it alive until the
// answer has been handed on.
package abi
