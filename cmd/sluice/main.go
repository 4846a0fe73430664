// Command sluice is the companion of the filter, for people who debug and plan:
// the filter's own packages, at the command line.
package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"
)

// errFound ends a command that has printed what it found wrong.
var errFound = errors.New("problems found")

func main() {
	root := &cobra.Command{
		Use:           "sluice",
		Short:         "Tools around Sluice, the LLM rate limits for Envoy",
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.CompletionOptions.DisableDefaultCmd = true
	root.AddCommand(checkCommand(), classifyCommand(), usageCommand(), estimateCommand())
	root.SetArgs(longFlags(os.Args[1:]))
	root.SetArgs(longFlags(os.Args[1:]))
	if err := root.Execute(); err != nil {
		if !errors.Is(err, errFound) {
			fmt.Fprintln(os.Stderr, "sluice:", err)
		}
		os.Exit(1)
	}
}

// longFlags takes flags with one dash, as in "-why", for those with two: none has
// a short form but -h.
func longFlags(args []string) []string {
	long := make([]string, len(args))
	for i, arg := range args {
		if len(arg) > 2 && arg[0] == '-' && arg[1] != '-' && (arg[1] < '0' || arg[1] > '9') {
			arg = "-" + arg
		}
		long[i] = arg
	}
	return long
}
