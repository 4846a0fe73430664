package sluice_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const (
	module  = "sluice"
	sdk     = "github.com/tetratelabs/proxy-wasm-go-sdk"
	gjson   = "github.com/tidwall/gjson"
	siphash = "github.com/dchest/siphash"
)

// Imports point one way, as ARCHITECTURE.md says: for each package of the filter
// all that it may import beside the standard library.
var mayImport = map[string][]string{
	"classify":            {gjson, module + "/headers"},
	"headers":             {},
	"tokens":              {gjson},
	"limits":              {siphash},
	"config":              {gjson, module + "/classify", module + "/headers", module + "/limits", module + "/tokens"},
	"internal/abi":        {sdk},
	"internal/shareddata": {sdk, module + "/limits"},
	"filter": {gjson, sdk, module + "/classify", module + "/config", module + "/headers", module + "/internal/abi",
		module + "/internal/shareddata", module + "/limits", module + "/tokens"},
}

func TestImportsPointOneWay(t *testing.T) {
	for dir, allowed := range mayImport {
		files := sources(t, dir)
		if len(files) == 0 {
			t.Errorf("%s has no source", dir)
		}
		for _, f := range files {
			for _, imported := range f.imports() {
				if !standard(imported) && !slices.ContainsFunc(allowed, func(a string) bool { return within(imported, a) }) {
					t.Errorf("%s imports %s", f.name, imported)
				}
			}
		}
	}
}

// Whatever the filter is made of has its line in mayImport, and so its rule.
func TestEveryPackageOfTheFilterHasARule(t *testing.T) {
	for dir := range compiled(t) {
		if _, there := mayImport[dir]; !there {
			t.Errorf("the filter imports %s", dir)
		}
	}
}

// Beside the filter and what ties it to Envoy only tests know the SDK: the
// stand-in for Envoy, and plug-ins that show what Envoy itself does.
func TestOnlyTheFilterKnowsTheSDK(t *testing.T) {
	knowing := []string{"filter", "internal/abi", "internal/shareddata", "internal/envoytest", "e2e/testdata"}
	seen := false
	for dir, files := range tree(t) {
		for _, f := range files {
			for _, imported := range f.imports() {
				if !within(imported, sdk) {
					continue
				}
				seen = true
				if !slices.ContainsFunc(knowing, func(k string) bool { return within(dir, k) }) {
					t.Errorf("%s imports %s", f.name, imported)
				}
			}
		}
	}
	if !seen {
		t.Error("nothing imports the SDK: this tests nothing")
	}
}

// In a wasm VM a goroutine runs only while a callback does, one that blocks is
// the VM's end, as is an exit, and a sleep spins (P46). The rest of the list
// costs more than all the filter does (ARCHITECTURE.md, "What a request costs").
func TestTheFilterLeavesAloneWhatItMustNotUse(t *testing.T) {
	packages := []string{"encoding/json", "fmt", "log", "log/slog", "net/http", "reflect", "regexp", "text/template"}
	calls := map[string][]string{
		"time": {"Sleep", "After", "AfterFunc", "NewTimer", "NewTicker", "Tick"},
		"os":   {"Exit"},
	}
	for _, files := range compiled(t) {
		for _, f := range files {
			for _, imported := range f.imports() {
				if slices.Contains(packages, imported) {
					t.Errorf("%s imports %s", f.name, imported)
				}
			}
			ast.Inspect(f.syntax, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.GoStmt:
					t.Errorf("%s starts a goroutine", f.at(n))
				case *ast.SelectorExpr:
					if from, ok := n.X.(*ast.Ident); ok && slices.Contains(calls[from.Name], n.Sel.Name) {
						t.Errorf("%s uses %s.%s", f.at(n), from.Name, n.Sel.Name)
					}
				}
				return true
			})
		}
	}
}

// What changes belongs to a plug-in or a stream: two plug-ins share a VM, and a
// native test runs several VMs in one process. The bridge is the exception, for
// there is but one host (internal/abi/doc.go).
func TestTheFilterChangesNoPackageVariable(t *testing.T) {
	variables := 0
	for dir, files := range compiled(t) {
		if dir == "internal/abi" {
			continue
		}
		uses := resolved(files)
		global := func(target ast.Expr) *types.Var {
			for {
				switch x := target.(type) {
				case *ast.IndexExpr:
					target = x.X
				case *ast.SelectorExpr:
					target = x.X
				case *ast.ParenExpr:
					target = x.X
				case *ast.Ident:
					v, ok := uses.Uses[x].(*types.Var)
					if !ok || v.Parent() != v.Pkg().Scope() {
						return nil
					}
					return v
				default:
					return nil
				}
			}
		}
		for _, object := range uses.Defs {
			if v, ok := object.(*types.Var); ok && v.Parent() == v.Pkg().Scope() {
				variables++
			}
		}
		for _, f := range files {
			ast.Inspect(f.syntax, func(n ast.Node) bool {
				var targets []ast.Expr
				switch n := n.(type) {
				case *ast.AssignStmt:
					targets = n.Lhs
				case *ast.IncDecStmt:
					targets = []ast.Expr{n.X}
				case *ast.RangeStmt:
					targets = []ast.Expr{n.Key, n.Value}
				}
				for _, target := range targets {
					if v := global(target); v != nil {
						t.Errorf("%s changes %s", f.at(n), v.Name())
					}
				}
				return true
			})
		}
	}
	if variables == 0 {
		t.Error("no package variables are found: this tests nothing")
	}
}

// file is one Go file of the module.
type file struct {
	name   string
	syntax *ast.File
	set    *token.FileSet
}

func (f file) at(n ast.Node) string { return f.set.Position(n.Pos()).String() }

func (f file) imports() []string {
	var paths []string
	for _, i := range f.syntax.Imports {
		imported, err := strconv.Unquote(i.Path.Value)
		if err == nil {
			paths = append(paths, imported)
		}
	}
	return paths
}

// sources are the files of a directory without its tests.
func sources(t *testing.T, dir string) []file {
	t.Helper()
	return slices.DeleteFunc(tree(t)[dir], func(f file) bool { return strings.HasSuffix(f.name, "_test.go") })
}

// compiled is what the wasm is made of: the filter and all of this module that
// it imports, by directory.
func compiled(t *testing.T) map[string][]file {
	t.Helper()
	found := map[string][]file{}
	for next := []string{"filter"}; len(next) > 0; next = next[1:] {
		dir := next[0]
		if found[dir] != nil {
			continue
		}
		found[dir] = sources(t, dir)
		for _, f := range found[dir] {
			for _, imported := range f.imports() {
				if other, ok := strings.CutPrefix(imported, module+"/"); ok {
					next = append(next, other)
				}
			}
		}
	}
	if len(found) < 3 {
		t.Fatalf("the filter seems to be made of %v", slices.Collect(maps.Keys(found)))
	}
	return found
}

// tree is all Go files of the module, by directory.
func tree(t *testing.T) map[string][]file {
	t.Helper()
	set := token.NewFileSet()
	files := map[string][]file{}
	err := filepath.WalkDir(".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && (entry.Name() == "build" || len(name) > 1 && entry.Name()[0] == '.') {
			return fs.SkipDir
		}
		if entry.IsDir() || filepath.Ext(name) != ".go" {
			return nil
		}
		syntax, err := parser.ParseFile(set, name, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		name = filepath.ToSlash(name)
		files[path.Dir(name)] = append(files[path.Dir(name)], file{name, syntax, set})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// resolved says what the names in the files of a package stand for. Those of
// other packages are not looked up.
func resolved(files []file) *types.Info {
	info := &types.Info{Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{}}
	config := types.Config{Importer: nothing{}, Error: func(error) {}}
	var all []*ast.File
	for _, f := range files {
		all = append(all, f.syntax)
	}
	_, _ = config.Check(all[0].Name.Name, files[0].set, all, info) // its errors are those of the missing imports
	return info
}

// nothing imports every package as an empty one.
type nothing struct{}

func (nothing) Import(name string) (*types.Package, error) {
	p := types.NewPackage(name, path.Base(name))
	p.MarkComplete()
	return p, nil
}

func standard(imported string) bool {
	first, _, _ := strings.Cut(imported, "/")
	return first != module && !strings.Contains(first, ".")
}

// within says whether a path is another, or below it.
func within(name, parent string) bool { return name == parent || strings.HasPrefix(name, parent+"/") }
