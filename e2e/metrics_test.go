package e2e

import (
	"maps"
	"strconv"
	"strings"
	"testing"
	"time"
)

// readMetrics are the filter's metrics in /stats/prometheus, by name and labels
// as there: sluice_denied{limit="key-rpm",dimension="requests"}.
func (g *gateway) readMetrics(t *testing.T) map[string]float64 {
	t.Helper()
	page, err := g.Get(t.Context(), "/stats/prometheus?filter=wasmcustom")
	if err != nil {
		t.Fatal(err)
	}
	metrics := map[string]float64{}
	for line := range strings.Lines(page) {
		end := strings.LastIndexByte(line, ' ')
		if !strings.HasPrefix(line, "sluice_") || end < 0 {
			continue
		}
		value, err := strconv.ParseFloat(strings.TrimSpace(line[end:]), 64)
		if err != nil {
			t.Fatal(err)
		}
		metrics[strings.TrimSuffix(line[:end], "{}")] = value
	}
	return metrics
}

// counts waits until these metrics have these values: the filter hands its counts
// to Envoy some time after a stream is done. The gateway must be the scenario's
// own, for metrics are Envoy's.
func (g *gateway) counts(t *testing.T, want map[string]float64) {
	t.Helper()
	deadline := time.Now().Add(patience)
	for {
		got := map[string]float64{}
		now := g.readMetrics(t)
		for name := range want {
			got[name] = now[name]
		}
		if maps.Equal(got, want) {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("metrics %v, want %v, of %v", got, want, now)
		}
		time.Sleep(10 * time.Millisecond)
	}
}
