package e2e

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"

	"sluice/e2e/envoy"
)

// sdkFiles holds the programs that call the SDKs, and the versions of these.
var sdkFiles = filepath.Join("testdata", "sdks")

// pythonSDKs is a Python with the SDKs of requirements.txt.
var pythonSDKs = sync.OnceValues(func() (string, error) {
	dir, err := installOnce("python", []string{"requirements.txt"}, func(dir string, versions []string) [][]string {
		return [][]string{
			{"python3", "-m", "venv", "--clear", dir},
			{filepath.Join(dir, "bin", "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--requirement", versions[0]},
		}
	})
	if err != nil {
		return "", fmt.Errorf("the test needs Python 3.10 or newer with venv, and a package index that pip reaches: %w", err)
	}
	return filepath.Join(dir, "bin", "python"), nil
})

// nodeSDKs is a folder that has the SDKs of package.json in node_modules. The lock
// file names no registry: it is written by
//
//	npm install --package-lock-only --omit-lockfile-registry-resolved
var nodeSDKs = sync.OnceValues(func() (string, error) {
	_, noNode := exec.LookPath("node")
	_, noNPM := exec.LookPath("npm")
	err := errors.Join(noNode, noNPM)
	var dir string
	if err == nil {
		dir, err = installOnce("node", []string{"package.json", "package-lock.json"}, func(dir string, versions []string) [][]string {
			return [][]string{
				{"mkdir", "-p", dir},
				append(append([]string{"cp"}, versions...), dir),
				{"npm", "ci", "--prefix", dir, "--engine-strict", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"},
			}
		})
	}
	if err != nil {
		return "", fmt.Errorf("the test needs Node.js 20 or newer with npm, and a package registry that npm reaches: %w", err)
	}
	return dir, nil
})

// installOnce runs the commands that install into a folder of build/ what files of
// sdkFiles name, unless they did so before. The folder is named after the text of
// the files: other versions get another one.
func installOnce(language string, files []string, commands func(dir string, files []string) [][]string) (string, error) {
	root, err := envoy.Root()
	if err != nil {
		return "", err
	}
	sum := sha256.New()
	paths := make([]string, len(files))
	for i, name := range files {
		paths[i] = filepath.Join(root, "e2e", sdkFiles, name)
		text, err := os.ReadFile(paths[i])
		if err != nil {
			return "", err
		}
		sum.Write(text)
	}
	dir := filepath.Join(root, "build", language, "sdks-"+hex.EncodeToString(sum.Sum(nil)[:6]))
	complete := filepath.Join(dir, "complete")
	if _, err := os.Stat(complete); err == nil {
		return dir, nil
	}
	for _, command := range commands(dir, paths) {
		if output, err := exec.Command(command[0], command[1:]...).CombinedOutput(); err != nil {
			return "", fmt.Errorf("%s: %w: %s", strings.Join(command, " "), err, output)
		}
	}
	return dir, os.WriteFile(complete, nil, 0o600)
}
