package main

import (
	"github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm"

	"sluice/limits"
)

// metrics are the filter's counters. Envoy knows names only: labels are written
// into them, and envoy.yaml's stats_tags take them out again. Every label has
// few values, none a client's choice, for names are never forgotten (P39).
type metrics struct {
	requests, denied, shadowDenied, nearLimit, tokens, cost, usageUnavailable,
	casRetries, internalErrors, overflowSubjects counter
}

func (m *metrics) all() [10]*counter {
	return [...]*counter{&m.requests, &m.denied, &m.shadowDenied, &m.nearLimit, &m.tokens, &m.cost,
		&m.usageUnavailable, &m.casRetries, &m.internalErrors, &m.overflowSubjects}
}

func (m *metrics) define() {
	m.requests.name = "sluice_requests"
	m.denied.name = "sluice_denied"
	m.shadowDenied.name = "sluice_shadow_denied"
	m.nearLimit.name = "sluice_near_limit"
	m.tokens.name = "sluice_tokens"
	m.cost.name = "sluice_cost_microusd"
	m.usageUnavailable.name = "sluice_usage_unavailable"
	m.casRetries.name = "sluice_cas_retries"
	m.internalErrors.name = "sluice_internal_errors"
	m.overflowSubjects.name = "sluice_overflow_subjects"
}

// flushPeriod is how long a count may wait in the VM before Envoy has it. To
// hand each over at once would be a tenth of what a request costs.
const flushPeriod = 1000 // ms

// counter is a counter for every combination of its labels' values.
type counter struct {
	name   string
	series map[values]*series
}

// series is one combination.
type series struct {
	metric  proxywasm.MetricCounter
	pending int64 // counted since the last flush
}

type label struct{ name, value string }

// maxLabels is the most that a counter has.
const maxLabels = 3

type values [maxLabels]string

// add adds n, if it is above 0.
func (c *counter) add(n int64, labels ...label) {
	if n <= 0 {
		return
	}
	var key values
	for i, l := range labels {
		key[i] = l.value
	}
	s, ok := c.series[key]
	if !ok {
		s = c.define(key, labels)
	}
	s.pending += n
}

func (c *counter) define(key values, labels []label) *series {
	name := c.name
	for _, l := range labels {
		name += ";" + l.name + "=" + l.value
	}
	s := &series{metric: proxywasm.DefineCounterMetric(name)}
	if c.series == nil {
		c.series = make(map[values]*series)
	}
	c.series[key] = s
	return s
}

// flush hands to Envoy what was counted. It refuses to add 0, at which the SDK
// panics (P40).
func (m *metrics) flush() {
	for _, c := range m.all() {
		for _, s := range c.series {
			if s.pending > 0 {
				s.metric.Increment(uint64(s.pending))
				s.pending = 0
			}
		}
	}
}

// limitState counts what a limit's state tells.
func (m *metrics) limitState(s limits.State, observe bool) {
	if s.Over && (observe || s.Limit.Shadow) {
		m.shadowDenied.add(1, label{"limit", s.Limit.Name})
	}
	if s.Remaining < s.Max/5 { // over 80 %
		m.nearLimit.add(1, label{"limit", s.Limit.Name})
	}
	if s.Overflow {
		m.overflowSubjects.add(1, label{"limit", s.Limit.Name})
	}
}

// modelLabel is the model as a label: only those that have a price have one, by
// the glob that they are priced by, for a client must not make metrics.
func (p *plugin) modelLabel(model string) string {
	if name := p.engine.PricedAs(model); name != "" {
		return name
	}
	return "other"
}

// countEngine moves the engine's counts into metrics.
func (p *plugin) countEngine() {
	e := p.engine
	p.metrics.casRetries.add(int64(e.Conflicts))
	p.metrics.internalErrors.add(int64(e.Garbage), label{"kind", "state"})
	e.Conflicts, e.Garbage = 0, 0
}
