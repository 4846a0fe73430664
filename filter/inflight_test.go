package main

import (
	"strconv"
	"testing"

	"sluice/internal/envoytest"
)

// slots is a configuration with a limit on requests in flight.
func slots(limit int) string {
	return `{"limits":[{"name":"slots","dimension":"concurrency","limit":` + strconv.Itoa(limit) + `}]}`
}

// The gauge is the number of streams that hold a slot, over all workers and
// configurations.
func TestStreamsInFlightAreTold(t *testing.T) {
	onBoth(t, func(t *testing.T, start starter) {
		g := start(t, slots(4), func(o *envoytest.Options) { o.Workers = 2 })
		tell := func(want int64) {
			t.Helper()
			g.Tick()
			if got := g.Gauge("sluice_in_flight"); got != want {
				t.Errorf("%d streams are in flight, want %d", got, want)
			}
		}
		begin := func(worker int) *envoytest.Stream {
			r := chat(aKey)
			s := g.NewStream(envoytest.StreamOptions{Worker: worker})
			s.RequestHeaders(append(envoytest.Headers{{":authority", "h"}}, r.Headers...), false)
			s.RequestBody(r.Body, true)
			return s
		}
		tell(0)
		streams := []*envoytest.Stream{begin(0), begin(0), begin(1)}
		tell(3)
		g.Do(chat(aKey), ok)
		g.Do(chat(aKey), ok)
		tell(3)
		streams[1].Disconnect()
		tell(2)

		g.reconfigure(t, slots(3))
		tell(2)
		streams = append(streams, begin(1))
		if refused := begin(0); refused.Result().Status != 429 {
			t.Errorf("status %d of one too many", refused.Result().Status)
		}
		tell(3)
		for _, s := range streams {
			s.Disconnect()
		}
		tell(0)

		g.reconfigure(t, one(`"limit":3`))
		s := begin(0)
		tell(0)
		s.Disconnect()
	})
}
