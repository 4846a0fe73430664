package config

import (
	"encoding/json"
	"math"
	"reflect"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"
)

// asStruct encodes an object as Envoy does a configuration that is written as
// YAML, in a fixed order.
func asStruct(t testing.TB, object map[string]any) []byte {
	t.Helper()
	s, err := structpb.NewStruct(object)
	if err != nil {
		t.Fatal(err)
	}
	data, err := proto.MarshalOptions{Deterministic: true}.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// object decodes JSON text; nil: it is no object.
func object(text []byte) map[string]any {
	var out map[string]any
	if json.Unmarshal(text, &out) != nil {
		return nil
	}
	return out
}

func TestAStructSaysTheSameAsItsJSON(t *testing.T) {
	for _, text := range seeds {
		fields := object([]byte(text))
		if fields == nil {
			continue
		}
		sorted, err := json.Marshal(fields)
		if err != nil {
			t.Fatal(err)
		}
		got, err := structJSON(asStruct(t, fields))
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if !reflect.DeepEqual(object(got), fields) {
			t.Errorf("got  %s\nwant %s", got, sorted)
		}
	}
}

func TestEveryKindOfValueInAStruct(t *testing.T) {
	data := asStruct(t, map[string]any{
		"bool": []any{true, false}, "empty": map[string]any{}, "list": []any{}, "null": nil,
		"number": []any{0.0, -1.5, 6e6, 9007199254740991.0, 1e20, 1e21, 1e-6, 1e-7, math.MaxFloat64, 5e-324},
		"string": []any{"", "a\"b\\c\n\x00", "grün", "\u2028<>&"},
	})
	got, err := structJSON(data)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"bool":[true,false],"empty":{},"list":[],"null":null,` +
		`"number":[0,-1.5,6000000,9007199254740991,100000000000000000000,1e+21,0.000001,1e-07,1.7976931348623157e+308,5e-324],` +
		`"string":["","a\"b\\c\n\u0000","grün","\u2028\u003c\u003e\u0026"]}`
	if string(got) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestAProblemInAStructHasItsPath(t *testing.T) {
	data := asStruct(t, map[string]any{"limits": []any{map[string]any{
		"name": "a", "dimension": "requests", "limit": 6e6 + 0.5, "window": 60.0,
	}}})
	want := "limits[0].limit: must be a whole number, is 6000000.5\n" + `limits[0].window: must have a unit, as in "60s"`
	if got := problemsOf(t, string(data)); got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

func TestAMissingValueInAStructIsNull(t *testing.T) {
	for name, data := range map[string]string{
		"an entry without value": "\x0a\x03\x0a\x01a",
		"an empty value":         "\x0a\x05\x0a\x01a\x12\x00",
		"null":                   "\x0a\x07\x0a\x01a\x12\x02\x08\x00",
		"null, with a long zero": "\x0a\x08\x0a\x01a\x12\x03\x08\x80\x00",
	} {
		if got, err := structJSON([]byte(data)); err != nil || string(got) != `{"a":null}` {
			t.Errorf("%s: %s, %v", name, got, err)
		}
	}
	if got, err := structJSON([]byte("\x0a\x09\x0a\x01a\x12\x04\x20\x00\x20\x01")); err != nil || string(got) != `{"a":true}` {
		t.Errorf("of two values the last counts: %s, %v", got, err)
	}
}

func TestWhatIsNoStruct(t *testing.T) {
	deep := map[string]any{}
	for range maxStructDepth + 1 {
		deep = map[string]any{"a": deep}
	}
	for name, data := range map[string]string{
		"text":                       "limits:\n- name: a\n",
		"half a tag":                 "\x0a\x80",
		"a field of another message": "\x12\x00",
		"field number 0":             "\x02\x00",
		"a group":                    "\x0b\x0c",
		"fixed32":                    "\x0a\x07\x0a\x01a\x12\x05\x15\x00\x00\x00\x00",
		"too short":                  "\x0a\x05\x0a\x01",
		"a length beyond all":        "\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",
		"an endless length":          "\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff",
		"half a double":              "\x0a\x0a\x0a\x01a\x12\x05\x11\x00\x00\x00\x00",
		"NaN":                        "\x0a\x0e\x0a\x01a\x12\x09\x11\x00\x00\x00\x00\x00\x00\xf8\x7f",
		"infinity":                   "\x0a\x0e\x0a\x01a\x12\x09\x11\x00\x00\x00\x00\x00\x00\xf0\x7f",
		"a key that is no UTF-8":     "\x0a\x05\x0a\x01\xff\x12\x00",
		"a string that is no UTF-8":  "\x0a\x08\x0a\x01a\x12\x03\x1a\x01\xff",
		"a list of no values":        "\x0a\x09\x0a\x01a\x12\x04\x32\x02\x10\x00",
		"nested too deep":            string(asStruct(t, deep)),
	} {
		if got, err := structJSON([]byte(data)); err == nil {
			t.Errorf("%s: %s", name, got)
		}
		if got := problemsOf(t, data); got != "is neither JSON nor a protobuf Struct" {
			t.Errorf("%s: %q", name, got)
		}
	}
}

func TestATruncatedStructIsNone(t *testing.T) {
	data := string(asStruct(t, map[string]any{"limits": []any{map[string]any{"name": "a", "limit": 1.0}}}))
	for end := 1; end < len(data); end++ {
		if got, err := structJSON([]byte(data[:end])); err == nil {
			t.Errorf("%d bytes: %s", end, got)
		}
	}
	if !strings.Contains(problemsOf(t, data), "limits[0].window: is missing") {
		t.Error("the whole is not read")
	}
}
