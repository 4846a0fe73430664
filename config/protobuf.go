package config

import (
	"encoding/binary"
	"errors"
	"math"
	"strconv"
	"unicode/utf8"

	"github.com/tidwall/gjson"
)

// A configuration that is written as YAML reaches Envoy as a
// google.protobuf.Struct, and Envoy 1.40 hands the filter its wire format. The
// few messages of it are decoded here, since a protobuf library would be the
// largest part of the filter.
//
//	Struct    { map<string, Value> fields = 1; }  an entry is { key = 1; value = 2 }
//	Value     { null = 1; number = 2 (double); string = 3; bool = 4; Struct = 5; ListValue = 6 }
//	ListValue { repeated Value values = 1; }

// maxStructDepth bounds the nesting; a configuration needs seven.
const maxStructDepth = 32

var errNoStruct = errors.New("no protobuf Struct")

// structJSON turns the bytes of a Struct into JSON text.
func structJSON(b []byte) ([]byte, error) { return appendStruct(nil, b, 0) }

func appendStruct(out, b []byte, depth int) ([]byte, error) {
	if depth > maxStructDepth {
		return nil, errNoStruct
	}
	out = append(out, '{')
	first := true
	err := eachField(b, func(number int, f wireField) error {
		if number != 1 || f.kind != wireBytes {
			return errNoStruct
		}
		if !first {
			out = append(out, ',')
		}
		first = false
		var key, value []byte
		err := eachField(f.bytes, func(number int, f wireField) error {
			switch {
			case number == 1 && f.kind == wireBytes:
				key = f.bytes
			case number == 2 && f.kind == wireBytes:
				value = f.bytes
			default:
				return errNoStruct
			}
			return nil
		})
		if err != nil || !utf8.Valid(key) {
			return errNoStruct
		}
		out = append(gjson.AppendJSONString(out, string(key)), ':')
		out, err = appendValue(out, value, depth)
		return err
	})
	return append(out, '}'), err
}

func appendValue(out, b []byte, depth int) ([]byte, error) {
	start := len(out)
	err := eachField(b, func(number int, f wireField) (err error) {
		out = out[:start] // of a oneof the last counts
		switch {
		case number == 1 && f.kind == wireVarint:
			out = append(out, "null"...)
		case number == 2 && f.kind == wire64:
			v := math.Float64frombits(f.number)
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return errNoStruct
			}
			out = appendNumber(out, v)
		case number == 3 && f.kind == wireBytes && utf8.Valid(f.bytes):
			out = gjson.AppendJSONString(out, string(f.bytes))
		case number == 4 && f.kind == wireVarint:
			out = strconv.AppendBool(out, f.number != 0)
		case number == 5 && f.kind == wireBytes:
			out, err = appendStruct(out, f.bytes, depth+1)
		case number == 6 && f.kind == wireBytes:
			out, err = appendList(out, f.bytes, depth+1)
		default:
			err = errNoStruct
		}
		return err
	})
	if len(out) == start {
		out = append(out, "null"...)
	}
	return out, err
}

// appendNumber writes a number as JavaScript does: 6000000, not 6e+06.
func appendNumber(out []byte, v float64) []byte {
	format := byte('f')
	if size := math.Abs(v); size != 0 && size < 1e-6 || size >= 1e21 {
		format = 'e'
	}
	return strconv.AppendFloat(out, v, format, -1, 64)
}

func appendList(out, b []byte, depth int) ([]byte, error) {
	if depth > maxStructDepth {
		return nil, errNoStruct
	}
	out = append(out, '[')
	first := true
	err := eachField(b, func(number int, f wireField) (err error) {
		if number != 1 || f.kind != wireBytes {
			return errNoStruct
		}
		if !first {
			out = append(out, ',')
		}
		first = false
		out, err = appendValue(out, f.bytes, depth)
		return err
	})
	return append(out, ']'), err
}

// The wire types that a Struct uses.
const (
	wireVarint = 0
	wire64     = 1
	wireBytes  = 2
)

type wireField struct {
	kind   int
	number uint64 // of wireVarint and wire64
	bytes  []byte
}

// eachField visits the fields of a message in order.
func eachField(b []byte, visit func(number int, f wireField) error) error {
	for len(b) > 0 {
		tag, n := binary.Uvarint(b)
		if n <= 0 || tag>>3 == 0 || tag>>3 > 1<<20 {
			return errNoStruct
		}
		b = b[n:]
		f := wireField{kind: int(tag & 7)}
		switch f.kind {
		case wireVarint:
			if f.number, n = binary.Uvarint(b); n <= 0 {
				return errNoStruct
			}
			b = b[n:]
		case wire64:
			if len(b) < 8 {
				return errNoStruct
			}
			f.number = binary.LittleEndian.Uint64(b)
			b = b[8:]
		case wireBytes:
			size, n := binary.Uvarint(b)
			if n <= 0 || size > uint64(len(b)-n) {
				return errNoStruct
			}
			f.bytes = b[n : n+int(size)]
			b = b[n+int(size):]
		default:
			return errNoStruct
		}
		if err := visit(int(tag>>3), f); err != nil {
			return err
		}
	}
	return nil
}

// looksLikeJSON guesses what unreadable bytes were meant to be.
func looksLikeJSON(b []byte) bool {
	for _, c := range b {
		switch c {
		case ' ', '\t', '\r', '\n':
		default:
			return c == '{' || c == '[' || c == '"' || c == '/' || c == '#'
		}
	}
	return true
}
