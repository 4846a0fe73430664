// Command fit fits the weights of package tokens to the counts of real
// tokenizers, and tells by cross-validation how good they are.
//
//	make fit DATA=FILE.jsonl.gz
//	go run ./tokens/fit [-write tokens] [-family o200k,claude_old] FILE.jsonl.gz
//
// The file has a JSON object a line: "body", a request body as a string; "class",
// the kind of text; "scored", false for a body to be left out; and the true number
// of its tokens by family, "o200k" and "cl100k" directly and others under "other",
// with what the format adds: 3 and 4 for each message.
//
// For each family the tables show the relative errors of bodies that the weights
// were not fitted to: the documents are dealt into five parts, and each part is
// estimated with the weights of the other four. Nothing depends on chance or on
// the clock: the same file gives the same weights. With -write they replace those
// in the package; after a change of its features all have to be fitted anew.
//
// Beside the file, the weights learn a little from filler.jsonl.gz: placeholder
// text, drawn lines, repeated words, and random letters, which requests of tests
// and of attackers are full of and documents are not. No table judges those.
package main

import (
	"bytes"
	_ "embed"
	"flag"
	"fmt"
	"log"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"sync"
)

// families are those of the package, by their names in the data and in Go.
var families = []struct{ name, variable string }{
	{"o200k", "O200k"},
	{"cl100k", "Cl100k"},
	{"claude_old", "Claude"},
	{"gemma3", "Gemma3"},
	{"llama3", "Llama3"},
	{"qwen3", "Qwen3"},
	{"deepseek_v3", "Deepseek"},
	{"tekken", "Tekken"},
	{"mistral_sp", "MistralV1"},
}

//go:embed filler.jsonl.gz
var filler []byte

const folds = 5

func main() {
	log.SetFlags(0)
	log.SetPrefix("fit: ")
	only := flag.String("family", "", "the `tokenizers` to fit for, separated by commas; all, if none")
	write := flag.String("write", "", "write the weights into this `directory`")
	worst := flag.Int("worst", 0, "print so many of the worst documents of each tokenizer")
	o := defaults
	o.flags()
	flag.Parse()
	if flag.NArg() != 1 {
		log.Fatal("needs the file of documents; see go doc sluice/tokens/fit")
	}
	file, err := os.Open(flag.Arg(0))
	if err != nil {
		log.Fatal(err)
	}
	defer file.Close() //nolint:errcheck // It is only read.
	docs, err := load(file)
	if err != nil {
		log.Fatal(err)
	}
	more, err := load(bytes.NewReader(filler))
	if err != nil {
		log.Fatal(err)
	}
	var results []*result
	var group sync.WaitGroup
	for _, f := range families {
		if *only != "" && !strings.Contains(","+*only+",", ","+f.name+",") {
			continue
		}
		r := &result{family: f.name, variable: f.variable}
		results = append(results, r)
		group.Go(func() { r.fit(docs, more, o) })
	}
	group.Wait()
	for _, r := range results {
		if r.err != nil {
			log.Fatal(r.err)
		}
		if *write != "" {
			name := filepath.Join(*write, "weights_"+strings.ToLower(r.variable)+".go")
			if err := os.WriteFile(name, source(r.family, r.variable, r.weights), 0o666); err != nil {
				log.Fatal(err)
			}
		}
	}
	summary(results)
	classes(results)
	for _, r := range results {
		r.worst(*worst)
	}
}

// result is what fitting for one tokenizer has come to.
type result struct {
	family, variable string
	weights          []float64
	rows             []row // with the errors of the cross-validation
	err              error
}

func (r *result) fit(docs, more []document, o options) {
	rows, err := rowsFor(docs, r.family, 1)
	if err != nil {
		r.err = err
		return
	}
	extra, err := rowsFor(more, r.family, o.filler)
	if err != nil {
		r.err = err
		return
	}
	r.weights = fit(append(rows[:len(rows):len(rows)], extra...), o)
	order := rand.New(rand.NewPCG(1, 1)).Perm(len(rows))
	for fold := range folds {
		train := append([]row(nil), extra...)
		var test []int
		for k, i := range order {
			if k%folds == fold {
				test = append(test, i)
			} else {
				train = append(train, rows[i])
			}
		}
		w := fit(train, o)
		for _, i := range test {
			rows[i].err = rows[i].predict(w)
		}
	}
	r.rows = rows
}

func (r *result) worst(n int) {
	sort.Slice(r.rows, func(i, j int) bool { return math.Abs(r.rows[i].err) > math.Abs(r.rows[j].err) })
	for _, row := range r.rows[:min(n, len(r.rows))] {
		fmt.Printf("%-12s %-20s %6.0f %+6.1f%%\n", r.family, row.id, row.truth, row.err*100)
	}
}
