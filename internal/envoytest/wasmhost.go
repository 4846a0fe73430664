package envoytest

import (
	"context"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

// wasmHost carries hostcalls from a module to a worker: it reads texts from the
// module's memory and writes answers there. An address and its size are two
// parameters of a hostcall each.
type wasmHost struct{ worker *worker }

// exportHostcalls makes the module "env", where the ABI has its hostcalls.
func exportHostcalls(ctx context.Context, runtime wazero.Runtime, w *worker) error {
	h := wasmHost{w}
	env := runtime.NewHostModuleBuilder("env")
	for name, function := range map[string]any{
		"proxy_log":                          h.log,
		"proxy_set_property":                 h.setProperty,
		"proxy_get_property":                 h.getProperty,
		"proxy_send_local_response":          h.sendLocalResponse,
		"proxy_get_shared_data":              h.getSharedData,
		"proxy_set_shared_data":              h.setSharedData,
		"proxy_get_header_map_value":         h.getHeader,
		"proxy_add_header_map_value":         h.addHeader,
		"proxy_replace_header_map_value":     h.replaceHeader,
		"proxy_remove_header_map_value":      h.removeHeader,
		"proxy_get_header_map_pairs":         h.getHeaders,
		"proxy_set_header_map_pairs":         h.setHeaders,
		"proxy_get_buffer_bytes":             h.getBuffer,
		"proxy_set_buffer_bytes":             h.setBuffer,
		"proxy_continue_stream":              func(streamType uint32) uint32 { return uint32(w.continueStream(streamType)) },
		"proxy_close_stream":                 func(streamType uint32) uint32 { return uint32(w.closeStream(streamType)) },
		"proxy_call_foreign_function":        h.callForeignFunction,
		"proxy_set_tick_period_milliseconds": func(period uint32) uint32 { return uint32(w.setTickPeriod(period)) },
		"proxy_set_effective_context":        func(context uint32) uint32 { return uint32(w.setEffectiveContext(context)) },
		"proxy_done":                         func() uint32 { return uint32(statusOK) },
		"proxy_define_metric":                h.defineMetric,
		"proxy_increment_metric":             func(id uint32, offset int64) uint32 { return uint32(w.incrementMetric(id, offset)) },
		"proxy_record_metric":                func(id uint32, value uint64) uint32 { return uint32(w.recordMetric(id, value)) },
		"proxy_get_metric":                   h.getMetric,

		// Not played, see nativeHost.
		"proxy_register_shared_queue": func(_, _, _ uint32) uint32 { return uint32(statusUnimplemented) },
		"proxy_resolve_shared_queue":  func(_, _, _, _, _ uint32) uint32 { return uint32(statusUnimplemented) },
		"proxy_dequeue_shared_queue":  func(_, _, _ uint32) uint32 { return uint32(statusUnimplemented) },
		"proxy_enqueue_shared_queue":  func(_, _, _ uint32) uint32 { return uint32(statusUnimplemented) },
		"proxy_http_call":             func(_, _, _, _, _, _, _, _, _, _ uint32) uint32 { return uint32(statusUnimplemented) },
	} {
		env.NewFunctionBuilder().WithFunc(function).Export(name)
	}
	_, err := env.Instantiate(ctx)
	return err
}

// texts reads pairs of an address and a size. What lies outside of the memory
// makes the hostcall fail.
func texts(m api.Module, pairs ...uint32) (read []string, ok bool) {
	for i := 0; i < len(pairs); i += 2 {
		b, ok := m.Memory().Read(pairs[i], pairs[i+1])
		if !ok {
			return make([]string, len(pairs)/2), false
		}
		read = append(read, string(b))
	}
	return read, true
}

// answer asks the module for memory, as Envoy does in the midst of a hostcall,
// and says where the answer is.
func answer(ctx context.Context, m api.Module, value string, at, size uint32) uint32 {
	var block uint32
	if value != "" {
		allocated, err := m.ExportedFunction("proxy_on_memory_allocate").Call(ctx, uint64(len(value)))
		if err != nil {
			panic(err) // wazero turns it into a trap of the callback that is under way.
		}
		block = uint32(allocated[0])
	}
	memory := m.Memory()
	if !memory.WriteString(block, value) || !memory.WriteUint32Le(at, block) || !memory.WriteUint32Le(size, uint32(len(value))) {
		return uint32(statusInvalidMemoryAccess)
	}
	return uint32(statusOK)
}

func (h wasmHost) log(_ context.Context, m api.Module, level, message, messageSize uint32) uint32 {
	t, ok := texts(m, message, messageSize)
	if !ok {
		return uint32(statusInvalidMemoryAccess)
	}
	return uint32(h.worker.log(level, t[0]))
}

func (h wasmHost) setProperty(_ context.Context, m api.Module, path, pathSize, value, valueSize uint32) uint32 {
	t, ok := texts(m, path, pathSize, value, valueSize)
	if !ok {
		return uint32(statusInvalidMemoryAccess)
	}
	return uint32(h.worker.setProperty(t[0], t[1]))
}

func (h wasmHost) getProperty(ctx context.Context, m api.Module, path, pathSize, at, size uint32) uint32 {
	t, ok := texts(m, path, pathSize)
	if !ok {
		return uint32(statusInvalidMemoryAccess)
	}
	value, s := h.worker.getProperty(t[0])
	if s != statusOK {
		return uint32(s)
	}
	return answer(ctx, m, value, at, size)
}

func (h wasmHost) sendLocalResponse(_ context.Context, m api.Module, code, details, detailsSize, body, bodySize, headers, headersSize uint32, _ int32) uint32 {
	t, ok := texts(m, details, detailsSize, body, bodySize, headers, headersSize)
	if !ok {
		return uint32(statusInvalidMemoryAccess)
	}
	return uint32(h.worker.sendLocalResponse(code, t[0], t[1], t[2]))
}

func (h wasmHost) getSharedData(ctx context.Context, m api.Module, key, keySize, at, size, casAt uint32) uint32 {
	t, ok := texts(m, key, keySize)
	if !ok {
		return uint32(statusInvalidMemoryAccess)
	}
	value, cas, s := h.worker.getSharedData(t[0])
	if s != statusOK {
		return uint32(s)
	}
	m.Memory().WriteUint32Le(casAt, cas)
	return answer(ctx, m, value, at, size)
}

func (h wasmHost) setSharedData(_ context.Context, m api.Module, key, keySize, value, valueSize, cas uint32) uint32 {
	t, ok := texts(m, key, keySize, value, valueSize)
	if !ok {
		return uint32(statusInvalidMemoryAccess)
	}
	return uint32(h.worker.setSharedData(t[0], t[1], cas))
}

func (h wasmHost) getHeader(ctx context.Context, m api.Module, mapType, key, keySize, at, size uint32) uint32 {
	t, ok := texts(m, key, keySize)
	if !ok {
		return uint32(statusInvalidMemoryAccess)
	}
	value, s := h.worker.getHeader(mapType, t[0])
	if s != statusOK {
		return uint32(s)
	}
	return answer(ctx, m, value, at, size)
}

func (h wasmHost) addHeader(_ context.Context, m api.Module, mapType, key, keySize, value, valueSize uint32) uint32 {
	t, ok := texts(m, key, keySize, value, valueSize)
	if !ok {
		return uint32(statusInvalidMemoryAccess)
	}
	return uint32(h.worker.addHeader(mapType, t[0], t[1]))
}

func (h wasmHost) replaceHeader(_ context.Context, m api.Module, mapType, key, keySize, value, valueSize uint32) uint32 {
	t, ok := texts(m, key, keySize, value, valueSize)
	if !ok {
		return uint32(statusInvalidMemoryAccess)
	}
	return uint32(h.worker.replaceHeader(mapType, t[0], t[1]))
}

func (h wasmHost) removeHeader(_ context.Context, m api.Module, mapType, key, keySize uint32) uint32 {
	t, ok := texts(m, key, keySize)
	if !ok {
		return uint32(statusInvalidMemoryAccess)
	}
	return uint32(h.worker.removeHeader(mapType, t[0]))
}

func (h wasmHost) getHeaders(ctx context.Context, m api.Module, mapType, at, size uint32) uint32 {
	value, s := h.worker.getHeaders(mapType)
	if s != statusOK {
		return uint32(s)
	}
	return answer(ctx, m, value, at, size)
}

func (h wasmHost) setHeaders(_ context.Context, m api.Module, mapType, pairs, pairsSize uint32) uint32 {
	t, ok := texts(m, pairs, pairsSize)
	if !ok {
		return uint32(statusInvalidMemoryAccess)
	}
	return uint32(h.worker.setHeaders(mapType, t[0]))
}

func (h wasmHost) getBuffer(ctx context.Context, m api.Module, bufferType, start, maxSize, at, size uint32) uint32 {
	value, s := h.worker.getBuffer(bufferType, start, maxSize)
	if s != statusOK || value == "" {
		return uint32(s) // Envoy writes nothing for an empty buffer.
	}
	return answer(ctx, m, value, at, size)
}

func (h wasmHost) setBuffer(_ context.Context, m api.Module, bufferType, start, maxSize, bytes, bytesSize uint32) uint32 {
	t, ok := texts(m, bytes, bytesSize)
	if !ok {
		return uint32(statusInvalidMemoryAccess)
	}
	return uint32(h.worker.setBuffer(bufferType, start, maxSize, t[0]))
}

func (h wasmHost) callForeignFunction(ctx context.Context, m api.Module, name, nameSize, parameter, parameterSize, at, size uint32) uint32 {
	t, ok := texts(m, name, nameSize, parameter, parameterSize)
	if !ok {
		return uint32(statusInvalidMemoryAccess)
	}
	result, s := h.worker.callForeignFunction(t[0], t[1])
	if s != statusOK {
		return uint32(s)
	}
	return answer(ctx, m, result, at, size)
}

func (h wasmHost) defineMetric(_ context.Context, m api.Module, kind, name, nameSize, idAt uint32) uint32 {
	t, ok := texts(m, name, nameSize)
	if !ok {
		return uint32(statusInvalidMemoryAccess)
	}
	id, s := h.worker.defineMetric(kind, t[0])
	if s == statusOK {
		m.Memory().WriteUint32Le(idAt, id)
	}
	return uint32(s)
}

func (h wasmHost) getMetric(_ context.Context, m api.Module, id, valueAt uint32) uint32 {
	value, s := h.worker.getMetric(id)
	if s == statusOK {
		m.Memory().WriteUint64Le(valueAt, value)
	}
	return uint32(s)
}
