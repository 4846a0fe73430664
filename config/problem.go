package config

import "strings"

// A Problem is something wrong at one place of a configuration.
type Problem struct {
	Path    string // as in "limits[2].window"; empty: the whole
	Message string
}

func (p Problem) String() string {
	if p.Path == "" {
		return p.Message
	}
	return p.Path + ": " + p.Message
}

// Problems are all that is wrong with a configuration, in its order.
type Problems []Problem

// Error lists the problems, separated by "; ".
func (ps Problems) Error() string {
	texts := make([]string, len(ps))
	for i, p := range ps {
		texts[i] = p.String()
	}
	return strings.Join(texts, "; ")
}
