package main

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"sort"
)

// summary prints how good the estimates for each tokenizer are over all classes.
func summary(results []*result) {
	fmt.Printf("%-12s %5s %8s %8s %8s %8s\n", "tokenizer", "n", "bias%", "median%", "p95%", "under10%")
	for _, r := range results {
		sum, under := 0.0, 0.0
		for _, row := range r.rows {
			sum += row.err
			if row.err < -0.1 {
				under++
			}
		}
		n := float64(len(r.rows))
		errs := absolute(r.rows)
		fmt.Printf("%-12s %5d %+8.1f %8.1f %8.1f %8.1f\n", r.family, len(r.rows), sum/n*100, quantile(errs, .5)*100, quantile(errs, .95)*100, under/n*100)
	}
}

// classes prints the median error of each class for each tokenizer.
func classes(results []*result) {
	if len(results) == 0 {
		return
	}
	fmt.Printf("\n%-14s %5s", "median%", "n")
	byClass := make([]map[string][]row, len(results))
	for k, r := range results {
		fmt.Printf(" %11s", r.family)
		byClass[k] = map[string][]row{}
		for _, row := range r.rows {
			byClass[k][row.class] = append(byClass[k][row.class], row)
		}
	}
	fmt.Println()
	for _, class := range slices.Sorted(maps.Keys(byClass[0])) {
		fmt.Printf("%-14s %5d", class, len(byClass[0][class]))
		for _, rows := range byClass {
			fmt.Printf(" %11.1f", quantile(absolute(rows[class]), .5)*100)
		}
		fmt.Println()
	}
}

// absolute returns the rows' errors without their signs, in order.
func absolute(rows []row) []float64 {
	errs := make([]float64, len(rows))
	for i, row := range rows {
		errs[i] = math.Abs(row.err)
	}
	sort.Float64s(errs)
	return errs
}

func quantile(sorted []float64, p float64) float64 {
	if len(sorted) == 0 {
		return math.NaN()
	}
	k := float64(len(sorted)-1) * p
	i := int(k)
	return sorted[i] + (sorted[min(i+1, len(sorted)-1)]-sorted[i])*(k-float64(i))
}
