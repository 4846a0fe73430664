package main

import (
	"strings"

	"sluice/classify"
	"sluice/tokens"
)

// target is whom a request is for, as its authority and path say. Requests that
// follow each other are often for the same: it is found out once for those.
type target struct {
	authority, rawPath string
	path               string           // normalized
	operation          tokens.Operation // Other, where the path does not say
	provider           string
	pathModel          string // the model that the path names; "": the body does
}

func newTarget(authority, rawPath string) target {
	// The last target outlives its request's headers.
	t := target{authority: strings.Clone(authority), rawPath: strings.Clone(rawPath)}
	t.path = normalizePath(t.rawPath)
	t.operation = tokens.OperationOf(t.path)
	t.provider = classify.DetectProvider(authority, t.path)
	t.pathModel = classify.ModelOfPath(t.path)
	return t
}
