package envoytest

import (
	"slices"
	"sync"
)

// The kinds of metrics of the ABI.
const (
	kindCounter   = 0
	kindGauge     = 1
	kindHistogram = 2
)

// metrics are those of the whole process: workers that define the same name
// share a metric. Histograms record, counters and gauges sum up.
type metrics struct {
	mu      sync.Mutex
	defined []metric
}

type metric struct {
	kind   uint32
	name   string
	value  int64
	values []uint64
}

// Counter returns the value of a counter, 0 if none has that name.
func (e *Envoy) Counter(name string) uint64 { return uint64(e.metric(kindCounter, name).value) }

// Gauge returns the value of a gauge, 0 if none has that name.
func (e *Envoy) Gauge(name string) int64 { return e.metric(kindGauge, name).value }

// Histogram returns what a histogram has recorded.
func (e *Envoy) Histogram(name string) []uint64 { return e.metric(kindHistogram, name).values }

// Metrics returns the names of all metrics, sorted.
func (e *Envoy) Metrics() []string {
	e.metrics.mu.Lock()
	defer e.metrics.mu.Unlock()
	var names []string
	for _, m := range e.metrics.defined {
		names = append(names, m.name)
	}
	slices.Sort(names)
	return names
}

func (e *Envoy) metric(kind uint32, name string) metric {
	e.metrics.mu.Lock()
	defer e.metrics.mu.Unlock()
	for _, m := range e.metrics.defined {
		if m.kind == kind && m.name == name {
			m.values = slices.Clone(m.values)
			return m
		}
	}
	return metric{}
}

func (w *worker) defineMetric(kind uint32, name string) (id uint32, s status) {
	if kind > kindHistogram {
		return 0, statusBadArgument
	}
	all := &w.envoy.metrics
	all.mu.Lock()
	defer all.mu.Unlock()
	for i, m := range all.defined {
		if m.kind == kind && m.name == name {
			return uint32(i + 1), statusOK
		}
	}
	all.defined = append(all.defined, metric{kind: kind, name: name})
	return uint32(len(all.defined)), statusOK
}

// with runs f on the metric with that id.
func (all *metrics) with(id uint32, f func(*metric) status) status {
	all.mu.Lock()
	defer all.mu.Unlock()
	if id == 0 || int(id) > len(all.defined) {
		return statusNotFound
	}
	return f(&all.defined[id-1])
}

func (w *worker) incrementMetric(id uint32, offset int64) status {
	return w.envoy.metrics.with(id, func(m *metric) status {
		// P40: the SDK panics on this error.
		if m.kind == kindHistogram || m.kind == kindCounter && offset <= 0 {
			return statusBadArgument
		}
		m.value += offset
		return statusOK
	})
}

func (w *worker) recordMetric(id uint32, value uint64) status {
	return w.envoy.metrics.with(id, func(m *metric) status {
		switch m.kind {
		case kindCounter:
			m.value += int64(value)
		case kindGauge:
			m.value = int64(value)
		default:
			m.values = append(m.values, value)
		}
		return statusOK
	})
}

func (w *worker) getMetric(id uint32) (value uint64, s status) {
	s = w.envoy.metrics.with(id, func(m *metric) status {
		if m.kind == kindHistogram {
			return statusBadArgument
		}
		value = uint64(m.value)
		return statusOK
	})
	return value, s
}
