package envoy

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// PID is Envoy's process id, a number. func-e does not tell it; /proc does, by
// the scratch directory among Envoy's arguments, so this works on Linux alone.
func (p *Process) PID() (string, error) {
	processes, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		return "", err
	}
	for _, file := range processes {
		arguments, err := os.ReadFile(file)
		if err == nil && bytes.Contains(arguments, []byte("--admin-address-path\x00"+p.dir)) {
			return filepath.Base(filepath.Dir(file)), nil
		}
	}
	return "", errors.New("envoy is not among the processes in /proc")
}

// clockTicks is the unit of /proc's CPU times, the same on every Linux.
const clockTicks = 100

// CPUTime is the CPU time that Envoy has used in all its threads, in steps of
// 10 ms.
func (p *Process) CPUTime() (time.Duration, error) {
	pid, err := p.PID()
	if err != nil {
		return 0, err
	}
	stat, err := os.ReadFile(filepath.Join("/proc", pid, "stat"))
	if err != nil {
		return 0, err
	}
	// The second field, the name, may hold blanks; utime and stime are the
	// 12th and 13th behind it.
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) < 13 {
		return 0, fmt.Errorf("/proc/%s/stat has %d fields", pid, len(fields))
	}
	var ticks int64
	for _, field := range fields[11:13] {
		n, err := strconv.ParseInt(string(field), 10, 64)
		if err != nil {
			return 0, err
		}
		ticks += n
	}
	return time.Duration(ticks) * time.Second / clockTicks, nil
}
