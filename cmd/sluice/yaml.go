package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// A node is a YAML value, aliases resolved, and its line. Its methods take nil,
// for a value that is not there.
type node struct {
	line int
	kind kind
	size int // how many values it is, every alias counted as what it stands for

	text   string // of a scalar
	quoted bool   // a string, whatever it looks like

	keys   []string // of an object
	values []*node  // of an object, by its keys, and of a list
}

type kind uint8

const (
	null kind = iota
	scalar
	list
	object
)

// What a configuration stays far below. The parser recurses, and aliases of
// aliases multiply: a short file can be made to take all memory.
const (
	maxNesting = 200
	maxValues  = 1_000_000
)

// nested says whether a text may nest deeper than maxNesting.
func nested(text []byte) bool {
	depth := 0
	for _, c := range text {
		switch c {
		case '[', '{':
			if depth++; depth > maxNesting {
				return true
			}
		case ']', '}':
			depth = max(0, depth-1)
		}
	}
	return bytes.Contains(text, bytes.Repeat([]byte("- "), maxNesting))
}

// readYAML returns the documents of a file.
func readYAML(text []byte) ([]*node, error) {
	if nested(text) {
		return nil, fmt.Errorf("is nested deeper than %d", maxNesting)
	}
	file, err := parser.ParseBytes(text, 0)
	if err != nil {
		if at, ok := err.(yaml.Error); ok { // whose own text quotes the file
			return nil, fmt.Errorf("is not valid YAML: line %d: %s", at.GetToken().Position.Line, at.GetMessage())
		}
		return nil, fmt.Errorf("is not valid YAML: %w", err)
	}
	var out []*node
	for _, doc := range file.Docs {
		r := yamlReader{anchors: map[string]*node{}}
		n, err := r.read(doc.Body)
		if err != nil {
			return nil, fmt.Errorf("is not valid YAML: %w", err)
		}
		if n.size > maxValues {
			return nil, fmt.Errorf("has more than %d values, aliases resolved", maxValues)
		}
		out = append(out, n)
	}
	return out, nil
}

type yamlReader struct {
	anchors map[string]*node
}

func (r *yamlReader) read(n ast.Node) (*node, error) {
	if n == nil {
		return &node{}, nil
	}
	out := &node{line: n.GetToken().Position.Line, size: 1}
	switch n := n.(type) {
	case *ast.MappingNode:
		return out, r.fields(out, n.Values)
	case *ast.MappingValueNode:
		return out, r.fields(out, []*ast.MappingValueNode{n})
	case *ast.SequenceNode:
		out.kind = list
		for _, v := range n.Values {
			value, err := r.read(v)
			if err != nil {
				return nil, err
			}
			out.add(value)
		}
	case *ast.AnchorNode:
		value, err := r.read(n.Value)
		r.anchors[n.Name.GetToken().Value] = value
		return value, err
	case *ast.AliasNode:
		name := n.Value.GetToken().Value
		value := r.anchors[name]
		if value == nil {
			return nil, fmt.Errorf("line %d: there is no anchor %q before", out.line, name)
		}
		return value, nil
	case *ast.TagNode:
		value, err := r.read(n.Value)
		if value != nil && n.Start.Value == "!" { // the only tag that Envoy heeds
			value.quoted = true
		}
		return value, err
	case *ast.LiteralNode:
		out.kind, out.text, out.quoted = scalar, n.Value.Value, true
	case *ast.StringNode:
		out.kind, out.text = scalar, n.Value
		out.quoted = n.Token.Type == token.SingleQuoteType || n.Token.Type == token.DoubleQuoteType
	case *ast.NullNode:
	default:
		out.kind, out.text = scalar, n.GetToken().Value
	}
	return out, nil
}

func (r *yamlReader) fields(out *node, fields []*ast.MappingValueNode) error {
	out.kind = object
	for _, f := range fields {
		value, err := r.read(f.Value)
		if err != nil {
			return err
		}
		key := f.Key.GetToken().Value
		if s, ok := f.Key.(*ast.StringNode); ok {
			key = s.Value
		}
		out.keys = append(out.keys, key)
		out.add(value)
	}
	return nil
}

func (n *node) add(value *node) {
	n.values = append(n.values, value)
	n.size = min(n.size+value.size, maxValues+1)
}

// get returns a field of a message, whose name may be written in either of the
// two forms of protobuf's JSON: vm_config and vmConfig.
func (n *node) get(path ...string) *node {
	for _, name := range path {
		if n == nil || n.kind != object {
			return nil
		}
		i := slices.IndexFunc(n.keys, func(key string) bool { return key == name || key == lowerCamel(name) })
		if i < 0 {
			return nil
		}
		n = n.values[i]
	}
	return n
}

func lowerCamel(name string) string {
	words := strings.Split(name, "_")
	for i, w := range words[1:] {
		if w != "" {
			words[i+1] = strings.ToUpper(w[:1]) + w[1:]
		}
	}
	return strings.Join(words, "")
}

// string returns a scalar's text, "" if it is none.
func (n *node) string() string {
	if n == nil {
		return ""
	}
	return n.text
}

// appendJSON writes the value that Envoy makes of it in a google.protobuf.Struct.
func (n *node) appendJSON(out []byte) []byte {
	switch {
	case n == nil || n.kind == null:
		return append(out, "null"...)
	case n.kind == object:
		out = append(out, '{')
		for i, key := range n.keys {
			if i > 0 {
				out = append(out, ',')
			}
			out = append(appendString(out, key), ':')
			out = n.values[i].appendJSON(out)
		}
		return append(out, '}')
	case n.kind == list:
		out = append(out, '[')
		for i, value := range n.values {
			if i > 0 {
				out = append(out, ',')
			}
			out = value.appendJSON(out)
		}
		return append(out, ']')
	case n.quoted:
	case slices.Contains(trueWords, n.text):
		return append(out, "true"...)
	case slices.Contains(falseWords, n.text):
		return append(out, "false"...)
	default:
		if v, ok := wholeOf(n.text); ok && v == int64(int32(v)) {
			return strconv.AppendInt(out, v, 10)
		} else if ok {
			return appendString(out, strconv.FormatInt(v, 10))
		}
	}
	return appendString(out, n.text)
}

// The words that are booleans to Envoy.
var (
	trueWords = []string{
		"true", "True", "TRUE", "yes", "Yes", "YES", "on", "On", "ON", "y", "Y",
	}
	falseWords = []string{
		"false", "False", "FALSE", "no", "No", "NO", "off", "Off", "OFF", "n", "N",
	}
)

// wholeOf reads what is a whole number to Envoy: decimal, octal (010) or
// hexadecimal. In a Struct it stays one if it fits 32 bits; all other numbers
// become strings.
func wholeOf(s string) (int64, bool) {
	v, err := strconv.ParseInt(s, 0, 64)
	digits := strings.ToLower(strings.TrimLeft(s, "+-"))
	foreign := strings.Contains(s, "_") || strings.HasPrefix(digits, "0b") || strings.HasPrefix(digits, "0o")
	return v, err == nil && !foreign
}

func appendString(out []byte, s string) []byte {
	quoted, err := json.Marshal(s)
	if err != nil {
		panic(err) // a string always can be
	}
	return append(out, quoted...)
}
