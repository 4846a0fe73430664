package main

import (
	"flag"
	"strings"

	"sluice/tokens"
)

// A row is one document: how often it shows which feature, relative to its true
// number of tokens, so that every document weighs the same.
type row struct {
	x      []entry
	target float64 // what the features are to add up to
	class  string
	id     string
	truth  float64
	err    float64

	influence float64 // on the weights, 1 for an ordinary document
}

// predict returns the relative error of the estimate by some weights.
func (r *row) predict(w []float64) float64 {
	e := -r.target
	for _, x := range r.x {
		e += x.value * w[x.feature]
	}
	return e
}

type entry struct {
	feature int
	value   float64
}

// A problem is what the weights are fitted to.
type problem struct {
	columns [][]cell
	target  []float64
	weight  []float64 // of each row
	w       []float64
	prior   []float64
	penalty []float64 // for being away from the prior
}

type cell struct {
	row   int
	value float64
}

// solve minimizes the weighted squares of target - x·w plus the penalized squares
// of w - prior, for w ≥ 0, by coordinate descent from the prior.
func (p *problem) solve(huber float64) {
	copy(p.w, p.prior)
	residual := make([]float64, len(p.target))
	weight := make([]float64, len(p.target))
	for round := range rounds {
		copy(residual, p.target)
		for j, column := range p.columns {
			for _, c := range column {
				residual[c.row] -= c.value * p.w[j]
			}
		}
		for i, r := range residual {
			weight[i] = p.weight[i]
			if e := max(r, -r); round > 0 && e > huber {
				weight[i] *= huber / e
			}
		}
		for range sweeps {
			moved := 0.0
			for j, column := range p.columns {
				if len(column) == 0 {
					continue
				}
				num := p.penalty[j] * (p.prior[j] - p.w[j])
				den := p.penalty[j]
				for _, c := range column {
					num += weight[c.row] * c.value * residual[c.row]
					den += weight[c.row] * c.value * c.value
				}
				to := max(p.w[j]+num/den, 0)
				step := to - p.w[j]
				if step == 0 {
					continue
				}
				p.w[j] = to
				for _, c := range column {
					residual[c.row] -= c.value * step
				}
				moved = max(moved, step*step*den)
			}
			if moved < 1e-8 {
				break
			}
		}
	}
}

const (
	rounds = 4
	sweeps = 300
)

// fit returns weights for the rows, in two steps. First all features of a group
// get one weight; then each may differ from that as far as the rows make it
// worth the penalty.
func fit(rows []row, o options) []float64 {
	n := tokens.NumFeatures
	names := map[string]int{}
	group := make([]int, n)
	for i := range n {
		name := tokens.FeatureGroup(i)
		if _, ok := names[name]; !ok {
			names[name] = len(names)
		}
		group[i] = names[name]
	}
	coarse := newProblem(rows, len(names), func(x entry, add func(int, float64)) { add(group[x.feature], x.value) }, o)
	for name, g := range names {
		coarse.prior[g] = guess(name)
		coarse.penalty[g] = o.coarse
		if name == "repeat" {
			coarse.penalty[g] = o.repeat
		}
	}
	coarse.solve(o.huber)
	fine := newProblem(rows, n, func(x entry, add func(int, float64)) { add(x.feature, x.value) }, o)
	for j := range n {
		fine.prior[j] = coarse.w[group[j]]
		switch tokens.FeatureGroup(j) {
		case "pair":
			fine.penalty[j] = o.pair
		case "letter":
			fine.penalty[j] = o.letter
		case "repeat":
			fine.penalty[j] = o.repeat
		default:
			fine.penalty[j] = o.fine
		}
	}
	fine.solve(o.huber)
	return fine.w
}

// guess is where a group's weight starts.
func guess(name string) float64 {
	switch {
	case name == "repeat", strings.HasSuffix(name, "/first"), strings.HasPrefix(name, "sign"):
		return 1
	case strings.HasPrefix(name, "script"):
		return 0.5
	case name == "pair", name == "letter":
		return 0
	case strings.HasSuffix(name, "/spaced"):
		return 0.5
	}
	return 0.1
}

// newProblem sets up the rows, each of their entries handed to the columns that
// spread names.
func newProblem(rows []row, n int, spread func(entry, func(int, float64)), o options) *problem {
	p := &problem{
		columns: make([][]cell, n),
		target:  make([]float64, len(rows)),
		weight:  make([]float64, len(rows)),
		w:       make([]float64, n), prior: make([]float64, n), penalty: make([]float64, n),
	}
	for i, r := range rows {
		p.target[i] = r.target
		p.weight[i] = r.influence / (1 + o.small/r.truth)
		for _, x := range r.x {
			spread(x, func(j int, v float64) {
				c := p.columns[j]
				if len(c) > 0 && c[len(c)-1].row == i {
					c[len(c)-1].value += v
					return
				}
				p.columns[j] = append(c, cell{i, v})
			})
		}
	}
	return p
}

// options are what may be tuned.
type options struct {
	coarse, fine, pair, letter, repeat float64 // penalties
	huber, small, filler               float64
}

// defaults are the options that did best in cross-validation.
var defaults = options{coarse: 0.03, fine: 0.02, pair: 0.004, letter: 0.003, repeat: 1, huber: 0.05, small: 50, filler: 0.1}

func (o *options) flags() {
	flag.Float64Var(&o.coarse, "coarse", o.coarse, "the penalty of weights of groups")
	flag.Float64Var(&o.fine, "fine", o.fine, "the penalty of other weights")
	flag.Float64Var(&o.pair, "pair", o.pair, "the penalty of weights of pairs")
	flag.Float64Var(&o.letter, "letter", o.letter, "the penalty of weights of letters")
	flag.Float64Var(&o.repeat, "repeat", o.repeat, "the penalty of weights of repetitions")
	flag.Float64Var(&o.huber, "huber", o.huber, "the relative error from which on a document loses influence")
	flag.Float64Var(&o.small, "small", o.small, "the `tokens` below which a document tells little")
	flag.Float64Var(&o.filler, "filler", o.filler, "the influence of a document of filler.jsonl.gz")
}
