package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"sluice/config"
)

func checkCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "check FILE...",
		Short: "Check configurations of the filter",
		Long: `Check configurations of the filter: each FILE is one in JSON, or Envoy or Istio
YAML with Wasm filters in it; - is the standard input.

A Wasm filter is Sluice's if its name, its VM's or its code's says "sluice", or
if its configuration has limits. Others are passed over.

Prints "FILE: ok", or every problem; and warnings of what is allowed but seldom
meant. The exit status is 1 if there is a problem.`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, files []string) error {
			good := true
			for _, file := range files {
				problems, warnings := checkFile(file, cmd.InOrStdin())
				for _, p := range problems {
					fmt.Fprintf(cmd.OutOrStdout(), "%s: %s\n", file, p)
				}
				for _, w := range warnings {
					fmt.Fprintf(cmd.OutOrStdout(), "%s: warning: %s\n", file, w)
				}
				if len(problems) == 0 {
					fmt.Fprintf(cmd.OutOrStdout(), "%s: ok\n", file)
				} else {
					good = false
				}
			}
			if !good {
				return errFound
			}
			return nil
		},
	}
}

// checkFile returns all that is wrong with a file, and what to warn of.
func checkFile(file string, stdin io.Reader) (problems, warnings []string) {
	var text []byte
	var err error
	if file == "-" {
		text, err = io.ReadAll(stdin)
	} else {
		text, err = os.ReadFile(file)
	}
	if err != nil {
		var inPath *fs.PathError
		if errors.As(err, &inPath) {
			err = inPath.Err // the file is named anyway
		}
		return []string{err.Error()}, nil
	}
	if isJSON(file, text) {
		c, wrong := parseJSON(text)
		if c != nil {
			warnings = texts("", c.Warnings)
		}
		return texts("", wrong), warnings
	}
	return checkYAML(text)
}

// isJSON says whether a file is meant to be a plugin configuration by itself.
func isJSON(file string, text []byte) bool {
	text = bytes.TrimLeft(text, " \t\r\n")
	return filepath.Ext(file) == ".json" || len(text) > 0 && strings.IndexByte(`{["`, text[0]) >= 0
}

// parseJSON is config.Parse, with the place where the text is no JSON.
func parseJSON(text []byte) (*config.Config, config.Problems) {
	var syntax *json.SyntaxError
	if errors.As(json.Unmarshal(text, new(json.RawMessage)), &syntax) {
		line, column := position(text, int(syntax.Offset)-1)
		return nil, config.Problems{{Message: fmt.Sprintf("is not valid JSON: line %d, column %d: %v", line, column, syntax)}}
	}
	return parse(text)
}

func parse(text []byte) (*config.Config, config.Problems) {
	c, err := config.Parse(text)
	var problems config.Problems
	errors.As(err, &problems)
	return c, problems
}

// position counts lines and characters from 1.
func position(text []byte, offset int) (line, column int) {
	before := text[:min(max(offset, 0), len(text))]
	start := bytes.LastIndexByte(before, '\n') + 1
	return 1 + bytes.Count(before, []byte("\n")), 1 + utf8.RuneCount(before[start:])
}

func texts(prefix string, problems config.Problems) []string {
	var out []string
	for _, p := range problems {
		out = append(out, prefix+p.String())
	}
	return out
}
