package envoy

import (
	"encoding/json"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"
)

// Bootstrap is an Envoy configuration to edit: a test takes the one that the
// repository ships, and changes only what must differ.
type Bootstrap struct {
	Tree map[string]any // as the YAML has it: maps, lists and scalars
}

// object is a node of the tree.
type object = map[string]any

// LoadBootstrap reads a configuration file.
func LoadBootstrap(path string) (*Bootstrap, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	b := &Bootstrap{}
	if err := yaml.Unmarshal(text, &b.Tree); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return b, nil
}

// JSON is the configuration as Envoy reads it.
func (b *Bootstrap) JSON() []byte { return encode(b.Tree) }

// Each calls f for every typed node whose @type ends in suffix, for example
// "wasm.v3.Wasm".
func (b *Bootstrap) Each(suffix string, f func(object)) { each(b.Tree, suffix, f) }

// FreePorts lets the system choose the ports of the listeners and of the admin
// interface, see Process.URL and Process.Admin.
func (b *Bootstrap) FreePorts() {
	for _, l := range b.listeners() {
		socket(l)["port_value"] = 0
	}
	socket(b.Tree["admin"].(object))["port_value"] = 0
}

// Address is where a listener listens, as host:port.
func (b *Bootstrap) Address(listener string) (string, error) {
	for _, l := range b.listeners() {
		if l["name"] == listener {
			return address(l), nil
		}
	}
	return "", fmt.Errorf("no listener %s", listener)
}

// AdminAddress is where the admin interface listens, as host:port.
func (b *Bootstrap) AdminAddress() string { return address(b.Tree["admin"].(object)) }

// Endpoint is the first endpoint of a cluster, as host:port.
func (b *Bootstrap) Endpoint(cluster string) (string, error) {
	endpoints, err := b.endpoints(cluster)
	if err != nil {
		return "", err
	}
	return address(endpoints[0]), nil
}

// Upstream points the endpoints of a cluster to addrs, each host:port, in their
// order.
func (b *Bootstrap) Upstream(cluster string, addrs ...string) error {
	endpoints, err := b.endpoints(cluster)
	if err != nil {
		return err
	}
	if len(addrs) > len(endpoints) {
		return fmt.Errorf("cluster %s has %d endpoints", cluster, len(endpoints))
	}
	for i, addr := range addrs {
		host, port, err := net.SplitHostPort(addr)
		if err != nil {
			return err
		}
		number, err := strconv.Atoi(port)
		if err != nil {
			return err
		}
		endpoints[i]["address"] = object{"socket_address": object{"address": host, "port_value": number}}
	}
	return nil
}

// endpoints are those of a cluster, at least one.
func (b *Bootstrap) endpoints(cluster string) (found []object, err error) {
	c, err := b.Cluster(cluster)
	if err != nil {
		return nil, err
	}
	walk(c["load_assignment"], func(node object) {
		if endpoint, ok := node["endpoint"].(object); ok {
			found = append(found, endpoint)
		}
	})
	if len(found) == 0 {
		return nil, fmt.Errorf("cluster %s has no endpoint", cluster)
	}
	return found, nil
}

// Cluster is a cluster of the static resources, by its name.
func (b *Bootstrap) Cluster(name string) (object, error) {
	clusters, _ := b.Tree["static_resources"].(object)["clusters"].([]any)
	for _, c := range clusters {
		if c := c.(object); c["name"] == name {
			return c, nil
		}
	}
	return nil, fmt.Errorf("no cluster %s", name)
}

// Wasm is the configuration of every Wasm filter, in the order of the file.
func (b *Bootstrap) Wasm() []object {
	var configs []object
	b.Each("wasm.v3.Wasm", func(filter object) {
		configs = append(configs, filter["config"].(object))
	})
	return configs
}

// Binary lets every Wasm filter run the binary at path.
func (b *Bootstrap) Binary(path string) {
	for _, w := range b.Wasm() {
		w["vm_config"].(object)["code"] = object{"local": object{"filename": path}}
	}
}

// Configure gives every Wasm filter the configuration, JSON, as a StringValue.
func (b *Bootstrap) Configure(configuration string) {
	for _, w := range b.Wasm() {
		w["configuration"] = object{
			"@type": "type.googleapis.com/google.protobuf.StringValue",
			"value": configuration,
		}
	}
}

// AccessLog lets every access log to standard output, or to a file, write to
// the file at path.
func (b *Bootstrap) AccessLog(path string) {
	b.Each("AccessLog", func(log object) {
		log["@type"] = "type.googleapis.com/envoy.extensions.access_loggers.file.v3.FileAccessLog"
		log["path"] = path
	})
}

// Without removes the HTTP filters whose typed configuration ends in suffix.
func (b *Bootstrap) Without(suffix string) {
	walk(b.Tree, func(node object) {
		filters, ok := node["http_filters"].([]any)
		if !ok {
			return
		}
		kept := []any{}
		for _, f := range filters {
			kind, _ := f.(object)["typed_config"].(object)["@type"].(string)
			if !strings.HasSuffix(kind, suffix) {
				kept = append(kept, f)
			}
		}
		node["http_filters"] = kept
	})
}

func (b *Bootstrap) listeners() []object {
	list, _ := b.Tree["static_resources"].(object)["listeners"].([]any)
	listeners := make([]object, len(list))
	for i, l := range list {
		listeners[i] = l.(object)
	}
	return listeners
}

// socket is the socket address of a node that has an address.
func socket(node object) object {
	return node["address"].(object)["socket_address"].(object)
}

func address(node object) string {
	s := socket(node)
	return net.JoinHostPort(fmt.Sprint(s["address"]), fmt.Sprint(s["port_value"]))
}

// each calls f for the typed nodes below tree.
func each(tree any, suffix string, f func(object)) {
	walk(tree, func(node object) {
		if kind, _ := node["@type"].(string); strings.HasSuffix(kind, suffix) {
			f(node)
		}
	})
}

// walk calls f for every object in tree, the outer before the inner. Objects
// within one come in no certain order, items of a list in theirs.
func walk(tree any, f func(object)) {
	switch node := tree.(type) {
	case object:
		f(node)
		for _, child := range node {
			walk(child, f)
		}
	case []any:
		for _, child := range node {
			walk(child, f)
		}
	}
}

func encode(tree any) []byte {
	text, err := json.Marshal(tree)
	if err != nil {
		panic(err) // What came out of YAML goes into JSON.
	}
	return text
}
