// Command fit fits the weights of package tokens to the counts of real
// tokenizers, and tells by cross-validation how good they are.
//
//	go run ./tokens/fit -data FILE.jsonl.gz [-family o200k] [-write FILE.go]
//
// The file has a JSON object a line: "body", a request body as a string;
// "class", the kind of text; "scored", false for a body to be left out; and the
// true number of its tokens by family, "o200k" and "cl100k" directly and others
// under "other".
package main

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"math"
	"math/rand/v2"
	"os"
	"sort"

	"sluice/tokens"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("fit: ")
	data := flag.String("data", "", "the training `file`")
	family := flag.String("family", "o200k", "the tokenizer")
	folds := flag.Int("folds", 5, "the folds of the cross-validation")
	var o options
	flag.Float64Var(&o.coarse, "coarse", 3e-2, "the penalty of weights of groups")
	flag.Float64Var(&o.fine, "fine", 0.02, "the penalty of other weights")
	flag.Float64Var(&o.pair, "pair", 0.004, "the penalty of weights of pairs")
	flag.Float64Var(&o.letter, "letter", 0.003, "the penalty of weights of letters")
	flag.Float64Var(&o.huber, "huber", 0.05, "the relative error from which on a document loses influence")
	flag.Float64Var(&o.repeat, "repeat", 1, "the penalty of weights of repetitions")
	flag.Float64Var(&o.small, "small", 50, "the `tokens` below which a document tells little")
	explain := flag.String("explain", "", "print what makes up the estimate of the document with this `id`")
	brief := flag.Bool("brief", false, "print only the line of all classes")
	worst := flag.Int("worst", 0, "print so many of the worst documents")
	name := flag.String("name", "O200k", "the name that the weights have in Go")
	write := flag.String("write", "", "write the weights to a Go `file`")
	flag.Parse()
	rows, err := load(*data, *family)
	if err != nil {
		log.Fatal(err)
	}
	w := fit(rows, o)
	for i := range rows {
		rows[i].err = rows[i].predict(w)
	}
	if *write != "" {
		if err := os.WriteFile(*write, source(*family, *name, w), 0o666); err != nil {
			log.Fatal(err)
		}
	}
	for _, r := range rows {
		if r.id == *explain {
			sort.Slice(r.x, func(a, b int) bool { return r.x[a].value*w[r.x[a].feature] > r.x[b].value*w[r.x[b].feature] })
			for _, x := range r.x[:min(25, len(r.x))] {
				fmt.Printf("%s #%d: %.0f × %.3f = %.1f\n", tokens.FeatureGroup(x.feature), x.feature, x.value*r.truth, w[x.feature], x.value*r.truth*w[x.feature])
			}
		}
	}
	table(rows, "fitted", true)
	order := rand.New(rand.NewPCG(1, 1)).Perm(len(rows))
	for fold := 0; fold < *folds; fold++ {
		var train []row
		var test []int
		for k, i := range order {
			if k%*folds == fold {
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
	table(rows, "cross-validated", *brief)
	sort.Slice(rows, func(i, j int) bool { return math.Abs(rows[i].err) > math.Abs(rows[j].err) })
	for _, r := range rows[:*worst] {
		fmt.Printf("%-20s %6.0f %+6.1f%%\n", r.id, r.truth, r.err*100)
	}
}

func (r *row) predict(w []float64) float64 {
	e := -r.target
	for _, x := range r.x {
		e += x.value * w[x.feature]
	}
	return e
}

func load(file, family string) ([]row, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, err
	}
	lines := json.NewDecoder(bufio.NewReader(z))
	var rows []row
	for lines.More() {
		var d struct {
			ID, Body, Class string
			Scored          *bool
			O200k, Cl100k   float64
			Other           map[string]float64
		}
		if err := lines.Decode(&d); err != nil {
			return nil, err
		}
		if d.Scored != nil && !*d.Scored {
			continue
		}
		truth := d.Other[family]
		switch family {
		case "o200k":
			truth = d.O200k
		case "cl100k":
			truth = d.Cl100k
		}
		if truth <= 0 {
			return nil, fmt.Errorf("%s: no count for %s", d.ID, family)
		}
		var features tokens.Features
		features.ReadRequest([]byte(d.Body))
		r := row{class: d.Class, id: d.ID, truth: truth, target: 1 - float64(features.Exact())/truth}
		for i := range tokens.NumFeatures {
			if n := features.Count(i); n > 0 {
				r.x = append(r.x, entry{i, float64(n) / truth})
			}
		}
		rows = append(rows, r)
	}
	return rows, nil
}

func table(rows []row, title string, brief bool) {
	fmt.Printf("%-16s %5s %8s %8s %8s %8s\n", title, "n", "bias%", "median%", "p95%", "under10%")
	by := map[string][]float64{}
	var names []string
	var all []float64
	for _, r := range rows {
		if by[r.class] == nil {
			names = append(names, r.class)
		}
		by[r.class] = append(by[r.class], r.err)
		all = append(all, r.err)
	}
	sort.Strings(names)
	for _, name := range names {
		if brief {
			break
		}
		line(name, by[name])
	}
	line("all", all)
}

func line(name string, errs []float64) {
	abs := make([]float64, len(errs))
	sum, under := 0.0, 0
	for i, e := range errs {
		sum += e
		abs[i] = math.Abs(e)
		if e < -0.1 {
			under++
		}
	}
	sort.Float64s(abs)
	n := float64(len(errs))
	fmt.Printf("%-16s %5d %+8.1f %8.1f %8.1f %8.1f\n", name, len(errs), sum/n*100, quantile(abs, .5)*100, quantile(abs, .95)*100, float64(under)/n*100)
}

func quantile(sorted []float64, p float64) float64 {
	k := float64(len(sorted)-1) * p
	i := int(k)
	v := sorted[i]
	return v + (sorted[min(i+1, len(sorted)-1)]-v)*(k-float64(i))
}
