package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// What Envoy 1.40 makes of YAML in a Struct, seen in the filter.
func TestYAMLBecomesWhatEnvoyMakesOfIt(t *testing.T) {
	for yaml, want := range map[string]string{
		"a":                                 `"a"`,
		"a b":                               `"a b"`,
		`"a\tb"`:                            `"a\tb"`,
		"''":                                `""`,
		"~":                                 "null",
		"Null":                              "null",
		"nULL":                              `"nULL"`,
		`"null"`:                            `"null"`,
		"true":                              "true",
		"On":                                "true",
		"y":                                 "true",
		"oN":                                `"oN"`,
		"tRUE":                              `"tRUE"`,
		"'on'":                              `"on"`,
		"n":                                 "false",
		"No":                                "false",
		"OFF":                               "false",
		"600":                               "600",
		"+5":                                "5",
		"-0":                                "0",
		"'12'":                              `"12"`,
		"! 12":                              `"12"`,
		"!!str 12":                          "12",
		"010":                               "8",
		"08":                                `"08"`,
		"0x10":                              "16",
		"-0x10":                             "-16",
		"0x":                                `"0x"`,
		"0o17":                              `"0o17"`,
		"0b11":                              `"0b11"`,
		"1_000":                             `"1_000"`,
		"2147483647":                        "2147483647",
		"2147483648":                        `"2147483648"`,
		"-2147483649":                       `"-2147483649"`,
		"0x1FFFFFFFF":                       `"8589934591"`,
		"+5000000000000000000":              `"5000000000000000000"`,
		"9223372036854775808":               `"9223372036854775808"`,
		"1.5":                               `"1.5"`,
		"6e4":                               `"6e4"`,
		"1.":                                `"1."`,
		".inf":                              `".inf"`,
		"1:30":                              `"1:30"`,
		"2026-11-30":                        `"2026-11-30"`,
		"[1, {a: b}, []]":                   `[1,{"a":"b"},[]]`,
		"{1: 2, true: x, ~: z}":             `{"1":2,"true":"x","~":"z"}`,
		"- &x {a: 1}\n- *x":                 `[{"a":1},{"a":1}]`,
		"a:\nb: {}":                         `{"a":null,"b":{}}`,
		"a: |\n  b\n  c\nd: >-\n  e\n  f\n": `{"a":"b\nc\n","d":"e f"}`,
		"{<<: {a: 1}}":                      `{"\u003c\u003c":{"a":1}}`,
		"":                                  "null",
	} {
		docs, err := readYAML([]byte(yaml))
		if err != nil {
			t.Errorf("%s: %v", yaml, err)
			continue
		}
		var doc *node
		if len(docs) > 0 {
			doc = docs[0]
		}
		if got := string(doc.appendJSON(nil)); got != want {
			t.Errorf("%s: got %s, want %s", yaml, got, want)
		}
	}
}

func TestFieldsOfBothSpellings(t *testing.T) {
	docs, err := readYAML([]byte("{vmConfig: {vm_id: a}, name: b, list: [c]}"))
	if err != nil {
		t.Fatal(err)
	}
	doc := docs[0]
	if got := doc.get("vm_config", "vm_id").string(); got != "a" {
		t.Errorf("vm_config.vm_id: %q", got)
	}
	if doc.get("vm_config", "code", "local") != nil || doc.get("list", "c") != nil || doc.get("name", "x").string() != "" {
		t.Error("something is there that is not")
	}
}

// A short file that would take all memory is a problem like any other.
func TestHostileYAMLIsRefused(t *testing.T) {
	bomb := "a0: &a0 [x,x,x,x,x,x,x,x,x]\n"
	for i := 1; i < 12; i++ {
		alias := fmt.Sprintf("*a%d", i-1)
		bomb += fmt.Sprintf("a%d: &a%d [%s]\n", i, i, strings.Join(slices.Repeat([]string{alias}, 9), ","))
	}
	for name, c := range map[string]struct{ text, want string }{
		"aliases of aliases": {bomb, "has more than 1000000 values, aliases resolved"},
		"lists in lists":     {strings.Repeat("[", 200_000), "is nested deeper than 200"},
		"lists in a line":    {strings.Repeat("- ", 100_000), "is nested deeper than 200"},
	} {
		if _, err := readYAML([]byte(c.text)); err == nil || err.Error() != c.want {
			t.Errorf("%s: %v", name, err)
		}
	}
}
