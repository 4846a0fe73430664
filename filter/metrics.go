package main

import (
	"github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm"

	"sluice/limits"
)

// metrics are the filter's counters. Every label has few values, none a
// client's choice, for Envoy never forgets a name (P39).
type metrics struct {
	denied, shadowDenied, nearLimit, upstreamRefused, usageUnavailable,
	casRetries, internalErrors, overflowSubjects counter

	estimateRatio histogram

	traffic map[trafficKey]*traffic
	last    *traffic
}

func (m *metrics) define() {
	m.denied.labels("sluice_denied", "limit", "dimension")
	m.shadowDenied.labels("sluice_shadow_denied", "limit")
	m.nearLimit.labels("sluice_near_limit", "limit")
	m.upstreamRefused.labels("sluice_upstream_refused", "provider", "class")
	m.usageUnavailable.labels("sluice_usage_unavailable", "reason")
	m.casRetries.labels("sluice_cas_retries")
	m.internalErrors.labels("sluice_internal_errors", "kind")
	m.overflowSubjects.labels("sluice_overflow_subjects", "limit")
	m.estimateRatio.name = "sluice_estimate_ratio"
	m.traffic = make(map[trafficKey]*traffic)
}

// flushPeriod is how long a count may wait in the VM before Envoy has it. To
// hand each over at once would be a tenth of what a request costs.
const flushPeriod = 1000 // ms

// flush hands to Envoy what was counted.
func (m *metrics) flush() {
	for _, c := range []*counter{&m.denied, &m.shadowDenied, &m.nearLimit, &m.upstreamRefused, &m.usageUnavailable,
		&m.casRetries, &m.internalErrors, &m.overflowSubjects} {
		c.flush()
	}
	m.estimateRatio.flush()
	for _, t := range m.traffic {
		t.flush()
	}
}

// counter is a counter for every combination of its labels' values.
type counter struct {
	name   string
	label  [2]string
	series map[[2]string]*series
}

func (c *counter) labels(name string, labels ...string) {
	c.name = name
	copy(c.label[:], labels)
	c.series = make(map[[2]string]*series)
}

// add counts n for the labels' values.
func (c *counter) add(n int64, values ...string) {
	if n <= 0 {
		return
	}
	var key [2]string
	copy(key[:], values)
	s := c.series[key]
	if s == nil {
		s = &series{}
		c.series[key] = s
	}
	s.pending += n
}

func (c *counter) flush() {
	for key, s := range c.series {
		s.flush(c.name, c.label[0], key[0], c.label[1], key[1])
	}
}

// series is one counter of Envoy's.
type series struct {
	metric  proxywasm.MetricCounter
	defined bool
	pending int64 // counted since the last flush
}

// flush hands over what is pending, if anything: Envoy refuses to add 0, at
// which the SDK panics (P40). Envoy knows names only: the labels, as name and
// value in turn, are written into it, and envoy.yaml's stats_tags take them out
// again.
func (s *series) flush(name string, labels ...string) {
	if s.pending <= 0 {
		return
	}
	if !s.defined {
		for i := 0; i < len(labels) && labels[i] != ""; i += 2 {
			name += ";" + labels[i] + "=" + labels[i+1]
		}
		s.metric, s.defined = proxywasm.DefineCounterMetric(name), true
	}
	s.metric.Increment(uint64(s.pending))
	s.pending = 0
}

// histogram is a histogram of Envoy's.
type histogram struct {
	name    string
	metric  proxywasm.MetricHistogram
	defined bool
	pending []uint64 // recorded since the last flush
}

// maxPending bounds what a histogram keeps between two flushes: a sample of that
// many shows as much as all.
const maxPending = 256

func (h *histogram) record(value uint64) {
	if len(h.pending) < maxPending {
		h.pending = append(h.pending, value)
	}
}

func (h *histogram) flush() {
	if len(h.pending) == 0 {
		return
	}
	if !h.defined {
		h.metric, h.defined = proxywasm.DefineHistogramMetric(h.name), true
	}
	for _, value := range h.pending {
		h.metric.Record(value)
	}
	h.pending = h.pending[:0]
}

// observed counts a refusal that was none, where no limit's state tells of it.
func (m *metrics) observed(d *limits.Decision) {
	switch d.Outcome {
	case limits.Missing, limits.Identity, limits.Unpriced:
		if d.Observed {
			m.shadowDenied.add(1, d.Limit.Name)
		}
	}
}

// limitState counts what a limit's state tells.
func (m *metrics) limitState(s limits.State, observe bool) {
	if s.Over && (observe || s.Limit.Shadow) {
		m.shadowDenied.add(1, s.Limit.Name)
	}
	if s.Used*5 > s.Max*4 { // over 80 %
		m.nearLimit.add(1, s.Limit.Name)
	}
	if s.Overflow {
		m.overflowSubjects.add(1, s.Limit.Name)
	}
}

// countEngine moves the engine's counts into metrics.
func (p *plugin) countEngine() {
	e := p.engine
	p.metrics.casRetries.add(int64(e.Conflicts))
	p.metrics.internalErrors.add(int64(e.Garbage), "state")
	e.Conflicts, e.Garbage = 0, 0
}
