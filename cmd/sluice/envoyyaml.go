package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"sluice/config"
)

// A wasmFilter is a place in Envoy's or Istio's configuration where a plugin's
// stands.
type wasmFilter struct {
	line  int
	names []string // by which it may be known, the first that is not empty for people

	text    []byte          // the plugin's configuration
	problem *config.Problem // why there is none

	// warn tells what is seldom meant around a plugin's configuration.
	warn func(c *config.Config) config.Problems
}

func (f *wasmFilter) name() string {
	i := slices.IndexFunc(f.names, func(s string) bool { return s != "" })
	if i < 0 {
		return fmt.Sprintf("line %d", f.line)
	}
	return fmt.Sprintf("%s (line %d)", f.names[i], f.line)
}

// isSluice says whether the filter is this one, and not another in Wasm.
func (f *wasmFilter) isSluice() bool {
	return slices.ContainsFunc(f.names, func(s string) bool { return strings.Contains(strings.ToLower(s), "sluice") }) ||
		gjson.GetBytes(f.text, "limits").Exists()
}

// checkYAML checks each of Sluice's filters in Envoy's or Istio's YAML.
func checkYAML(text []byte) (problems, warnings []string) {
	docs, err := readYAML(text)
	if err != nil {
		return []string{err.Error()}, nil
	}
	var f finder
	for _, doc := range docs {
		f.walk(doc, surroundings{})
	}
	var ours []wasmFilter
	var others []string
	for _, filter := range f.found {
		if filter.isSluice() {
			ours = append(ours, filter)
		} else {
			others = append(others, filter.name())
		}
	}
	switch {
	case len(f.found) == 0:
		return []string{"no Sluice configuration found: neither JSON nor Envoy YAML with a Wasm filter"}, nil
	case len(ours) == 0:
		return []string{"no Sluice configuration found: of its Wasm filters, " + strings.Join(others, ", ") +
			", none says sluice in its name, vm_id or code, or has limits"}, nil
	}
	for _, filter := range ours {
		prefix := ""
		if len(ours) > 1 {
			prefix = filter.name() + ": "
		}
		if filter.problem != nil {
			problems = append(problems, prefix+filter.problem.String())
			continue
		}
		c, wrong := parse(nil)
		if len(filter.text) > 0 {
			c, wrong = parseJSON(filter.text)
		}
		problems = append(problems, texts(prefix, wrong)...)
		if c != nil {
			warnings = append(warnings, texts(prefix, filter.warn(c))...)
			warnings = append(warnings, texts(prefix, c.Warnings)...)
		}
	}
	return problems, warnings
}

// finder looks for Wasm filters, wherever they stand: in a listener, a cluster,
// an extension's own configuration, a patch of Istio's.
type finder struct {
	found []wasmFilter
}

// surroundings are what a value stands in; nil: in none. upstream is what has a
// chain of upstream filters: a cluster's options, or a router.
type surroundings struct {
	listener, manager, upstream, filter *node
}

func (f *finder) walk(n *node, in surroundings) {
	if n.get("filter_chains") != nil || n.get("default_filter_chain") != nil {
		in.listener = n
	}
	if n.get("typed_config") != nil {
		in.filter = n
	}
	switch {
	case strings.HasSuffix(n.get("@type").string(), "/"+managerType):
		in.manager = n
	case strings.HasSuffix(n.get("@type").string(), "/"+optionsType), strings.HasSuffix(n.get("@type").string(), "/"+routerType):
		in.upstream = n
	case strings.HasSuffix(n.get("@type").string(), "/"+wasmType):
		f.envoy(n.get("config"), n.line, in)
	case strings.HasSuffix(n.get("type_url").string(), "/"+wasmType): // in a TypedStruct
		f.envoy(n.get("value", "config"), n.line, in)
	case n.get("kind").string() == "WasmPlugin":
		f.istio(n)
	}
	if n != nil {
		for _, value := range n.values {
			f.walk(value, in)
		}
	}
}

const (
	managerType = "envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager"
	wasmType    = "envoy.extensions.filters.http.wasm.v3.Wasm"
	optionsType = "envoy.extensions.upstreams.http.v3.HttpProtocolOptions"
	routerType  = "envoy.extensions.filters.http.router.v3.Router"
)

// envoy adds a filter by its PluginConfig.
func (f *finder) envoy(plugin *node, line int, in surroundings) {
	vm := plugin.get("vm_config")
	filter := wasmFilter{
		line: line,
		names: []string{
			plugin.get("name").string(), in.filter.get("name").string(), plugin.get("root_id").string(), vm.get("vm_id").string(),
			vm.get("code", "local", "filename").string(), vm.get("code", "remote", "http_uri", "uri").string(),
		},
		warn: func(c *config.Config) config.Problems { return envoyWarnings(c, plugin, in) },
	}
	configuration := plugin.get("configuration")
	value := configuration.get("value")
	kind := configuration.get("@type").string()
	switch kind[strings.LastIndexByte(kind, '/')+1:] {
	case "google.protobuf.StringValue":
		if value != nil && value.kind != scalar {
			filter.problem = &config.Problem{Path: "configuration.value", Message: "must be a string"}
		}
		filter.text = []byte(value.string())
	case "google.protobuf.Struct":
		if value == nil || value.kind != object {
			filter.problem = &config.Problem{Path: "configuration.value", Message: "must be an object"}
		} else if len(value.keys) > 0 { // an empty Struct has no bytes
			filter.text = value.appendJSON(nil)
		}
	default:
		if configuration != nil {
			filter.problem = &config.Problem{Path: "configuration.@type",
				Message: "must be type.googleapis.com/google.protobuf.StringValue or …Struct, is " + strconv.Quote(kind)}
		}
	}
	f.found = append(f.found, filter)
}

// envoyWarnings are about what must go with a configuration in Envoy's own.
func envoyWarnings(c *config.Config, plugin *node, in surroundings) (out config.Problems) {
	warn := func(path, message string) { out = append(out, config.Problem{Path: path, Message: message}) }
	gateway := c.Role == config.Gateway
	switch {
	case gateway && in.upstream != nil:
		warn("role", "is gateway among upstream filters: it counts every attempt as a request, and what it refuses is not retried")
	case !gateway && in.upstream == nil && in.manager != nil:
		warn("role", "is upstream in a listener: the router's retries are over there, and nothing is limited")
	}
	if c.Admission != config.AdmitHeaders && plugin.get("allow_on_headers_stop_iteration").string() != "true" {
		warn("allow_on_headers_stop_iteration", "is not true: "+unheld(c))
	}
	switch policy := plugin.get("failure_policy").string(); {
	case policy == "FAIL_OPEN" || plugin.get("fail_open").string() == "true":
		warn("failure_policy", "after a crash FAIL_OPEN lets everything through, uncounted; FAIL_RELOAD replaces the VM")
	case policy == "" || policy == "UNSPECIFIED":
		warn("failure_policy", "is not set: a worker whose VM crashed answers 503 from then on; FAIL_RELOAD replaces the VM")
	}
	if gateway && plugin.get("vm_config", "vm_id").string() == "" {
		warn("vm_config.vm_id", "is not set: the counters are kept under it, together with those of every plugin that sets none")
	}
	if ip := c.Attributes[config.IP]; ip.Used && ip.BuiltIn() && in.manager != nil &&
		in.manager.get("use_remote_address").string() != "true" {
		warn("use_remote_address", "must be true where limits use ip, or a client writes its own address, in x-forwarded-for")
	}
	if gateway && in.listener != nil && c.Admission != config.AdmitHeaders {
		buffer, stated := int64(1<<20), "is not set, so 1048576, which"
		if v, ok := wholeOf(in.listener.get("per_connection_buffer_limit_bytes").string()); ok {
			buffer, stated = v, strconv.FormatInt(v, 10)
		}
		if buffer < int64(c.Body.MaxBytes) {
			warn("per_connection_buffer_limit_bytes", fmt.Sprintf(
				"%s is less than body.max_bytes, %d: Envoy answers 413 to what is larger by itself", stated, c.Body.MaxBytes))
		}
	}
	return out
}

// istio adds a WasmPlugin. Istio hands its pluginConfig over as JSON text.
func (f *finder) istio(plugin *node) {
	spec := plugin.get("spec")
	filter := wasmFilter{
		line:  plugin.line,
		names: []string{plugin.get("metadata", "name").string(), spec.get("plugin_name").string(), spec.get("url").string()},
		warn:  func(c *config.Config) config.Problems { return istioWarnings(c, spec) },
	}
	if value := spec.get("plugin_config"); value != nil {
		filter.text = value.appendJSON(nil)
	}
	f.found = append(f.found, filter)
}

func istioWarnings(c *config.Config, spec *node) (out config.Problems) {
	if c.Admission != config.AdmitHeaders {
		out = append(out, config.Problem{Path: "pluginConfig.admission",
			Message: "a WasmPlugin cannot set allow_on_headers_stop_iteration: " + unheld(c)})
	}
	switch spec.get("fail_strategy").string() {
	case "FAIL_OPEN":
		out = append(out, config.Problem{Path: "failStrategy",
			Message: "after a crash FAIL_OPEN lets everything through, uncounted; FAIL_RELOAD replaces the VM"})
	case "":
		out = append(out, config.Problem{Path: "failStrategy",
			Message: "is not set: a proxy whose VM crashed refuses requests from then on; FAIL_RELOAD replaces the VM"})
	}
	return out
}

// unheld says what becomes of requests, or of an upstream filter's responses,
// where Envoy does not hold headers.
func unheld(c *config.Config) string {
	switch {
	case c.Role == config.Upstream:
		return "errors are judged by status and headers alone, and a refusal inside a 200 is not retried"
	case c.Admission == config.AdmitBody:
		return "each request with a body waits a second or two, and is then handled as on_error says"
	}
	return "requests are decided by their headers, after some of a worker's first have waited a second or two"
}
