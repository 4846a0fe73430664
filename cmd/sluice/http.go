package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
)

// eachHTTP reads files ("-" is the standard input, as is no name at all), each
// one HTTP response as curl -i prints it, and prints what answer makes of each
// as one JSON line, in order. A file that is none is named on the standard error,
// the others go on, and the command fails with errFound at the end.
func eachHTTP(cmd *cobra.Command, files []string, answer func(recorded) (any, error)) error {
	if len(files) == 0 {
		files = []string{"-"}
	}
	encoder := json.NewEncoder(cmd.OutOrStdout())
	encoder.SetEscapeHTML(false)
	var failed error
	for _, name := range files {
		var text []byte
		var err error
		if name == "-" {
			text, err = io.ReadAll(io.LimitReader(cmd.InOrStdin(), maxLine))
		} else {
			text, err = os.ReadFile(name)
		}
		if err != nil {
			return err
		}
		var result any
		response, err := parseHTTP(text)
		if err == nil {
			result, err = answer(response)
		}
		if err != nil {
			fmt.Fprintf(cmd.ErrOrStderr(), "sluice: %s: %v\n", name, err)
			failed = errFound
			continue
		}
		if err := encoder.Encode(result); err != nil {
			return err
		}
	}
	return failed
}

var errNoHTTP = errors.New(`is no HTTP response as "curl -i" prints it: it must begin with HTTP/`)

// parseHTTP reads a response whose body curl has decoded. Of several heads, as
// of 100 Continue, a proxy's answer, and redirects, the last counts.
func parseHTTP(text []byte) (recorded, error) {
	var r recorded
	if !bytes.HasPrefix(text, []byte("HTTP/")) {
		return r, errNoHTTP
	}
	for bytes.HasPrefix(text, []byte("HTTP/")) {
		var line string
		line, text = cutLine(text)
		words := strings.Fields(line) // HTTP/2 429, or HTTP/1.1 429 Too Many Requests
		if len(words) < 2 {
			return r, fmt.Errorf("%q is no status line", line)
		}
		status, err := strconv.Atoi(words[1])
		if err != nil || status < 100 || status > 999 {
			return r, fmt.Errorf("%q is no HTTP status", words[1])
		}
		r.Status, r.Headers = status, headerFields{}
		for {
			line, text = cutLine(text)
			if line == "" {
				break
			}
			name, value, ok := strings.Cut(line, ":")
			if !ok {
				return r, fmt.Errorf("%q is no header", line)
			}
			name, value = strings.ToLower(strings.TrimSpace(name)), strings.TrimSpace(value)
			if before, there := r.Headers[name]; there {
				value = before + "," + value
			}
			r.Headers[name] = value
		}
	}
	r.Body = text
	return r, nil
}

// cutLine cuts the first line off, without its end.
func cutLine(text []byte) (line string, rest []byte) {
	first, rest, _ := bytes.Cut(text, []byte("\n"))
	return strings.TrimSuffix(string(first), "\r"), rest
}
