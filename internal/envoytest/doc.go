// Package envoytest is a fake Envoy for tests of a proxy-wasm HTTP filter.
//
// It treats the filter as Envoy 1.40 was seen to treat it, above all where that
// is unkind: headers are out of reach once they have gone on (P2), a pause in the
// wrong place hangs (P1, P3), a filter's own reply comes back through its response
// callbacks (P10), an increment of 0 is an error (P40). What would hang, wedge or
// crash in Envoy fails the test.
//
// One scenario runs against the filter built natively, which is quick and can be
// debugged, and against the compiled wasm:
//
//	envoy := envoytest.Native(t, newVMContext, envoytest.Options{HoldHeaders: true})
//	envoy := envoytest.Wasm(t, binary, envoytest.Options{HoldHeaders: true})
//
//	if err := envoy.Start(config); err != nil { ... }
//	result := envoy.Do(
//		envoytest.Request{Body: []byte(`{"model":"m"}`)},
//		func(envoytest.Request) envoytest.Response { return envoytest.Response{Body: answer} },
//	)
//
// [Envoy.Do] plays a whole request. [Envoy.NewStream] gives the single steps,
// for streams that overlap or break off.
//
// The P-numbers name the pitfalls of Envoy that the project keeps a list of.
package envoytest
