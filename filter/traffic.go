package main

// traffic counts the requests to one provider for one model. They stand
// together because a request adds to most of them, and has to look for them
// only once.
type traffic struct {
	trafficKey
	requests [numDecisions]series
	tokens   [numTokenKinds]series
	cost     series // in millionths of a US$
	nanos    int64  // billionths that make no millionth yet
}

type trafficKey struct{ provider, model string }

// decision is what became of a request.
type decision uint8

const (
	allowed decision = iota
	denied
	shadowDenied
	errored
	numDecisions
)

var decisionNames = [numDecisions]string{"allowed", "denied", "shadow_denied", "error"}

func (d decision) String() string { return decisionNames[d] }

// tokenKind is what tokens are counted as.
type tokenKind uint8

const (
	estimated tokenKind = iota
	reserved
	refunded
	overrun
	input
	output
	cached
	reasoning
	numTokenKinds
)

var tokenKindNames = [numTokenKinds]string{
	"estimated", "reserved", "refunded", "overrun", "input", "output", "cached", "reasoning"}

// trafficOf finds the counters of a model at a provider. Only models that have
// a price have any of their own, named by the glob that they are priced by: a
// client must not make metrics.
func (p *plugin) trafficOf(provider, model string) *traffic {
	key := trafficKey{provider, p.engine.PricedAs(model)}
	if key.model == "" {
		key.model = "other"
	}
	m := &p.metrics
	if m.last != nil && m.last.trafficKey == key {
		return m.last
	}
	t := m.traffic[key]
	if t == nil {
		t = &traffic{trafficKey: key}
		m.traffic[key] = t
	}
	m.last = t
	return t
}

// spend counts billionths of a US$.
func (t *traffic) spend(nanos int64) {
	const nanosPerMicro = 1000
	t.nanos += nanos
	t.cost.pending += t.nanos / nanosPerMicro
	t.nanos %= nanosPerMicro
}

func (t *traffic) flush() {
	for i := range t.requests {
		t.requests[i].flush("sluice_requests", "decision", decisionNames[i], "provider", t.provider, "model", t.model)
	}
	for i := range t.tokens {
		t.tokens[i].flush("sluice_tokens", "kind", tokenKindNames[i], "provider", t.provider, "model", t.model)
	}
	t.cost.flush("sluice_cost_microusd", "provider", t.provider, "model", t.model)
}
