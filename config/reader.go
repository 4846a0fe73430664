package config

import (
	"math"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"
)

// reader walks a configuration and collects every problem on the way, so that
// all are told at once.
type reader struct {
	problems Problems
}

func (r *reader) problem(path, message string) {
	r.problems = append(r.problems, Problem{path, message})
}

// node is a JSON value and where it stands.
type node struct {
	path  string
	value gjson.Result
}

func (n node) child(key string, value gjson.Result) node {
	if n.path != "" {
		key = n.path + "." + key
	}
	return node{key, value}
}

// field is what reads one field of an object.
type field struct {
	name string
	read func(node)
}

// object reads an object that may hold these fields, and no others.
func (r *reader) object(n node, fields []field) {
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = f.name
	}
	r.entries(n, func(key string, child node) {
		for _, f := range fields {
			if f.name == key {
				f.read(child)
				return
			}
		}
		r.problem(child.path, "unknown field; there are "+strings.Join(names, ", "))
	})
}

// entries reads an object with keys of the user's own.
func (r *reader) entries(n node, read func(key string, child node)) {
	if !n.value.IsObject() {
		r.problem(n.path, "must be an object, is "+kind(n.value))
		return
	}
	var seen []string
	n.value.ForEach(func(k, v gjson.Result) bool {
		key, child := k.String(), n.child(k.String(), v)
		for _, s := range seen {
			if s == key {
				r.problem(child.path, "is there twice")
				return true
			}
		}
		seen = append(seen, key)
		read(key, child)
		return true
	})
}

// list reads an array, element by element, and returns how many there are; -1
// if it is no array.
func (r *reader) list(n node, read func(node)) int {
	if !n.value.IsArray() {
		r.problem(n.path, "must be a list, is "+kind(n.value))
		return -1
	}
	i := 0
	n.value.ForEach(func(_, v gjson.Result) bool {
		read(node{n.path + "[" + strconv.Itoa(i) + "]", v})
		i++
		return true
	})
	return i
}

func (r *reader) text(n node) (string, bool) {
	if n.value.Type != gjson.String {
		r.problem(n.path, "must be a string, is "+kind(n.value))
		return "", false
	}
	return n.value.Str, true
}

// nonEmpty reads a string with something in it.
func (r *reader) nonEmpty(n node) (string, bool) {
	s, ok := r.text(n)
	if ok && s == "" {
		r.problem(n.path, "must not be empty")
		return "", false
	}
	return s, ok
}

// oneOf reads one of some strings, and returns its index.
func (r *reader) oneOf(n node, allowed ...string) (int, bool) {
	s, ok := r.text(n)
	if !ok {
		return 0, false
	}
	for i, a := range allowed {
		if s == a {
			return i, true
		}
	}
	r.problem(n.path, "must be "+orList(allowed)+", is "+strconv.Quote(s))
	return 0, false
}

func (r *reader) boolean(n node) (value, ok bool) {
	if !n.value.IsBool() {
		r.problem(n.path, "must be true or false, is "+kind(n.value))
		return false, false
	}
	return n.value.Bool(), true
}

// whole reads a whole number from low to high. All numbers of a protobuf Struct
// are doubles, so 6e4 and 60000.0 are whole.
func (r *reader) whole(n node, low, high int64) (int64, bool) {
	if n.value.Type != gjson.Number {
		r.problem(n.path, "must be a number, is "+kind(n.value))
		return 0, false
	}
	f := n.value.Num
	if f != math.Trunc(f) || math.IsInf(f, 0) {
		r.problem(n.path, "must be a whole number, is "+n.value.Raw)
		return 0, false
	}
	if f < float64(low) || f > float64(high) {
		r.problem(n.path, "must be from "+strconv.FormatInt(low, 10)+" to "+strconv.FormatInt(high, 10)+", is "+n.value.Raw)
		return 0, false
	}
	return int64(f), true
}

// kind names a JSON value's type in an error; never the value, which may be a
// secret.
func kind(v gjson.Result) string {
	switch {
	case v.IsObject():
		return "an object"
	case v.IsArray():
		return "a list"
	case v.IsBool():
		return "a boolean"
	case v.Type == gjson.Number:
		return "a number"
	case v.Type == gjson.String:
		return "a string"
	}
	return "null"
}

// orList joins alternatives for a message: `"a", "b" or "c"`.
func orList(items []string) string {
	var b strings.Builder
	for i, s := range items {
		switch {
		case i == 0:
		case i == len(items)-1:
			b.WriteString(" or ")
		default:
			b.WriteString(", ")
		}
		b.WriteString(strconv.Quote(s))
	}
	return b.String()
}
