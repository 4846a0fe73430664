package config

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"
)

// reader walks a configuration and collects every problem on the way, so that
// all are told at once.
type reader struct {
	problems []placed
}

// placed is a problem and where in the text it is.
type placed struct {
	Problem
	offset int
}

func (r *reader) problem(n node, message string) {
	r.problems = append(r.problems, placed{Problem{n.path, message}, n.value.Index})
}

// inOrder returns the problems in the order of the text: what names something
// else is read after it.
func (r *reader) inOrder() Problems {
	slices.SortStableFunc(r.problems, func(a, b placed) int { return cmp.Compare(a.offset, b.offset) })
	out := make(Problems, len(r.problems))
	for i, p := range r.problems {
		out[i] = p.Problem
	}
	return out
}

// node is a JSON value and where it stands.
type node struct {
	path  string
	value gjson.Result
}

func (n node) child(key string, value gjson.Result) node {
	switch {
	case !isPlain(key):
		return node{n.path + "[" + quote(key) + "]", value}
	case n.path == "":
		return node{key, value}
	}
	return node{n.path + "." + key, value}
}

// absent is where a field would stand that is not there.
func (n node) absent(key string) node { return n.child(key, gjson.Result{Index: n.value.Index}) }

func (n node) element(i int, value gjson.Result) node {
	return node{n.path + "[" + strconv.Itoa(i) + "]", value}
}

// isPlain says whether a key can stand in a path as it is.
func isPlain(key string) bool {
	for i := 0; i < len(key); i++ {
		c := key[i]
		if c != '_' && c != '-' && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') {
			return false
		}
	}
	return key != ""
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
		r.problem(child, "unknown field; there are "+strings.Join(names, ", "))
	})
}

// entries reads an object with keys of the user's own, and returns how many
// there are; -1 if it is no object.
func (r *reader) entries(n node, read func(key string, child node)) int {
	if !n.value.IsObject() {
		r.problem(n, "must be an object, is "+kind(n.value))
		return -1
	}
	var seen []string
	n.value.ForEach(func(k, v gjson.Result) bool {
		key, child := k.String(), n.child(k.String(), v)
		for _, s := range seen {
			if s == key {
				r.problem(child, "is there twice")
				return true
			}
		}
		seen = append(seen, key)
		read(key, child)
		return true
	})
	return len(seen)
}

// list reads an array, element by element, and returns how many there are; -1
// if it is no array.
func (r *reader) list(n node, read func(node)) int {
	if !n.value.IsArray() {
		r.problem(n, "must be a list, is "+kind(n.value))
		return -1
	}
	i := 0
	n.value.ForEach(func(_, v gjson.Result) bool {
		read(n.element(i, v))
		i++
		return true
	})
	return i
}

func (r *reader) text(n node) (string, bool) {
	if n.value.Type != gjson.String {
		r.problem(n, "must be a string, is "+kind(n.value))
		return "", false
	}
	return n.value.Str, true
}

// nonEmpty reads a string with something in it.
func (r *reader) nonEmpty(n node) (string, bool) {
	s, ok := r.text(n)
	if ok && s == "" {
		r.problem(n, "must not be empty")
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
	r.problem(n, "must be "+orList(allowed)+", is "+quote(s))
	return 0, false
}

func (r *reader) boolean(n node) (value, ok bool) {
	if !n.value.IsBool() {
		r.problem(n, "must be true or false, is "+kind(n.value))
		return false, false
	}
	return n.value.Bool(), true
}

// whole reads a whole number from low to high. All numbers of a protobuf Struct
// are doubles, so 6e4 and 60000.0 are whole.
func (r *reader) whole(n node, low, high int64) (int64, bool) {
	v := number(n.value)
	if v.Type != gjson.Number {
		r.problem(n, "must be a number, is "+kind(n.value))
		return 0, false
	}
	f := v.Num
	if f < float64(low) || f > float64(high) {
		r.problem(n, "must be from "+strconv.FormatInt(low, 10)+" to "+strconv.FormatInt(high, 10)+", is "+v.Raw)
		return 0, false
	}
	if f != math.Trunc(f) {
		r.problem(n, "must be a whole number, is "+v.Raw)
		return 0, false
	}
	return int64(f), true
}

// decimal reads a number from low to high.
func (r *reader) decimal(n node, low, high float64) (float64, bool) {
	v := number(n.value)
	if v.Type != gjson.Number {
		r.problem(n, "must be a number, is "+kind(n.value))
		return 0, false
	}
	if v.Num < low || v.Num > high {
		r.problem(n, "must be from "+strconv.FormatFloat(low, 'f', -1, 64)+" to "+strconv.FormatFloat(high, 'f', -1, 64)+", is "+v.Raw)
		return 0, false
	}
	return v.Num, true
}

// number takes for a number what Envoy makes a string of on the way from YAML
// to a Struct: every one that is not written as a whole number of 32 bits, so
// 2.5, 6e4 and 5000000000. "600" was a string already.
func number(v gjson.Result) gjson.Result {
	if v.Type != gjson.String || !gjson.Valid(v.Str) {
		return v
	}
	n := gjson.Parse(v.Str)
	if _, err := strconv.ParseInt(v.Str, 10, 32); n.Type != gjson.Number || n.Raw != v.Str || err == nil {
		return v
	}
	return n
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

func quote(s string) string { return strconv.Quote(s) }
