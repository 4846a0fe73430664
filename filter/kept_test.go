package main

import (
	"strings"
	"testing"

	"sluice/internal/envoytest"
)

// Bodies that pass by are kept up to a bound for all streams together; what goes
// beyond is estimated by its length, and given back when its stream ends.
func TestBodiesAreKeptToABoundForAll(t *testing.T) {
	p := &plugin{}
	a, b := &stream{p: p}, &stream{p: p}
	if a.keep(maxKept) || !b.keep(1) {
		t.Error("the bound is elsewhere")
	}
	a.keep(0)
	if b.keep(2) || p.kept != 2 {
		t.Errorf("%d bytes are kept", p.kept)
	}
	if b.keep(0); p.kept != 0 {
		t.Errorf("%d bytes are kept", p.kept)
	}
	var d body
	get := func(int, int) ([]byte, error) { return []byte("ab"), nil }
	d.append(get, 2, 10)
	d.drop()
	d.append(get, 2, 10)
	if d.complete() || d.bytes != nil || d.size != 4 {
		t.Errorf("%+v", d)
	}
}

// What a client calls gRPC is looked into, where it is none.
func TestATypeAloneHidesNoModelCall(t *testing.T) {
	onBoth(t, func(t *testing.T, start starter) {
		for _, contentType := range []string{"application/grpc", "application/grpc+json"} {
			g := start(t, one(`"dimension":"tokens","limit":10000`))
			request := func() envoytest.Request {
				return with(post("/completion", `{"prompt":"`+strings.Repeat("hello ", 50)+`","n_predict":5}`), "content-type", contentType, "authorization", "Bearer "+aKey)
			}
			g.Do(request(), usage(700, 300))
			if got := remaining(t, g.Do(request(), ok), "tokens"); got > 9000 {
				t.Errorf("%s: %d remain", contentType, got)
			}
		}
	})
}
