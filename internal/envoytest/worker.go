package envoytest

import (
	"errors"
	"fmt"
	"sync"
)

// The callbacks of the ABI.
const (
	onContextCreate    = "proxy_on_context_create"
	onVMStart          = "proxy_on_vm_start"
	onConfigure        = "proxy_on_configure"
	onTick             = "proxy_on_tick"
	onRequestHeaders   = "proxy_on_request_headers"
	onRequestBody      = "proxy_on_request_body"
	onRequestTrailers  = "proxy_on_request_trailers"
	onResponseHeaders  = "proxy_on_response_headers"
	onResponseBody     = "proxy_on_response_body"
	onResponseTrailers = "proxy_on_response_trailers"
	onLog              = "proxy_on_log"
	onDone             = "proxy_on_done"
	onDelete           = "proxy_on_delete"
)

// guest is a VM with the filter in it.
type guest interface {
	// call makes a callback and returns its result, 0 if it has none. An error
	// means that the VM has crashed.
	call(callback string, arguments ...uint32) (uint32, error)
	close()
}

// worker is a worker thread of Envoy with its VM.
type worker struct {
	envoy  *Envoy
	number int
	guest  guest

	// mu is held during a callback, so that there is one at a time.
	mu      sync.Mutex
	crashed bool

	lastContext uint32
	plugin      *plugin // the one new streams belong to
	plugins     map[uint32]*plugin
	streams     map[uint32]*Stream
	tickPeriod  uint32

	// context is the one on whose behalf hostcalls are made.
	context uint32
	// configuration is readable during on_configure only.
	configuration []byte
}

// plugin is a plug-in context.
type plugin struct {
	id       uint32
	streams  int
	draining bool
}

// call makes a callback on behalf of the context that is its first argument. It
// fails if the VM has crashed, now or before.
func (w *worker) call(callback string, arguments ...uint32) (result uint32, ok bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.crashed {
		return 0, false
	}
	w.context = arguments[0]
	result, err := w.guest.call(callback, arguments...)
	w.context = 0
	if err != nil {
		// P42: the VM is gone for good, and with it every stream of this worker.
		w.crashed = true
		w.envoy.errorf("worker %d: the VM crashed in %s: %v", w.number, callback, err)
	}
	return result, !w.crashed
}

// start brings up a fresh VM. The order is Envoy's: the first plug-in context
// exists before on_vm_start.
func (w *worker) start(config []byte) error {
	p := w.newPlugin()
	if accepted, _ := w.call(onVMStart, p.id, uint32(len(w.envoy.options.VMConfig))); accepted == 0 {
		return errors.New("OnVMStart failed")
	}
	return w.adopt(p, config)
}

// configure replaces the plug-in context if the new one accepts its
// configuration.
func (w *worker) configure(config []byte) error { return w.adopt(w.newPlugin(), config) }

func (w *worker) newPlugin() *plugin {
	w.mu.Lock()
	p := &plugin{id: w.newContext()}
	w.plugins[p.id] = p
	w.mu.Unlock()
	w.call(onContextCreate, p.id, 0)
	return p
}

func (w *worker) adopt(p *plugin, config []byte) error {
	w.configuration = config
	accepted, _ := w.call(onConfigure, p.id, uint32(len(config)))
	w.configuration = nil
	if accepted == 0 {
		w.retire(p)
		return fmt.Errorf("worker %d: OnPluginStart failed", w.number)
	}
	w.mu.Lock()
	old := w.plugin
	w.plugin = p
	w.mu.Unlock()
	if old != nil {
		w.retire(old)
	}
	return nil
}

// retire deletes a plug-in context once its last stream has ended.
func (w *worker) retire(p *plugin) {
	w.mu.Lock()
	p.draining = true
	streams := p.streams
	w.mu.Unlock()
	if streams == 0 {
		w.remove(p)
	}
}

func (w *worker) remove(p *plugin) {
	w.call(onDone, p.id)
	w.call(onDelete, p.id)
	w.mu.Lock()
	delete(w.plugins, p.id)
	w.mu.Unlock()
}

func (w *worker) newContext() uint32 {
	w.lastContext++
	return w.lastContext
}

// stream returns the stream on whose behalf a hostcall is made, nil if it is
// made for a plug-in.
func (w *worker) stream() *Stream { return w.streams[w.context] }

func (w *worker) setTickPeriod(milliseconds uint32) status {
	w.tickPeriod = milliseconds
	return statusOK
}

func (w *worker) setEffectiveContext(context uint32) status {
	if w.streams[context] == nil && w.plugins[context] == nil {
		return statusBadArgument
	}
	w.context = context
	return statusOK
}
