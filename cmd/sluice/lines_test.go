package main

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// runLines runs a command over the input, and returns what it prints.
func runLines(command *cobra.Command, input string, args ...string) (out, errs string, err error) {
	var stdout, stderr bytes.Buffer
	command.SetIn(strings.NewReader(input))
	command.SetOut(&stdout)
	command.SetErr(&stderr)
	command.SetArgs(args)
	command.SilenceUsage, command.SilenceErrors = true, true
	err = command.Execute()
	return stdout.String(), stderr.String(), err
}

// echo is a command that prints what it read.
func echo() *cobra.Command {
	return &cobra.Command{RunE: func(cmd *cobra.Command, args []string) error {
		return eachLine(cmd, args, func(r recorded) (any, error) {
			if r.Status == 999 {
				return nil, errors.New("status is impossible")
			}
			return map[string]any{"id": r.ID, "status": r.Status, "headers": r.Headers, "body": string(r.Body)}, nil
		})
	}}
}

func TestEachLine(t *testing.T) {
	for name, c := range map[string]struct {
		in, out, errs string
	}{
		"an object as body":     {`{"id":"a","status":200,"body":{"x": 1}}`, `{"body":"{\"x\": 1}","headers":null,"id":"a","status":200}` + "\n", ""},
		"a string as body":      {`{"id":7,"body":"data: {}\n\n"}`, `{"body":"data: {}\n\n","headers":null,"id":7,"status":0}` + "\n", ""},
		"no body, no id":        {`{"body":null}`, `{"body":"","headers":null,"id":null,"status":0}` + "\n", ""},
		"headers":               {`{"headers":{"Content-Type":"a/b","X":["1","2"],"n":3}}`, `{"body":"","headers":{"content-type":"a/b","n":"3","x":"1,2"},"id":null,"status":0}` + "\n", ""},
		"blank lines":           {"\n \r\n{\"id\":1}\r\n\n", `{"body":"","headers":null,"id":1,"status":0}` + "\n", ""},
		"bad lines, and a good": {"oops\n{\"id\":1}\n[]\n{\"status\":\"x\"}\n{\"headers\":{\"a\":true}}\n{\"status\":999}", `{"body":"","headers":null,"id":1,"status":0}` + "\n", "line 1 line 3 line 4 line 5 line 6"},
		"nothing":               {"", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			out, errs, err := runLines(echo(), c.in)
			if out != c.out {
				t.Errorf("got %s, want %s", out, c.out)
			}
			if (err != nil) != (c.errs != "") || err != nil && !errors.Is(err, errFound) {
				t.Errorf("error %v", err)
			}
			if got := strings.Count(errs, "\n"); got != strings.Count(c.errs, "line") {
				t.Errorf("standard error: %s", errs)
			}
			for want := range strings.SplitSeq(c.errs, " line ") {
				if want != "" && !strings.Contains(errs, strings.TrimPrefix(want, "line ")+": ") {
					t.Errorf("no line %s in %s", want, errs)
				}
			}
		})
	}
}

func TestEachLineOfFiles(t *testing.T) {
	if _, _, err := runLines(echo(), "", "there-is-none.jsonl"); err == nil {
		t.Error("a file that is not there is no error")
	}
}

func TestEachLineOfAFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "lines.jsonl")
	if err := os.WriteFile(file, []byte("{\"id\":1}\noops\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	out, errs, err := runLines(echo(), "{\"id\":2}", file, "-")
	if !errors.Is(err, errFound) || strings.Count(out, "\n") != 2 || !strings.Contains(errs, file+": line 2: ") {
		t.Errorf("%v\n%s%s", err, out, errs)
	}
}

func TestALineTooLongIsPassedOver(t *testing.T) {
	in := bufio.NewReader(io.MultiReader(strings.NewReader(`{"id":"`), io.LimitReader(endless{}, maxLine), strings.NewReader("\"}\n{\"id\":1}")))
	if _, err := readLine(in); err != errLong {
		t.Errorf("got %v", err)
	}
	if line, err := readLine(in); err != nil || string(line) != `{"id":1}` {
		t.Errorf("%s, %v", line, err)
	}
	if _, err := readLine(in); err != io.EOF {
		t.Errorf("got %v", err)
	}
}

type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}
