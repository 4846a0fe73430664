package tokens

import (
	"testing"

	"pgregory.net/rapid"
)

// skipsAlike compares the two ways to skip a string. They differ only at wrong
// escapes, which skipLong does not look at.
func skipsAlike(t interface{ Fatalf(string, ...any) }, s []byte) {
	want, _ := skipString(s, 0)
	got := skipLong(s, 0)
	switch {
	case want >= 0, want == -1-len(s) && (got >= 0 || got == want):
		if want >= 0 && got != want {
			t.Fatalf("%q: %d, want %d", s, got, want)
		}
	default: // a control character or an escape
		at := -1 - want
		if s[at] < ' ' && got != want {
			t.Fatalf("%q: %d, want %d", s, got, want)
		}
	}
	if got >= len(s) || got < -1-len(s) {
		t.Fatalf("%q: %d", s, got)
	}
}

func TestSkipLong(t *testing.T) {
	piece := rapid.SampledFrom([]string{`\\`, `\"`, `\n`, `\u0041`, "a", "é", "#", "]", "[", "!", "aaaaaaaaaaaaaaaaaaaaaaaa", `"`, "\x1F", "\x7F", "\x80"})
	rapid.Check(t, func(t *rapid.T) {
		var s []byte
		for _, p := range rapid.SliceOfN(piece, 0, 200).Draw(t, "pieces") {
			s = append(s, p...)
		}
		skipsAlike(t, s)
	})
}

func FuzzSkipLong(f *testing.F) {
	f.Add([]byte(`0123456789 0123456789 \\\" 0123456789\\" `))
	f.Fuzz(func(t *testing.T, s []byte) { skipsAlike(t, s) })
}

// FuzzLong reads anything as if it were long.
func FuzzLong(f *testing.F) {
	f.Add([]byte(`{"model":"m","messages":["a","\\\"b"],"tools":[{"a":"0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789"}]}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		var short Features
		want := short.ReadRequest(body)
		long, got := readAsLong(body)
		if want.Status == Readable && (got.Status != Readable || got.MaxOutput != want.MaxOutput || string(got.Model) != string(want.Model)) {
			t.Fatalf("%q: %+v, not %+v", body, got, want)
		}
		if want.Status == Readable && len(body) < sampledBytes {
			if d := long.Tokens(O200k) - short.Tokens(O200k); d > int64(8+len(body)/20) || d < -int64(8+len(body)/20) {
				t.Fatalf("%q: %d tokens, not %d", body, long.Tokens(O200k), short.Tokens(O200k))
			}
		}
	})
}
