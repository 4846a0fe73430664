package main

import (
	"errors"
	"os"
	"strings"
	"testing"
)

// check runs the command on files and a standard input, and returns what it
// prints.
func check(t *testing.T, stdin string, files ...string) (printed string, good bool) {
	t.Helper()
	var out strings.Builder
	cmd := checkCommand()
	cmd.SilenceUsage, cmd.SilenceErrors = true, true
	cmd.SetIn(strings.NewReader(stdin))
	cmd.SetOut(&out)
	cmd.SetArgs(files)
	err := cmd.Execute()
	if err != nil && !errors.Is(err, errFound) {
		t.Fatal(err)
	}
	return out.String(), err == nil
}

func TestCheck(t *testing.T) {
	const fields = "unknown field; there are role, mode, admission, attributes, providers, limits, prices, reserve, stream_usage, headers, errors, body, on_error, state"
	const attributes = "there are key, ip, model, provider, route, cluster, path, method, operation"
	tests := []struct {
		file, stdin string
		want        []string // each line after "FILE: "
		bad         bool
	}{
		{file: "testdata/plugin.json", want: []string{
			`warning: limits[1].window: the count lives in one Envoy process and dies with it`,
			`ok`}},
		{file: "testdata/wrong.json", bad: true, want: []string{
			`limits[0].scope[0]: there is no attribute "kye"; ` + attributes,
			`limits[0].window: must have a unit, as in "60s"`,
			`on_eror: ` + fields}},
		{file: "testdata/broken.json", bad: true, want: []string{
			`is not valid JSON: line 3, column 26: invalid character '"' after object key:value pair`}},
		{file: "testdata/none.json", bad: true, want: []string{`no such file or directory`}},
		{file: "testdata", bad: true, want: []string{`is a directory`}},
		{file: "../../envoy.yaml", want: []string{`ok`}},
		{file: "../../examples/retry-fallback/envoy.yaml", want: []string{`ok`}},
		{file: "testdata/broken.yaml", bad: true, want: []string{`is not valid YAML: line 4: value is not allowed in this context`}},
		{file: "testdata/other.yaml", bad: true, want: []string{
			`no Sluice configuration found: of its Wasm filters, waf (line 3), headers (line 10), none says sluice in its name, vm_id or code, or has limits`}},
		{file: "testdata/bare.yaml", want: []string{
			`warning: allow_on_headers_stop_iteration: is not true: requests are decided by their headers, after some of a worker's first have waited a second or two`,
			`warning: failure_policy: is not set: a worker whose VM crashed answers 503 from then on; FAIL_RELOAD replaces the VM`,
			`warning: vm_config.vm_id: is not set: the counters are kept under it, together with those of every plugin that sets none`,
			`warning: use_remote_address: must be true where limits use ip, or a client writes its own address, in x-forwarded-for`,
			`warning: per_connection_buffer_limit_bytes: is not set, so 1048576, which is less than body.max_bytes, 2097152: Envoy answers 413 to what is larger by itself`,
			`warning: limits[0].window: the count lives in one Envoy process and dies with it`,
			`ok`}},
		{file: "testdata/many.yaml", bad: true, want: []string{
			`sluice (line 21): limits[1].name: "public" is the name of another limit`,
			`sluice (line 21): limits[1].scope[0]: must be a string, is a boolean`,
			`sluice (line 41): limits[1].name: "public" is the name of another limit`,
			`sluice (line 41): limits[1].scope[0]: must be a string, is a boolean`,
			`discovered (line 48): is not valid JSON: line 1, column 13: invalid character '}' looking for beginning of value`,
			`sluice-of-any-type (line 61): configuration.@type: must be type.googleapis.com/google.protobuf.StringValue or …Struct, is "type.googleapis.com/google.protobuf.Value"`,
			`sluice-of-no-struct (line 65): configuration.value: must be an object`,
			`sluice-of-no-string (line 69): configuration.value: must be a string`,
			`warning: by-its-limits (line 54): failure_policy: after a crash FAIL_OPEN lets everything through, uncounted; FAIL_RELOAD replaces the VM`}},
		{file: "testdata/roles.yaml", want: []string{
			`warning: sluice-in-listener (line 10): role: is upstream in a listener: the router's retries are over there, and nothing is limited`,
			`warning: sluice-in-listener (line 10): allow_on_headers_stop_iteration: is not true: errors are judged by status and headers alone, and a refusal inside a 200 is not retried`,
			`warning: sluice-in-cluster (line 31): role: is gateway among upstream filters: it counts every attempt as a request, and what it refuses is not retried`,
			`ok`}},
		{file: "testdata/istio.yaml", bad: true, want: []string{
			`limits (line 27): limit: ` + fields,
			`warning: limits (line 1): pluginConfig.admission: a WasmPlugin cannot set allow_on_headers_stop_iteration: requests are decided by their headers, after some of a worker's first have waited a second or two`,
			`warning: limits (line 1): failStrategy: after a crash FAIL_OPEN lets everything through, uncounted; FAIL_RELOAD replaces the VM`,
			`warning: sluice-without-limits (line 11): pluginConfig.admission: a WasmPlugin cannot set allow_on_headers_stop_iteration: requests are decided by their headers, after some of a worker's first have waited a second or two`,
			`warning: sluice-without-limits (line 11): failStrategy: is not set: a proxy whose VM crashed refuses requests from then on; FAIL_RELOAD replaces the VM`}},
		{file: "-", stdin: ` {"limits": []}`, want: []string{`ok`}},
		{file: "-", stdin: `[]`, bad: true, want: []string{`must be an object, is a list`}},
		{file: "-", stdin: `{"a": 1`, bad: true, want: []string{`is not valid JSON: line 1, column 7: unexpected end of JSON input`}},
		{file: "-", stdin: ``, bad: true, want: []string{`no Sluice configuration found: neither JSON nor Envoy YAML with a Wasm filter`}},
		{file: "-", stdin: "limits: []\n", bad: true, want: []string{`no Sluice configuration found: neither JSON nor Envoy YAML with a Wasm filter`}},
		{file: "-", stdin: "a: *nothing\n", bad: true, want: []string{`is not valid YAML: line 1: there is no anchor "nothing" before`}},
	}
	for _, test := range tests {
		t.Run(test.file+test.stdin, func(t *testing.T) {
			var want strings.Builder
			for _, line := range test.want {
				want.WriteString(test.file + ": " + line + "\n")
			}
			got, good := check(t, test.stdin, test.file)
			if got != want.String() || good == test.bad {
				t.Errorf("good: %v, got:\n%s\nwant:\n%s", good, got, want.String())
			}
		})
	}
}

func TestAllFilesAreChecked(t *testing.T) {
	got, good := check(t, "{}", "testdata/none.json", "-", "testdata/broken.json")
	want := `testdata/none.json: no such file or directory
-: ok
testdata/broken.json: is not valid JSON: line 3, column 26: invalid character '"' after object key:value pair
`
	if got != want || good {
		t.Errorf("good: %v, got:\n%s\nwant:\n%s", good, got, want)
	}
}

func TestBrokenYAMLIsNotQuoted(t *testing.T) {
	got, _ := check(t, "password: sk-secret\n\tb: [\n", "-")
	if strings.Contains(got, "sk-secret") || !strings.Contains(got, "is not valid YAML: line ") || strings.Count(got, "\n") != 1 {
		t.Error(got)
	}
}

// FuzzCheckYAML holds that no file makes the check panic.
func FuzzCheckYAML(f *testing.F) {
	for _, file := range []string{"bare", "broken", "istio", "many", "other"} {
		text, err := os.ReadFile("testdata/" + file + ".yaml")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Add([]byte("a: &x {b: *x}\n? [c]\n: !\n--- |\n"))
	f.Fuzz(func(t *testing.T, text []byte) { checkYAML(text) })
}
