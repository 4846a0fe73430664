package envoytest

import (
	"encoding/binary"
	"slices"
	"strings"
)

// Headers are header lines in order. Names are lower case, as in Envoy.
type Headers [][2]string

// Get returns the first value of a header, "" if there is none.
func (h Headers) Get(name string) string {
	for _, line := range h {
		if line[0] == name {
			return line[1]
		}
	}
	return ""
}

// Values returns the values of all lines of a header.
func (h Headers) Values(name string) []string {
	var values []string
	for _, line := range h {
		if line[0] == name {
			values = append(values, line[1])
		}
	}
	return values
}

// Has reports whether there is a line of a header, be it empty.
func (h Headers) Has(name string) bool {
	return slices.ContainsFunc(h, func(line [2]string) bool { return line[0] == name })
}

// lowered returns a copy with the names in lower case.
func (h Headers) lowered() Headers {
	lines := make(Headers, len(h))
	for i, line := range h {
		lines[i] = [2]string{strings.ToLower(line[0]), line[1]}
	}
	return lines
}

// Without returns the lines of all other headers.
func (h Headers) Without(name string) Headers {
	return slices.DeleteFunc(slices.Clone(h), func(line [2]string) bool { return line[0] == name })
}

// replaced collapses all lines of a header into one (P13).
func (h Headers) replaced(name, value string) Headers {
	at := slices.IndexFunc(h, func(line [2]string) bool { return line[0] == name })
	if at < 0 {
		return append(slices.Clone(h), [2]string{name, value})
	}
	lines := h.Without(name)
	return slices.Insert(lines, at, [2]string{name, value})
}

// encode writes the lines as the ABI does: the number of lines, the two sizes of
// each, then the texts, each ended by a NUL. All numbers are 32 bits,
// little-endian.
func (h Headers) encode() string {
	if len(h) == 0 {
		return "" // Envoy answers an empty map with no block at all.
	}
	encoded := binary.LittleEndian.AppendUint32(nil, uint32(len(h)))
	for _, line := range h {
		encoded = binary.LittleEndian.AppendUint32(encoded, uint32(len(line[0])))
		encoded = binary.LittleEndian.AppendUint32(encoded, uint32(len(line[1])))
	}
	for _, line := range h {
		encoded = append(append(encoded, line[0]...), 0)
		encoded = append(append(encoded, line[1]...), 0)
	}
	return string(encoded)
}

// decodeHeaders is the reverse of encode. The SDK writes what it reads.
func decodeHeaders(encoded string) Headers {
	number := func() int {
		n := binary.LittleEndian.Uint32([]byte(encoded[:4]))
		encoded = encoded[4:]
		return int(n)
	}
	if len(encoded) < 4 {
		return nil
	}
	sizes := make([][2]int, number())
	for i := range sizes {
		sizes[i] = [2]int{number(), number()}
	}
	lines := make(Headers, len(sizes))
	for i, size := range sizes {
		for part := range 2 {
			lines[i][part] = encoded[:size[part]]
			encoded = encoded[size[part]+1:]
		}
	}
	return lines.lowered()
}

// readable returns the header map that a get reads, nil if it is out of reach.
// In on_log the request's and the response's maps are back (P2); the trailers of
// the request are not.
func (w *worker) readable(mapType uint32) *Headers {
	s := w.stream()
	if s != nil && s.logging {
		switch mapType {
		case mapRequestHeaders:
			return &s.request.headers
		case mapResponseHeaders:
			return &s.response.headers
		case mapResponseTrailers:
			return &s.response.trailers
		}
	}
	return w.writable(mapType)
}

// writable returns the header map that an edit changes, nil if it has gone on or
// not come yet (P2, P11).
func (w *worker) writable(mapType uint32) *Headers {
	s := w.stream()
	switch {
	case s == nil:
	case mapType == mapRequestHeaders && s.request.headersReachable:
		return &s.request.headers
	case mapType == mapRequestTrailers && s.request.trailersReachable:
		return &s.request.trailers
	case mapType == mapResponseHeaders && s.response.headersReachable:
		return &s.response.headers
	case mapType == mapResponseTrailers && s.response.trailersReachable:
		return &s.response.trailers
	}
	return nil
}

// getHeader returns the first value only (P13).
func (w *worker) getHeader(mapType uint32, name string) (string, status) {
	h := w.readable(mapType)
	if h == nil {
		return "", statusBadArgument
	}
	name = strings.ToLower(name)
	return h.Get(name), found(h.Has(name))
}

// getHeaders of a map that is out of reach is no error to Envoy, but an empty
// map, which the SDK takes for NotFound.
func (w *worker) getHeaders(mapType uint32) (string, status) {
	h := w.readable(mapType)
	if h == nil {
		return "", statusOK
	}
	return h.encode(), statusOK
}

func (w *worker) edit(mapType uint32, edited func(Headers) Headers) status {
	h := w.writable(mapType)
	if h == nil {
		return statusBadArgument
	}
	*h = edited(*h)
	return statusOK
}

func (w *worker) addHeader(mapType uint32, name, value string) status {
	return w.edit(mapType, func(h Headers) Headers { return append(h, [2]string{strings.ToLower(name), value}) })
}

func (w *worker) replaceHeader(mapType uint32, name, value string) status {
	return w.edit(mapType, func(h Headers) Headers { return h.replaced(strings.ToLower(name), value) })
}

func (w *worker) removeHeader(mapType uint32, name string) status {
	return w.edit(mapType, func(h Headers) Headers { return h.Without(strings.ToLower(name)) })
}

func (w *worker) setHeaders(mapType uint32, encoded string) status {
	return w.edit(mapType, func(Headers) Headers { return decodeHeaders(encoded) })
}
