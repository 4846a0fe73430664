package envoytest

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"
)

// Wasm is an Envoy around a compiled filter. Each worker runs an instance of its
// own, in wazero.
func Wasm(t TB, binary []byte, options Options) *Envoy {
	return newEnvoy(t, options, func(w *worker) (guest, error) { return newWasmGuest(w, binary) })
}

// compiled spares the tests of one process from compiling a binary again.
var compiled = wazero.NewCompilationCache()

// wasmGuest is an instance of a module.
type wasmGuest struct {
	runtime   wazero.Runtime
	module    api.Module
	callbacks map[string]api.Function
}

func newWasmGuest(w *worker, binary []byte) (guest, error) {
	ctx := context.Background()
	g := &wasmGuest{
		runtime:   wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfig().WithCompilationCache(compiled)),
		callbacks: map[string]api.Function{},
	}
	if err := g.instantiate(ctx, w, binary); err != nil {
		g.close()
		return nil, err
	}
	return g, nil
}

func (g *wasmGuest) instantiate(ctx context.Context, w *worker, binary []byte) error {
	if _, err := wasi_snapshot_preview1.Instantiate(ctx, g.runtime); err != nil {
		return err
	}
	if err := exportHostcalls(ctx, g.runtime, w); err != nil {
		return err
	}

	options := w.envoy.options
	config := wazero.NewModuleConfig().
		WithStartFunctions("_initialize"). // P47: main is never called.
		WithStdout(logWriter{w, Info}).WithStderr(logWriter{w, Error}).
		WithRandSource(rand.Reader)
	if clock := options.Clock; clock != nil {
		config = config.
			WithWalltime(func() (int64, int32) {
				now := clock()
				return now.Unix(), int32(now.Nanosecond())
			}, 1).
			WithNanotime(func() int64 { return clock().UnixNano() }, 1)
	} else {
		config = config.WithSysWalltime().WithSysNanotime()
	}
	for name, value := range options.Env {
		config = config.WithEnv(name, value)
	}

	// Compiling is a step of its own because InstantiateWithConfig drops the
	// compiled code from the cache when the module is closed.
	code, err := g.runtime.CompileModule(ctx, binary)
	if err != nil {
		return err
	}
	if g.module, err = g.runtime.InstantiateModule(ctx, code, config); err != nil {
		return err
	}
	if g.module.ExportedFunction("proxy_abi_version_0_2_0") == nil {
		return fmt.Errorf("the module does not export proxy_abi_version_0_2_0 (P48)")
	}
	return nil
}

func (g *wasmGuest) call(callback string, arguments ...uint32) (uint32, error) {
	function, ok := g.callbacks[callback]
	if !ok {
		function = g.module.ExportedFunction(callback)
		g.callbacks[callback] = function
	}
	if function == nil {
		// A callback that a module does not export is left out, as in Envoy.
		return g.absent(callback), nil
	}
	stack := make([]uint64, max(1, len(arguments)))
	for i, argument := range arguments {
		stack[i] = uint64(argument)
	}
	if err := function.CallWithStack(context.Background(), stack); err != nil {
		return 0, err
	}
	if len(function.Definition().ResultTypes()) == 0 {
		return 0, nil
	}
	return uint32(stack[0]), nil
}

// absent is what Envoy assumes of a callback that a module does not export.
func (*wasmGuest) absent(callback string) uint32 {
	switch callback {
	case onVMStart, onConfigure, onDone:
		return 1
	}
	return 0
}

func (g *wasmGuest) close() { _ = g.runtime.Close(context.Background()) }

// logWriter logs what a module writes, each write as one line, as Envoy does. A
// panic of the Go runtime thus comes in pieces (P41).
type logWriter struct {
	worker *worker
	level  Level
}

func (l logWriter) Write(p []byte) (int, error) {
	l.worker.log(uint32(l.level), string(bytes.TrimSuffix(p, []byte("\n"))))
	return len(p), nil
}
