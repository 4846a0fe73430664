package main

import (
	"strconv"
	"strings"

	"github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm"

	"sluice/tokens"
)

// head is what the request headers say.
type head struct {
	pairs                 [][2]string
	method, query         string
	contentType, encoding string
	contentLength         int64 // -1: not stated
	upgrade               bool
	target
}

// readHead reads all headers at once: one call costs less than a few single
// ones, and only so are repeated headers seen (P13).
func (s *stream) readHead() error {
	pairs, err := proxywasm.GetHttpRequestHeaders()
	if err != nil {
		return err
	}
	s.head = newHead(pairs, clusterName(), &s.p.targets)
	return nil
}

// newHead reads headers.
func newHead(pairs [][2]string, cluster string, known *targets) head {
	h := head{pairs: pairs, contentLength: -1}
	connectionUpgrade, upgrade := false, ""
	authority, path := "", ""
	for _, p := range pairs {
		switch p[0] {
		case ":method":
			h.method = p[1]
		case ":path":
			path = p[1]
			if i := strings.IndexByte(path, '?'); i >= 0 {
				path, h.query = path[:i], path[i+1:]
			}
		case ":authority":
			authority = p[1]
		case "content-type":
			h.contentType = p[1]
		case "content-encoding":
			h.encoding = p[1]
		case "content-length":
			if n, err := strconv.ParseInt(p[1], 10, 64); err == nil && n >= 0 {
				h.contentLength = n
			}
		case "connection":
			connectionUpgrade = hasFold(p[1], "upgrade")
		case "upgrade":
			upgrade = p[1]
		}
	}
	h.upgrade = connectionUpgrade && upgrade != ""
	h.target = known.of(cluster, authority, path)
	return h
}

// opaque says that what follows the headers is no body to wait for: a tunnel, a
// websocket, a gRPC stream, whose end may depend on the answer (P28). A POST is
// no websocket, whatever it says, and a known API's path no gRPC.
func (h *head) opaque() bool {
	return h.method == "CONNECT" ||
		h.upgrade && h.method == "GET" ||
		h.operation == tokens.Other && h.grpc()
}

// grpc says that the request is a gRPC call. gRPC-Web's bodies end like others.
// Its path is /package.Service/Method: a client's word alone must not make of
// another API's request a stream that nobody looks into.
func (h *head) grpc() bool {
	rest, ok := strings.CutPrefix(h.contentType, "application/grpc")
	if !ok || rest != "" && rest[0] != '+' && rest[0] != ';' {
		return false
	}
	service, method, _ := strings.Cut(strings.TrimPrefix(h.path, "/"), "/")
	return service != "" && method != "" && strings.IndexByte(method, '/') < 0 &&
		(strings.IndexByte(service, '.') > 0 || service[0] >= 'A' && service[0] <= 'Z')
}

// encoded says that the body is compressed.
func (h *head) encoded() bool {
	return h.encoding != "" && !strings.EqualFold(h.encoding, "identity")
}

// form says that the body is a multipart form, as uploads are.
func (h *head) form() bool { return strings.HasPrefix(h.contentType, "multipart/") }

// values returns the values of a header, in order.
func (h *head) values(name string, into []string) []string {
	for _, p := range h.pairs {
		if p[0] == name {
			into = append(into, p[1])
		}
	}
	return into
}

// hasFold says whether s contains the lower-case word in any case.
func hasFold(s, word string) bool {
	for i := 0; i+len(word) <= len(s); i++ {
		if strings.EqualFold(s[i:i+len(word)], word) {
			return true
		}
	}
	return false
}
