package tokens

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

func TestIncludeUsage(t *testing.T) {
	const asks = `"stream_options":{"include_usage":true},`
	for name, c := range map[string]struct{ in, want string }{
		"no options":              {`{"model":"m","stream":true}`, `{` + asks + `"model":"m","stream":true}`},
		"space is kept":           {" {\n  \"stream\" : true\n}\n", " {" + asks + "\n  \"stream\" : true\n}\n"},
		"empty options":           {`{"stream":true,"stream_options":{}}`, `{"stream":true,"stream_options":{"include_usage":true}}`},
		"empty with space":        {`{"stream":true,"stream_options":{ }}`, `{"stream":true,"stream_options":{"include_usage":true }}`},
		"other options":           {`{"stream_options":{"include_obfuscation":false},"stream":true}`, `{"stream_options":{"include_usage":true,"include_obfuscation":false},"stream":true}`},
		"null options":            {`{"stream":true,"stream_options":null}`, `{"stream":true,"stream_options":{"include_usage":true}}`},
		"false":                   {`{"stream":true,"stream_options":{"include_usage":false}}`, `{"stream":true,"stream_options":{"include_usage":true}}`},
		"null":                    {`{"stream":true,"stream_options":{"include_usage": null }}`, `{"stream":true,"stream_options":{"include_usage": true }}`},
		"options twice":           {`{"stream_options":{},"stream":true,"stream_options":null}`, `{"stream_options":{"include_usage":true},"stream":true,"stream_options":{"include_usage":true}}`},
		"asked once of two":       {`{"stream_options":{"include_usage":true},"stream":true,"stream_options":{}}`, `{"stream_options":{"include_usage":true},"stream":true,"stream_options":{"include_usage":true}}`},
		"escaped name":            {`{"stream":true,"stream\u005foptions":{"include\u005fusage":false}}`, `{"stream":true,"stream\u005foptions":{"include\u005fusage":true}}`},
		"elsewhere":               {`{"x":{"stream_options":{"include_usage":true}},"stream":true}`, `{` + asks + `"x":{"stream_options":{"include_usage":true}},"stream":true}`},
		"numbers and more stay":   {`{"seed":12345678901234567890,"temperature":1.0,"é":"\u00e9","stream":true}`, `{` + asks + `"seed":12345678901234567890,"temperature":1.0,"é":"\u00e9","stream":true}`},
		"stream twice":            {`{"stream":true,"stream":true}`, `{` + asks + `"stream":true,"stream":true}`},
		"asked already":           {`{"stream":true,"stream_options":{"include_usage":true}}`, ""},
		"not a boolean":           {`{"stream":true,"stream_options":{"include_usage":"yes"}}`, ""},
		"options are no object":   {`{"stream":true,"stream_options":[]}`, ""},
		"options are text":        {`{"stream":true,"stream_options":"include_usage"}`, ""},
		"stream twice, differing": {`{"stream":true,"stream":false}`, ""},
		"not streamed":            {`{"stream":false}`, ""},
		"as a string":             {`{"stream":"true"}`, ""},
		"absent":                  {`{"model":"m"}`, ""},
		"deeper":                  {`{"x":{"stream":true}}`, ""},
		"an array":                {`[{"stream":true}]`, ""},
		"broken off":              {`{"stream":true,"messages":[`, ""},
		"more behind":             {`{"stream":true}{}`, ""},
		"empty":                   {``, ""},
		"not JSON":                {`stream: true`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			in := []byte(c.in)
			got, ok := IncludeUsage(in)
			if ok != (c.want != "") {
				t.Fatalf("%v: %s", ok, got)
			}
			if !ok {
				c.want = c.in
			}
			if string(got) != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
			if string(in) != c.in {
				t.Errorf("the body given was changed: %s", in)
			}
		})
	}
}

func FuzzIncludeUsage(f *testing.F) {
	for _, s := range []string{`{"stream":true}`, `{"stream":true,"stream_options":{}}`, `{"stream_options":null,"stream":true,"a":[1,{"b":"\""}]}`,
		`{"stream":true,"stream_options":{"include_usage":false,"x":1},"str\u0065am":true}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		got, ok := IncludeUsage(in)
		if !ok {
			if string(got) != string(in) {
				t.Fatal("changed")
			}
			return
		}
		if !json.Valid(in) {
			return
		}
		if !json.Valid(got) {
			t.Fatalf("%s became %s", in, got)
		}
		var before, after map[string]any
		if json.Unmarshal(in, &before) != nil || json.Unmarshal(got, &after) != nil {
			t.Fatalf("%s became %s", in, got)
		}
		options, _ := after["stream_options"].(map[string]any)
		if options["include_usage"] != true {
			t.Fatalf("%s became %s", in, got)
		}
		delete(options, "include_usage")
		if was, there := before["stream_options"].(map[string]any); there {
			delete(was, "include_usage")
		} else if before["stream_options"] == nil && len(options) == 0 {
			delete(before, "stream_options")
			delete(after, "stream_options")
		}
		if !reflect.DeepEqual(before, after) {
			t.Fatalf("%s became %s", in, got)
		}
		if again, ok := IncludeUsage(got); ok {
			t.Fatalf("twice: %s", again)
		}
		if strings.Count(string(got), "\n") != strings.Count(string(in), "\n") {
			t.Fatal("other bytes were changed")
		}
	})
}
