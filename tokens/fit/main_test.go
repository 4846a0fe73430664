package main

import (
	"bytes"
	"slices"
	"testing"
)

// TestFit fits to the filler alone: the weights must explain what they are fitted
// to, be the same each time, and never be negative.
func TestFit(t *testing.T) {
	docs, err := load(bytes.NewReader(filler))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		rows, err := rowsFor(docs, f.name, 1)
		if err != nil {
			t.Fatal(err)
		}
		if f.name != "o200k" {
			continue
		}
		w := fit(rows, defaults)
		if again := fit(rows, defaults); !slices.Equal(w, again) {
			t.Error("other weights the second time")
		}
		if slices.Min(w) < 0 {
			t.Error("a negative weight")
		}
		for i := range rows {
			rows[i].err = rows[i].predict(w)
		}
		if median := quantile(absolute(rows), .5); !(median < 0.05) {
			t.Errorf("a median error of %.1f%%", median*100)
		}
	}
	if _, err := rowsFor(docs, "none", 1); err == nil {
		t.Error("counts of an unknown tokenizer")
	}
}
