package envoytest

import (
	"encoding/binary"
	"maps"
	"strings"
)

// filterStatePrefix is what Envoy puts before the name of a property that a
// plug-in sets, to make it a key of the stream's filter state (P33).
const filterStatePrefix = "wasm."

// Int is a number as a property holds it: 8 bytes, little-endian (P37).
func Int(n int64) string {
	return string(binary.LittleEndian.AppendUint64(nil, uint64(n)))
}

// SetProperty sets an attribute of the stream, by its path joined with dots.
func (s *Stream) SetProperty(path, value string) { s.properties[path] = value }

// FilterState returns what the filter has set, by key, such as "wasm.tokens".
func (s *Stream) FilterState() map[string]string { return maps.Clone(s.filterState) }

func (w *worker) getProperty(path string) (string, status) {
	parts := strings.Split(path, "\x00")
	name := strings.Join(parts, ".")
	s := w.stream()
	if s == nil {
		return w.pluginProperty(name)
	}
	if value, ok := s.properties[name]; ok {
		return value, statusOK
	}
	if value, ok := s.headerProperty(parts); ok {
		return value, statusOK
	}
	// P34: filter state is read by its full key, or by its name alone.
	if key, ok := strings.CutPrefix(name, "filter_state."); ok {
		value, ok := s.filterState[key]
		return value, found(ok)
	}
	value, ok := s.filterState[filterStatePrefix+path]
	return value, found(ok)
}

// pluginProperty is what a plug-in can read outside of any stream.
func (w *worker) pluginProperty(name string) (string, status) {
	for _, prefix := range []string{"plugin_", "node.", "listener_", "xds.listener_", "xds.node"} {
		if strings.HasPrefix(name, prefix) {
			value, ok := w.envoy.options.Properties[name]
			return value, found(ok)
		}
	}
	return "", statusNotFound
}

// headerProperty derives the attributes that Envoy reads from the headers, which
// are out of reach when those are (P2).
func (s *Stream) headerProperty(parts []string) (string, bool) {
	if len(parts) < 2 {
		return "", false
	}
	direction := &s.request
	switch parts[0] {
	case "request":
	case "response":
		direction = &s.response
	default:
		return "", false
	}
	if !direction.headersReachable && !s.logging {
		return "", false
	}
	name := ""
	switch {
	case parts[1] == "headers" && len(parts) == 3:
		name = strings.ToLower(parts[2])
	case direction == &s.response:
		return "", false
	case parts[1] == "path" || parts[1] == "method" || parts[1] == "scheme":
		name = ":" + parts[1]
	case parts[1] == "host":
		name = ":authority"
	case parts[1] == "url_path":
		path, _, _ := strings.Cut(direction.headers.Get(":path"), "?")
		return path, path != ""
	}
	if !direction.headers.Has(name) {
		return "", false
	}
	return direction.headers.Get(name), true
}

func (w *worker) setProperty(path, value string) status {
	s := w.stream()
	if s == nil {
		return statusNotFound
	}
	if strings.Contains(path, "\x00") {
		// Envoy takes it, but the key has a NUL in it and no formatter finds it.
		w.envoy.errorf("set_property with a path of several elements: %q (P33)", path)
	}
	s.filterState[filterStatePrefix+path] = value
	return statusOK
}

func found(ok bool) status {
	if ok {
		return statusOK
	}
	return statusNotFound
}
