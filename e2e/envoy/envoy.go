// Package envoy gets an Envoy and runs it, for the tests and for make run.
//
//	process, err := envoy.Start(ctx, envoy.Options{Config: bootstrap.JSON()})
//	if err != nil {
//		t.Fatal(err)
//	}
//	defer process.Stop()
//	url, err := process.URL(ctx, "gateway")
//
// Envoy is run through func-e, which ends it with this process, however this
// process ends.
package envoy
