package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
)

// recorded is a response as a JSON line gives it. A command reads of it what it
// needs; other members are passed over.
type recorded struct {
	ID       json.RawMessage `json:"id"` // any value: it is printed as it came
	Provider string          `json:"provider"`
	Path     string          `json:"path"`
	Status   int             `json:"status"`
	Headers  headerFields    `json:"headers"`
	Body     bodyText        `json:"body"`
}

// headerFields are header fields by name in lower case; values of a name that
// comes more than once are joined by commas, as HTTP allows.
type headerFields map[string]string

// UnmarshalJSON reads {name: value}, where a value may be a list of values, or a
// number.
func (h *headerFields) UnmarshalJSON(text []byte) error {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(text, &fields); err != nil {
		return errors.New("headers must be an object")
	}
	*h = headerFields{}
	for name, raw := range fields {
		values := []json.RawMessage{raw}
		if raw[0] == '[' {
			if err := json.Unmarshal(raw, &values); err != nil {
				return err
			}
		}
		name = strings.ToLower(name)
		for _, raw := range values {
			value := string(raw)
			if raw[0] == '"' {
				if err := json.Unmarshal(raw, &value); err != nil {
					return err
				}
			} else if raw[0] != '-' && (raw[0] < '0' || raw[0] > '9') {
				return fmt.Errorf("header %q is not a string", name)
			}
			if before, there := (*h)[name]; there {
				value = before + "," + value
			}
			(*h)[name] = value
		}
	}
	return nil
}

// bodyText is a body: of a string its characters, of any other value its JSON,
// of null nothing.
type bodyText []byte

func (b *bodyText) UnmarshalJSON(text []byte) error {
	switch {
	case string(text) == "null":
		*b = nil
	case text[0] == '"':
		var s string
		if err := json.Unmarshal(text, &s); err != nil {
			return err
		}
		*b = bodyText(s)
	default:
		*b = bytes.Clone(text)
	}
	return nil
}

// maxLine bounds a line in bytes: many times what a recorded response takes.
const maxLine = 64 << 20

var errLong = fmt.Errorf("is longer than %d MiB", maxLine>>20)

// eachLine reads JSON lines, each a T, of the files that args name ("-" is the
// standard input, as is no name at all), and prints what answer makes of each as
// one JSON line, in order. Blank lines are passed over.
//
// A line that is no T, and one that answer refuses, is named on the standard
// error, the others go on, and the command fails with errFound at the end.
func eachLine[T any](cmd *cobra.Command, args []string, answer func(T) (any, error)) error {
	if len(args) == 0 {
		args = []string{"-"}
	}
	out := bufio.NewWriter(cmd.OutOrStdout())
	defer out.Flush()
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	var failed error
	for _, name := range args {
		in, where := cmd.InOrStdin(), ""
		if name != "-" {
			file, err := os.Open(name)
			if err != nil {
				return err
			}
			defer file.Close()
			in, where = file, name+": "
		}
		lines := bufio.NewReader(in)
		for number := 1; ; number++ {
			line, err := readLine(lines)
			if err != nil && err != errLong {
				if err != io.EOF {
					return fmt.Errorf("%sline %d: %w", where, number, err)
				}
				break
			}
			if err == nil && len(line) == 0 {
				continue
			}
			var given T
			var result any
			if err == nil {
				err = decodeLine(line, &given)
			}
			if err == nil {
				result, err = answer(given)
			}
			if err != nil {
				fmt.Fprintf(cmd.ErrOrStderr(), "sluice: %sline %d: %v\n", where, number, err)
				failed = errFound
				continue
			}
			if err := encoder.Encode(result); err != nil {
				return err
			}
		}
	}
	if err := out.Flush(); err != nil {
		return err
	}
	return failed
}

// readLine returns the next line without its end and the space around it;
// io.EOF where there is none, errLong where it is too long, which leaves the
// reader at the next line.
func readLine(in *bufio.Reader) ([]byte, error) {
	var line []byte
	long := false
	for {
		part, err := in.ReadSlice('\n')
		if !long {
			line = append(line, part...)
		}
		if len(line) > maxLine {
			line, long = nil, true
		}
		if err == bufio.ErrBufferFull || err == io.EOF && len(part) > 0 {
			continue
		}
		if long {
			return nil, errLong
		}
		line = bytes.TrimSpace(line)
		if err == io.EOF && len(line) > 0 {
			err = nil // the last line may lack its end
		}
		return line, err
	}
}

// decodeLine reads a line as JSON, and says in the words of this tool what is
// wrong with it.
func decodeLine(line []byte, into any) error {
	err := json.Unmarshal(line, into)
	var kind *json.UnmarshalTypeError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &kind) && kind.Field == "":
		return errors.New("is not a JSON object")
	case errors.As(err, &kind):
		return fmt.Errorf("%s must be a %s", kind.Field, kind.Type)
	case errors.As(err, new(*json.SyntaxError)):
		return fmt.Errorf("is not valid JSON: %w", err)
	}
	return err
}
