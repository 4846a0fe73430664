package envoy

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
)

// RSS is how much memory Envoy holds, in bytes. Linux alone tells.
func (p *Process) RSS() (int64, error) {
	pid, err := p.PID()
	if err != nil {
		return 0, err
	}
	status, err := os.ReadFile(filepath.Join("/proc", pid, "status"))
	if err != nil {
		return 0, err
	}
	for line := range bytes.Lines(status) {
		if size, ok := bytes.CutPrefix(line, []byte("VmRSS:")); ok {
			kib, err := strconv.ParseInt(string(bytes.TrimSpace(bytes.TrimSuffix(bytes.TrimSpace(size), []byte("kB")))), 10, 64)
			return kib << 10, err
		}
	}
	return 0, fmt.Errorf("/proc/%s/status has no VmRSS", pid)
}
