package main

import (
	"errors"
	"time"

	"github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm"
	"github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm/types"

	"sluice/config"
	"sluice/headers"
	"sluice/internal/shareddata"
	"sluice/limits"
)

// vm is one wasm VM. Envoy runs one in each worker thread, and two more on the
// main thread to try a configuration (P19).
type vm struct {
	types.DefaultVMContext
	now      func() time.Time
	inFlight *inFlight
}

func (v *vm) NewPluginContext(uint32) types.PluginContext {
	if v.inFlight == nil {
		v.inFlight = newInFlight()
	}
	return &plugin{now: v.now, inFlight: v.inFlight}
}

// plugin is one configuration of the filter in one worker. A worker handles one
// callback at a time, so that nothing here needs a lock; what workers share is
// in Envoy's shared data.
type plugin struct {
	types.DefaultPluginContext
	now      func() time.Time
	config   *config.Config
	engine   *limits.Engine
	metrics  metrics
	inFlight *inFlight
	lessons  *lessons // nil: nothing is learned
	targets  targets
	holding  holding
	replies  replies
	kept     int             // bytes of bodies, see keep
	seed     uint64          // unknown to clients
	scratch  []byte          // of one callback
	own      []headers.Quota // likewise
	shown    []headers.Quota // likewise

	attributeStates []string // the names of the filter state of each attribute
}

// OnPluginStart reads the configuration. Where it is refused, Envoy does not
// start, or keeps the one it has (P19). It runs in every VM anew and must leave
// the counters as they are.
func (p *plugin) OnPluginStart(int) (status types.OnPluginStartStatus) {
	defer p.recover(func() { status = types.OnPluginStartStatusFailed })
	data, err := proxywasm.GetPluginConfiguration()
	if err != nil && !errors.Is(err, types.ErrorStatusNotFound) { // none at all
		proxywasm.LogError("sluice: no configuration: " + err.Error())
		return types.OnPluginStartStatusFailed
	}
	if p.config, err = config.Parse(data); err != nil {
		proxywasm.LogError("sluice: the configuration is refused: " + err.Error())
		return types.OnPluginStartStatusFailed
	}
	p.targets.rules = p.config.Providers
	if p.config.Role == config.Upstream && !retriesHeld() {
		p.holding.answer = holdNo
		proxywasm.LogWarn("sluice: this version of Envoy crashes where it retries what an upstream filter has held, 1.37 is the first that does not: " +
			"refusals are told by status and headers alone.")
	}
	store := shareddata.Store{}
	seed, err := limits.SharedSeed(store, p.config.State.Namespace)
	if err != nil {
		proxywasm.LogError("sluice: no shared data: " + err.Error())
		return types.OnPluginStartStatusFailed
	}
	if p.config.Reserve.Learn && p.config.Role == config.Gateway {
		p.lessons = newLessons(store, seed, p.config.State.Namespace)
	}
	p.seed = seed.Hash(nil)
	p.engine = limits.New(p.config.LimitAttributes(), p.config.Limits, limits.Options{
		Namespace:   p.config.State.Namespace,
		MaxSubjects: p.config.State.MaxSubjects,
		Seed:        seed,
		Store:       store,
		Prices:      p.config.Prices,
		Observe:     p.config.Observe,
	})
	for i, a := range p.config.Attributes {
		name := "sluice_attr_" + a.Name
		if i == config.Key {
			name = "sluice_key"
		}
		p.attributeStates = append(p.attributeStates, name)
	}
	p.metrics.define()
	if err := proxywasm.SetTickPeriodMilliSeconds(flushPeriod); err != nil {
		proxywasm.LogError("sluice: no timer for the metrics: " + err.Error())
		return types.OnPluginStartStatusFailed
	}
	return types.OnPluginStartStatusOK
}

// OnTick runs in every VM (P20): each hands over its own counts.
func (p *plugin) OnTick() {
	defer p.recover(nil)
	p.metrics.flush()
	if err := p.inFlight.report(p.now()); err != nil {
		p.metrics.internalErrors.add(1, "in_flight") // not logged: it comes every second
	}
	if p.lessons != nil {
		if err := p.lessons.share(); err != nil {
			p.metrics.internalErrors.add(1, "lessons")
		}
	}
	p.letGo()
	p.judgeOverdue()
}

// OnPluginDone hands over the last counts of a configuration that is replaced.
func (p *plugin) OnPluginDone() (done bool) {
	defer p.recover(func() { done = true })
	p.metrics.flush()
	return true
}

// NewHttpContext begins a stream.
func (p *plugin) NewHttpContext(id uint32) types.HttpContext {
	return &stream{p: p, id: id}
}
