package envoytest

import (
	"fmt"
	"strings"
	"sync"
	"time"
)

// TB is the part of testing.TB that a fake Envoy needs. rapid.T has it as well.
type TB interface {
	Helper()
	Cleanup(func())
	Errorf(format string, args ...any)
}

// Options say how Envoy is configured.
type Options struct {
	// HoldHeaders is the plug-in's allow_on_headers_stop_iteration (P1).
	HoldHeaders bool

	// BufferLimit is the listener's per_connection_buffer_limit_bytes, which
	// bounds a body that the filter holds (P6). 0 stands for Envoy's 1 MiB.
	BufferLimit int

	// Workers is Envoy's --concurrency, 1 if it is 0. Each worker has a VM of its
	// own. In a native build they share the package variables of the filter.
	Workers int

	// VMConfig is the configuration that OnVMStart can read.
	VMConfig []byte

	// Properties are attributes of every stream, by their path joined with dots,
	// such as "source.address". Use Int for numbers.
	Properties map[string]string

	// SharedData replaces the data of an Envoy of one's own, so that they outlast
	// it as they outlast a VM with the same vm_id (P18).
	SharedData *SharedData

	// ForeignFunctions are the functions CallForeignFunction finds, by name.
	ForeignFunctions map[string]func(parameter []byte) (result []byte)

	// AllowCritical is for tests that provoke a critical log on purpose.
	AllowCritical bool

	// Clock is the time inside a wasm VM, the real one if it is nil. A native
	// filter takes its clock some other way.
	Clock func() time.Time

	// Env are the environment variables of a wasm VM.
	Env map[string]string
}

// Envoy is one Envoy process with one filter in it.
//
// Its methods may be called by several goroutines, as long as each has streams
// of its own: like in Envoy, a VM runs one callback at a time.
type Envoy struct {
	t       TB
	options Options
	shared  *SharedData
	metrics metrics
	workers []*worker

	// newGuest makes the VM of a worker.
	newGuest func(*worker) (guest, error)

	mu   sync.Mutex
	logs []Log
}

func newEnvoy(t TB, options Options, newGuest func(*worker) (guest, error)) *Envoy {
	if options.BufferLimit == 0 {
		options.BufferLimit = 1 << 20
	}
	if options.Workers == 0 {
		options.Workers = 1
	}
	if options.SharedData == nil {
		options.SharedData = NewSharedData()
	}
	e := &Envoy{t: t, options: options, shared: options.SharedData, newGuest: newGuest}
	t.Cleanup(func() {
		for _, w := range e.workers {
			w.guest.close()
		}
	})
	return e
}

// Start creates the VM of each worker and configures the plug-in in it. It
// returns an error, which contains the logs, if the filter refuses its
// configuration; Envoy then does not start (P19).
func (e *Envoy) Start(pluginConfig []byte) error {
	for i := range e.options.Workers {
		w := &worker{envoy: e, number: i, streams: map[uint32]*Stream{}, plugins: map[uint32]*plugin{}}
		var err error
		if w.guest, err = e.newGuest(w); err != nil {
			return e.refused("the VM does not load", err)
		}
		e.workers = append(e.workers, w)
		if err := w.start(pluginConfig); err != nil {
			return e.refused("start", err)
		}
	}
	return nil
}

// Reconfigure is an update of the plug-in's configuration: each worker creates a
// new plug-in context in the VM it has. Streams that are under way stay with the
// old one. A refused configuration leaves the old one in service (P18).
func (e *Envoy) Reconfigure(pluginConfig []byte) error {
	for _, w := range e.workers {
		if err := w.configure(pluginConfig); err != nil {
			return e.refused("reconfigure", err)
		}
	}
	return nil
}

func (e *Envoy) refused(what string, err error) error {
	var text strings.Builder
	for _, log := range e.Logs() {
		fmt.Fprintf(&text, "\n%s: %s", log.Level, log.Message)
	}
	return fmt.Errorf("%s: %w%s", what, err, text.String())
}

// Tick calls OnTick in every worker whose plug-in has set a tick period (P20).
func (e *Envoy) Tick() {
	for _, w := range e.workers {
		if w.tickPeriod > 0 {
			w.call(onTick, w.plugin.id)
			for _, s := range w.streams {
				s.restart(&s.request)
				s.restart(&s.response)
			}
		}
	}
}

// SharedData returns the data that the VMs share.
func (e *Envoy) SharedData() *SharedData { return e.shared }

// errorf fails the test but lets the callback that is under way come to its end:
// a callback of a wasm VM must not be left by a Goexit.
func (e *Envoy) errorf(format string, args ...any) {
	e.t.Helper()
	e.t.Errorf("envoytest: "+format, args...)
}
