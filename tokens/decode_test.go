package tokens

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"strings"
	"testing"
)

func TestInflate(t *testing.T) {
	const text = `{"error":"over it"}`
	zip := func(s string) string {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		w.Write([]byte(s)) //nolint:errcheck // It writes to memory.
		w.Close()          //nolint:errcheck // It writes to memory.
		return b.String()
	}
	var deflated bytes.Buffer
	w := zlib.NewWriter(&deflated)
	w.Write([]byte(text)) //nolint:errcheck // It writes to memory.
	w.Close()             //nolint:errcheck // It writes to memory.
	for name, c := range map[string]struct {
		body, encoding, want string
		ok                   bool
	}{
		"plain":          {text, "", text, true},
		"identity":       {text, "identity", text, true},
		"gzip":           {zip(text), "gzip", text, true},
		"deflate":        {deflated.String(), "Deflate", text, true},
		"nothing":        {"", "", "", true},
		"no gzip":        {text, "gzip", "", false},
		"short":          {"no", "gzip", "", false},
		"another coding": {text, "br", "", false},
		"two codings":    {zip(text), "gzip, br", "", false},
		"a bomb":         {zip(strings.Repeat("0", 1<<20)), "gzip", strings.Repeat("0", 1000), true},
	} {
		got, ok := Inflate([]byte(c.body), c.encoding, 1000)
		if string(got) != c.want || ok != c.ok {
			t.Errorf("%s: %.40q %t, want %.40q %t", name, got, ok, c.want, c.ok)
		}
	}
}
