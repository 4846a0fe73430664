package main

import (
	"time"

	"github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm"

	"sluice/internal/shareddata"
	"sluice/limits"
)

// inFlight counts the streams of a VM that hold a slot, those of all its plugins
// together: a configuration that was replaced gets no more ticks, but its streams
// live on.
type inFlight struct {
	streams int64
	all     *limits.InFlight

	gauge   proxywasm.MetricGauge
	defined bool
}

func newInFlight() *inFlight { return &inFlight{all: limits.NewInFlight(shareddata.Store{})} }

// report renews this VM's share, and sets the gauge to the sum of all. Every VM
// does (P20): one that crashed can't take back what it has added.
func (f *inFlight) report(now time.Time) error {
	n, err := f.all.Report(now, f.streams)
	if err != nil {
		return err
	}
	if !f.defined {
		f.gauge, f.defined = proxywasm.DefineGaugeMetric("sluice_in_flight"), true
	}
	// The host sets a gauge to what is recorded; the SDK records histograms only.
	proxywasm.MetricHistogram(f.gauge).Record(uint64(n))
	return nil
}

// holdSlot counts a stream that was admitted and has to renew its slots.
func (s *stream) holdSlot() {
	if !s.inFlight && s.reservation.HoldsSlots() {
		s.inFlight = true
		s.p.inFlight.streams++
	}
}

// freeSlot counts it no more.
func (s *stream) freeSlot() {
	if s.inFlight {
		s.inFlight = false
		s.p.inFlight.streams--
	}
}
