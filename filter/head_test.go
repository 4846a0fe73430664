package main

import (
	"strings"
	"testing"

	"sluice/tokens"
)

func TestHead(t *testing.T) {
	for name, c := range map[string]struct {
		headers [][2]string
		want    head
	}{
		"a chat": {
			[][2]string{{":method", "POST"}, {":path", "//v1/chat/completions?key=a?b"}, {":authority", "api.openai.com"}, {"content-type", "application/json"}, {"content-length", "12"}, {"content-encoding", "gzip"}},
			head{method: "POST", query: "key=a?b", contentType: "application/json", contentLength: 12, encoding: "gzip", target: target{path: "/v1/chat/completions", authority: "api.openai.com", operation: tokens.Chat}},
		},
		"a slash at the end":            {[][2]string{{":path", "/v1/chat/completions/"}}, head{contentLength: -1, target: target{path: "/v1/chat/completions", operation: tokens.Chat}}},
		"nothing":                       {nil, head{contentLength: -1, target: target{path: "/", operation: tokens.Other}}},
		"a length that is none":         {[][2]string{{":path", "/"}, {"content-length", "-5"}}, head{contentLength: -1, target: target{path: "/", operation: tokens.Other}}},
		"a length beyond all":           {[][2]string{{":path", "/"}, {"content-length", "99999999999999999999"}}, head{contentLength: -1, target: target{path: "/", operation: tokens.Other}}},
		"an upgrade":                    {[][2]string{{":path", "/"}, {"connection", "keep-alive, Upgrade"}, {"upgrade", "websocket"}}, head{contentLength: -1, upgrade: true, target: target{path: "/", operation: tokens.Other}}},
		"an upgrade without a protocol": {[][2]string{{":path", "/"}, {"connection", "upgrade"}}, head{contentLength: -1, target: target{path: "/", operation: tokens.Other}}},
	} {
		t.Run(name, func(t *testing.T) {
			got := newHead(c.headers, "", &targets{})
			got.pairs = nil
			if got.method != c.want.method || got.path != c.want.path || got.query != c.want.query || got.authority != c.want.authority ||
				got.contentType != c.want.contentType || got.contentLength != c.want.contentLength || got.encoding != c.want.encoding ||
				got.upgrade != c.want.upgrade || got.operation != c.want.operation {
				t.Errorf("%+v\nwant %+v", got, c.want)
			}
		})
	}
}

func TestOpaque(t *testing.T) {
	for name, c := range map[string]struct {
		head head
		want bool
	}{
		"a chat":                       {head{method: "POST", contentType: "application/json", target: target{operation: tokens.Chat}}, false},
		"a GET":                        {head{method: "GET", target: target{operation: tokens.Other}}, false},
		"a tunnel":                     {head{method: "CONNECT", target: target{operation: tokens.Other}}, true},
		"a websocket":                  {head{method: "GET", upgrade: true, target: target{operation: tokens.Other}}, true},
		"a POST that claims to be one": {head{method: "POST", upgrade: true, target: target{operation: tokens.Other}}, false},
		"gRPC":                         {head{method: "POST", contentType: "application/grpc", target: target{path: "/p.S/M", operation: tokens.Other}}, true},
		"gRPC with a format":           {head{method: "POST", contentType: "application/grpc+proto", target: target{path: "/Service/M", operation: tokens.Other}}, true},
		"gRPC by its type alone":       {head{method: "POST", contentType: "application/grpc", target: target{path: "/completion", operation: tokens.Other}}, false},
		"gRPC at no service":           {head{method: "POST", contentType: "application/grpc+json", target: target{path: "/api/v2/complete", operation: tokens.Other}}, false},
		"gRPC-Web, which ends":         {head{method: "POST", contentType: "application/grpc-web+proto", target: target{operation: tokens.Other}}, false},
		"a chat that claims to be one": {head{method: "POST", contentType: "application/grpc", target: target{operation: tokens.Chat}}, false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := c.head.opaque(); got != c.want {
				t.Errorf("opaque: %t, want %t", got, c.want)
			}
		})
	}
}

func FuzzHead(f *testing.F) {
	f.Add("POST", "/v1/chat/completions?key=a", "application/json", "12", "keep-alive, Upgrade", "websocket")
	f.Add("", "?", "application/grpc", "-1", "", "\x00")
	f.Fuzz(func(t *testing.T, method, path, contentType, contentLength, connection, upgrade string) {
		h := newHead([][2]string{{":method", method}, {":path", path}, {"content-type", contentType},
			{"content-length", contentLength}, {"connection", connection}, {"upgrade", upgrade}}, "", &targets{})
		if h.path == "" || h.path[0] != '/' || h.contentLength < -1 || h.operation == "" {
			t.Errorf("%+v", h)
		}
		if _, query, there := strings.Cut(path, "?"); there && h.query != query {
			t.Errorf("the query of %q is %q", path, h.query)
		}
		// A model call of a known path is always looked into.
		if h.opaque() && method == "POST" && h.operation != tokens.Other {
			t.Errorf("%+v is not looked into", h)
		}
	})
}
