// Command store is a plug-in that opens Envoy's shared data to a test, by way of
// the filter's own Store: what the test sees is what the filter gets.
//
//	POST /get     x-key                  200, x-version and the value as the body; 404
//	POST /create  x-key, body: a value   200; 409 if there is one
//	POST /swap    x-key, x-version, body 200; 409 if the version is another
//
// Keys are in hexadecimal digits, values as they are. A request without x-key
// passes: it is the filter's behind this one.
package main

import (
	"encoding/hex"
	"errors"
	"strconv"

	"github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm"
	"github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm/types"

	_ "sluice/internal/abi" // lets the SDK run under the standard compiler
	"sluice/internal/shareddata"
	"sluice/limits"
)

func main() {}

func init() { proxywasm.SetVMContext(&vm{}) }

type vm struct{ types.DefaultVMContext }

func (*vm) NewPluginContext(uint32) types.PluginContext { return &plugin{} }

type plugin struct{ types.DefaultPluginContext }

func (*plugin) NewHttpContext(uint32) types.HttpContext { return &stream{} }

// stream is one access. It is held until all of it is there, and answered here.
type stream struct {
	types.DefaultHttpContext
	path    string
	passes  bool
	key     []byte
	version uint32
	value   []byte
}

func (s *stream) OnHttpRequestHeaders(_ int, end bool) types.Action {
	if _, err := proxywasm.GetHttpRequestHeader("x-key"); errors.Is(err, types.ErrorStatusNotFound) {
		s.passes = true
		return types.ActionContinue
	}
	if err := s.readHead(); err != nil {
		reply(400, nil, err.Error())
	} else if end {
		s.access()
	}
	return types.ActionPause
}

func (s *stream) readHead() (err error) {
	if s.path, err = proxywasm.GetHttpRequestHeader(":path"); err != nil {
		return err
	}
	key, err := proxywasm.GetHttpRequestHeader("x-key")
	if err != nil {
		return err
	}
	if s.key, err = hex.DecodeString(key); err != nil {
		return err
	}
	if s.path != "/swap" {
		return nil
	}
	version, err := proxywasm.GetHttpRequestHeader("x-version")
	if err != nil {
		return err
	}
	n, err := strconv.ParseUint(version, 10, 32)
	s.version = uint32(n)
	return err
}

func (s *stream) OnHttpRequestBody(size int, end bool) types.Action {
	if s.passes {
		return types.ActionContinue
	}
	if !end {
		return types.ActionPause
	}
	value, err := proxywasm.GetHttpRequestBody(0, size)
	if err != nil && !errors.Is(err, types.ErrorStatusNotFound) { // nothing in it
		reply(400, nil, err.Error())
		return types.ActionPause
	}
	s.value = value
	s.access()
	return types.ActionPause
}

func (s *stream) access() {
	var store shareddata.Store
	var value []byte
	var version uint32
	var err error
	switch s.path {
	case "/get":
		value, version, err = store.Get(s.key)
	case "/create":
		err = store.Create(s.key, s.value)
	case "/swap":
		err = store.Swap(s.key, s.value, s.version)
	default:
		err = errors.New("no such access")
	}
	switch {
	case errors.Is(err, limits.ErrNotFound):
		reply(404, nil, "")
	case errors.Is(err, limits.ErrConflict):
		reply(409, nil, "")
	case err != nil:
		reply(500, nil, err.Error())
	default:
		reply(200, [][2]string{{"x-version", strconv.FormatUint(uint64(version), 10)}}, string(value))
	}
}

func reply(status uint32, headers [][2]string, body string) {
	if err := proxywasm.SendHttpResponse(status, headers, []byte(body), -1); err != nil {
		proxywasm.LogCritical("no reply: " + err.Error())
	}
}
