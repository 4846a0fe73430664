package main

import (
	"runtime"
	"strconv"
	"strings"

	"github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm"
	"github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm/types"

	"sluice/config"
	"sluice/limits"
)

// recover ends a panic in a callback. Left alone it would kill the VM and with
// it every stream of the worker (P42), and print itself in dozens of lines
// (P41).
func (s *stream) recover(action *types.Action) {
	cause := recover()
	if cause == nil {
		return
	}
	// The failure itself must not fail.
	defer func() {
		if recover() != nil {
			*action = types.ActionContinue
		}
	}()
	*action = s.failed("panic", describe(cause)+" at "+caller())
}

// recover ends a panic in a callback that belongs to no stream.
func (p *plugin) recover(then func()) {
	cause := recover()
	if cause == nil {
		return
	}
	if then != nil {
		then()
	}
	proxywasm.LogError("sluice: internal error: " + describe(cause) + " at " + caller())
}

// describe says what a panic is about. Only the runtime's own are quoted: they
// hold nothing of a request.
func describe(cause any) string {
	if err, ok := cause.(runtime.Error); ok {
		return err.Error()
	}
	return "panic"
}

// fail handles an internal failure as on_error says, and counts it.
func (s *stream) fail(kind string, err error) types.Action { return s.failed(kind, err.Error()) }

func (s *stream) failed(kind, text string) types.Action {
	s.p.note(kind, text)
	before := s.phase
	s.phase = failed
	if !s.admitted {
		s.reservation = limits.Reservation{} // who knows what is in it
	}
	if s.p.config.OnError == config.Deny && !s.p.config.Observe && (before == arriving || before == held) {
		return s.refuse(internalError())
	}
	if before == refused {
		s.phase = refused
		return types.ActionPause
	}
	return types.ActionContinue
}

// note counts and logs an internal failure.
func (p *plugin) note(kind, text string) {
	p.metrics.internalErrors.add(1, kind)
	proxywasm.LogError("sluice: internal error: " + kind + ": " + text)
}

// caller names the functions of this module that were running when it panicked.
func caller() string {
	var pcs [32]uintptr
	n := runtime.Callers(3, pcs[:])
	frames := runtime.CallersFrames(pcs[:n])
	var b strings.Builder
	for {
		frame, more := frames.Next()
		if own := strings.HasPrefix(frame.Function, "main.") || strings.HasPrefix(frame.Function, "sluice/"); own {
			if b.Len() > 0 {
				b.WriteString(" < ")
			}
			b.WriteString(frame.Function + ":" + strconv.Itoa(frame.Line))
		}
		if !more || b.Len() > 300 {
			return b.String()
		}
	}
}
