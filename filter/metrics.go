package main

import (
	"github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm"

	"sluice/limits"
)

// metrics are the filter's counters. Envoy knows names only: labels are written
// into them, and envoy.yaml's stats_tags take them out again. Every label has
// few values, none a client's choice, for names are never forgotten (P39).
type metrics struct {
	requests, denied, tokens, usageUnavailable,
	casRetries, internalErrors, overflowSubjects counter
}

func (m *metrics) define() {
	m.requests.name = "sluice_requests"
	m.denied.name = "sluice_denied"
	m.tokens.name = "sluice_tokens"
	m.usageUnavailable.name = "sluice_usage_unavailable"
	m.casRetries.name = "sluice_cas_retries"
	m.internalErrors.name = "sluice_internal_errors"
	m.overflowSubjects.name = "sluice_overflow_subjects"
}

// counter is a counter for every combination of its labels' values.
type counter struct {
	name string
	made map[values]proxywasm.MetricCounter
}

type label struct{ name, value string }

// maxLabels is the most that a counter has.
const maxLabels = 3

type values [maxLabels]string

// add adds n, if it is above 0: Envoy refuses 0, at which the SDK panics (P40).
func (c *counter) add(n int64, labels ...label) {
	if n <= 0 {
		return
	}
	var key values
	for i, l := range labels {
		key[i] = l.value
	}
	id, ok := c.made[key]
	if !ok {
		if c.made == nil {
			c.made = make(map[values]proxywasm.MetricCounter)
		}
		name := c.name
		for _, l := range labels {
			name += ";" + l.name + "=" + l.value
		}
		id = proxywasm.DefineCounterMetric(name)
		c.made[key] = id
	}
	id.Increment(uint64(n))
}

// limitState counts what a limit's state tells.
func (m *metrics) limitState(s limits.State) {
	if s.Overflow {
		m.overflowSubjects.add(1, label{"limit", s.Limit.Name})
	}
}

// countEngine moves the engine's counts into metrics.
func (p *plugin) countEngine() {
	e := p.engine
	p.metrics.casRetries.add(int64(e.Conflicts))
	p.metrics.internalErrors.add(int64(e.Garbage), label{"kind", "state"})
	e.Conflicts, e.Garbage = 0, 0
}
