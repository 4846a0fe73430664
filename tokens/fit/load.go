package main

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"

	"sluice/tokens"
)

// document is one line of the data, with what its body shows.
type document struct {
	ID, Body, Class string
	Scored          *bool
	O200k, Cl100k   float64
	Other           map[string]float64

	features tokens.Features
}

// truth returns the true number of tokens, 0 where it is not there.
func (d *document) truth(family string) float64 {
	switch family {
	case "o200k":
		return d.O200k
	case "cl100k":
		return d.Cl100k
	}
	return d.Other[family]
}

// load reads the documents that count.
func load(r io.Reader) ([]document, error) {
	z, err := gzip.NewReader(r)
	if err != nil {
		return nil, err
	}
	lines := json.NewDecoder(bufio.NewReader(z))
	var docs []document
	for lines.More() {
		var d document
		if err := lines.Decode(&d); err != nil {
			return nil, err
		}
		if d.Scored != nil && !*d.Scored {
			continue
		}
		d.features.ReadRequest([]byte(d.Body))
		docs = append(docs, d)
	}
	return docs, nil
}

// rowsFor returns the documents as a family's tokenizer counts them.
func rowsFor(docs []document, family string, influence float64) ([]row, error) {
	rows := make([]row, len(docs))
	for k := range docs {
		d := &docs[k]
		truth := d.truth(family)
		if truth <= 0 {
			return nil, fmt.Errorf("%s: no count for %s", d.ID, family)
		}
		r := row{class: d.Class, id: d.ID, truth: truth, influence: influence, target: 1 - float64(d.features.Exact())/truth}
		for i := range tokens.NumFeatures {
			if n := d.features.Count(i); n > 0 {
				r.x = append(r.x, entry{i, float64(n) / truth})
			}
		}
		rows[k] = r
	}
	return rows, nil
}
