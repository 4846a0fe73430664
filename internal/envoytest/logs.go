package envoytest

import "slices"

// Level is the level of a log.
type Level uint32

// The levels, as the ABI numbers them.
const (
	Trace Level = iota
	Debug
	Info
	Warn
	Error
	Critical
)

func (l Level) String() string {
	names := [...]string{"trace", "debug", "info", "warn", "error", "critical"}
	if int(l) >= len(names) {
		return "unknown level"
	}
	return names[l]
}

// Log is a line the filter has logged, or written to stdout or stderr, which
// Envoy logs at the levels info and error (P41).
type Log struct {
	Level   Level
	Worker  int
	Message string
}

// Logs returns what has been logged so far, at one of the levels if any are
// given.
func (e *Envoy) Logs(levels ...Level) []Log {
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(levels) == 0 {
		return slices.Clone(e.logs)
	}
	var logs []Log
	for _, log := range e.logs {
		if slices.Contains(levels, log.Level) {
			logs = append(logs, log)
		}
	}
	return logs
}

func (w *worker) log(level uint32, message string) status {
	if Level(level) > Critical {
		return statusBadArgument
	}
	e := w.envoy
	e.mu.Lock()
	e.logs = append(e.logs, Log{Level: Level(level), Worker: w.number, Message: message})
	e.mu.Unlock()
	if Level(level) == Critical && !e.options.AllowCritical {
		e.errorf("critical log: %s", message)
	}
	return statusOK
}
