package abi

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The compiler checks nothing of what a linkname joins, so these tests do: a new
// version of the SDK whose internals differ fails here and not in Envoy.

const sdk = "github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm/internal"

// target is the environment the bridge is built for.
var target = []string{"GOOS=wasip1", "GOARCH=wasm"}

// A source is a package read from its source as the go command would build it.
type source struct {
	dir   string
	files []*ast.File
	types *types.Package
}

// load type-checks a package from source, its imports from export data. It needs
// the source because export data lack what is not exported, and the SDK's own
// package because it can be read as source but not be imported.
func load(t *testing.T, path string, env ...string) source {
	t.Helper()
	list := exec.CommandContext(t.Context(), "go", "list", "-deps", "-export", "-json=ImportPath,Dir,GoFiles,Export", path)
	list.Env = append(os.Environ(), env...)
	list.Stderr = os.Stderr
	out, err := list.Output()
	if err != nil {
		t.Fatalf("cannot list %s: %v", path, err)
	}

	type listed struct {
		ImportPath, Dir, Export string
		GoFiles                 []string
	}
	packages := map[string]listed{}
	for decoder := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p listed
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		packages[p.ImportPath] = p
	}

	fset := token.NewFileSet()
	s := source{dir: packages[path].Dir}
	for _, name := range packages[path].GoFiles {
		file, err := parser.ParseFile(fset, filepath.Join(s.dir, name), nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		s.files = append(s.files, file)
	}
	config := types.Config{Importer: importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) {
		return os.Open(packages[path].Export)
	})}
	if s.types, err = config.Check(path, fset, s.files, nil); err != nil {
		t.Fatalf("cannot type-check %s: %v", path, err)
	}
	return s
}

// directives returns the functions and variables that carry the comment
// directive, each with what follows it.
func directives(files []*ast.File, directive string) map[string]string {
	found := map[string]string{}
	note := func(name string, doc *ast.CommentGroup) {
		if doc == nil {
			return
		}
		for _, comment := range doc.List {
			if rest, ok := strings.CutPrefix(comment.Text, "//"+directive+" "); ok {
				found[name] = rest
			}
		}
	}
	for _, file := range files {
		for _, declaration := range file.Decls {
			switch d := declaration.(type) {
			case *ast.FuncDecl:
				note(d.Name.Name, d.Doc)
			case *ast.GenDecl:
				if d.Tok == token.VAR {
					note(d.Specs[0].(*ast.ValueSpec).Names[0].Name, d.Doc)
				}
			}
		}
	}
	return found
}

// alike reports whether values of the two types look the same in memory and in
// registers, which is what a linkname relies on. Names do not count, nor what a
// pointer to a struct points to.
func alike(a, b types.Type) bool {
	switch a := a.Underlying().(type) {
	case *types.Pointer:
		b, ok := b.Underlying().(*types.Pointer)
		return ok && alike(a.Elem(), b.Elem())
	case *types.Signature:
		b, ok := b.Underlying().(*types.Signature)
		return ok && alikeTuple(a.Params(), b.Params()) && alikeTuple(a.Results(), b.Results())
	case *types.Interface:
		b, ok := b.Underlying().(*types.Interface)
		if !ok || a.NumMethods() != b.NumMethods() {
			return false
		}
		for i := range a.NumMethods() {
			if a.Method(i).Name() != b.Method(i).Name() || !alike(a.Method(i).Type(), b.Method(i).Type()) {
				return false
			}
		}
		return true
	case *types.Basic:
		if a.Kind() == types.UnsafePointer {
			_, ok := b.Underlying().(*types.Pointer)
			return ok
		}
	}
	return types.Identical(a.Underlying(), b.Underlying())
}

func alikeTuple(a, b *types.Tuple) bool {
	if a.Len() != b.Len() {
		return false
	}
	for i := range a.Len() {
		if !alike(a.At(i).Type(), b.At(i).Type()) {
			return false
		}
	}
	return true
}

// Every linkname into the SDK, here and in the fake host for tests, names
// something that exists there and has the type we say it has. The host interface
// is among it, as the parameter of RegisterMockWasmHost.
func TestLinknamesMatchSDK(t *testing.T) {
	theirs := load(t, sdk)
	for path, env := range map[string][]string{
		"sluice/internal/abi":       target,
		"sluice/internal/envoytest": nil,
	} {
		ours := load(t, path, env...)
		linknames := directives(ours.files, "go:linkname")
		if len(linknames) == 0 {
			t.Errorf("%s has no linkname, this test is blind", path)
		}
		for local, directive := range linknames {
			_, remote, _ := strings.Cut(directive, " ")
			name, ok := strings.CutPrefix(remote, sdk+".")
			if !ok {
				t.Errorf("%s: %s is linked to %s, which is not the SDK", path, local, remote)
				continue
			}
			there, here := theirs.types.Scope().Lookup(name), ours.types.Scope().Lookup(local)
			switch {
			case there == nil:
				t.Errorf("%s: %s is linked to %s, which the SDK does not have", path, local, name)
			case !alike(here.Type(), there.Type()):
				t.Errorf("%s: %s is\n\t%s\nbut the SDK's %s is\n\t%s", path, local, here.Type(), name, there.Type())
			}
		}
	}
}

// notHTTP are the callbacks of the SDK that an HTTP filter does not need.
var notHTTP = []string{
	"proxy_on_new_connection",
	"proxy_on_downstream_data", "proxy_on_downstream_connection_close",
	"proxy_on_upstream_data", "proxy_on_upstream_connection_close",
}

// What TinyGo would export and import by the SDK's "//export" comments is what
// this package exports and imports, under the same names and with the same wasm
// types.
func TestExportsAndImportsMatchSDK(t *testing.T) {
	theirs, ours := load(t, sdk), load(t, "sluice/internal/abi", target...)
	exports := shapes(ours.files, "go:wasmexport", "")
	for name, want := range shapes(theirs.files, "export", "") {
		switch got, ok := exports[name]; {
		case slices.Contains(notHTTP, name):
		case !ok:
			t.Errorf("the callback %s is not exported", name)
		case got != want:
			t.Errorf("the callback %s is exported as %s, the SDK has %s", name, got, want)
		}
	}

	// The hostcalls carry their comment in a file for TinyGo only, which does not
	// type-check here; its syntax says enough.
	file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(theirs.dir, "abi_hostcalls.go"), nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	imports := shapes(ours.files, "go:wasmimport", "env ")
	want := shapes([]*ast.File{file}, "export", "")
	if len(want) != len(hostcalls) {
		t.Errorf("the SDK has %d hostcalls, the bridge test knows %d", len(want), len(hostcalls))
	}
	for name, want := range want {
		if imports[name] != want {
			t.Errorf("the hostcall %s is imported as %q, the SDK has %q", name, imports[name], want)
		}
	}
}

// shapes returns, by the name in the directive, the wasm types of the functions
// that carry it. On wasm32, where TinyGo runs, int has 32 bits.
func shapes(files []*ast.File, directive, prefix string) map[string]string {
	names, found := directives(files, directive), map[string]string{}
	for _, file := range files {
		for _, declaration := range file.Decls {
			function, ok := declaration.(*ast.FuncDecl)
			if !ok || names[function.Name.Name] == "" {
				continue
			}
			name := strings.TrimPrefix(names[function.Name.Name], prefix)
			found[name] = fmt.Sprintf("(%s) -> (%s)", wasmTypes(function.Type.Params), wasmTypes(function.Type.Results))
		}
	}
	return found
}

func wasmTypes(fields *ast.FieldList) string {
	var kinds []string
	if fields == nil {
		return ""
	}
	for _, field := range fields.List {
		kind := "i32"
		if name, ok := field.Type.(*ast.Ident); ok && strings.HasSuffix(name.Name, "64") {
			kind = "i64"
		}
		for range max(1, len(field.Names)) {
			kinds = append(kinds, kind)
		}
	}
	return strings.Join(kinds, " ")
}
