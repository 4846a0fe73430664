package envoy

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// Listeners are listeners that can be changed while Envoy runs. Its Bootstrap
// holds nothing but them, to be edited alike.
type Listeners struct {
	Bootstrap
	path    string
	version int // of the last Write
	refused int // updates that Envoy is known to have refused
}

// MoveListeners takes the listeners out of the bootstrap into a file in dir,
// which Envoy watches.
func (b *Bootstrap) MoveListeners(dir string) (*Listeners, error) {
	var resources []any
	for _, listener := range b.listeners() {
		listener["@type"] = "type.googleapis.com/envoy.config.listener.v3.Listener"
		resources = append(resources, listener)
	}
	l := &Listeners{path: filepath.Join(dir, "listeners.json")}
	l.Tree = object{"resources": resources}
	delete(b.Tree["static_resources"].(object), "listeners")
	b.Tree["dynamic_resources"] = object{"lds_config": object{
		"resource_api_version": "V3",
		"path_config_source":   object{"path": l.path, "watched_directory": object{"path": dir}},
	}}
	// Envoy takes dynamic resources only in the name of a node.
	b.Tree["node"] = object{"id": "e2e", "cluster": "e2e"}
	return l, l.Write()
}

// Write hands the listeners to Envoy. It moves a complete file into place, for
// a move is what Envoy watches for. Process.AwaitListeners tells what came of it.
func (l *Listeners) Write() error {
	l.version++
	l.Tree["version_info"] = strconv.Itoa(l.version)
	next := l.path + ".next"
	if err := os.WriteFile(next, encode(l.Tree), 0o600); err != nil {
		return err
	}
	return os.Rename(next, l.path)
}

// AwaitListeners waits until every worker serves the listeners as last written,
// or Envoy has refused them, which is an error in Envoy's own words. Connections
// that are open then stay with the old listeners until they are closed.
func (p *Process) AwaitListeners(ctx context.Context, l *Listeners) error {
	for {
		stat, err := p.listenerStats(ctx)
		if err != nil {
			return err
		}
		if n := stat.number("lds.update_rejected"); n > l.refused {
			l.refused = n
			return p.refusal(ctx)
		}
		// The configuration dump cannot tell whether they serve: after an
		// update in place it shows the old version. The statistics count
		// each worker that took a listener.
		if stat["lds.version_text"] == strconv.Quote(strconv.Itoa(l.version)) &&
			stat.number("total_listeners_warming") == 0 &&
			stat.number("listener_create_success") == p.concurrency*(stat.number("listener_added")+stat.number("listener_modified")) {
			return nil
		}
		select {
		case <-p.exited:
			return errors.New("envoy has ended")
		case <-ctx.Done():
			return fmt.Errorf("listeners, version %d: %w", l.version, ctx.Err())
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// refusal is why Envoy refused the last update.
func (p *Process) refusal(ctx context.Context) error {
	page, err := p.Get(ctx, "/config_dump?resource=dynamic_listeners")
	if err != nil {
		return err
	}
	var dump struct {
		Configs []struct {
			Error struct{ Details string } `json:"error_state"`
		}
	}
	if err := json.Unmarshal([]byte(page), &dump); err != nil {
		return fmt.Errorf("admin /config_dump: %w", err)
	}
	for _, listener := range dump.Configs {
		if listener.Error.Details != "" {
			return errors.New(listener.Error.Details)
		}
	}
	return errors.New("envoy refused the listeners and does not say why")
}

// listenerStats are the statistics of Envoy's listener manager.
type listenerStats map[string]string

func (s listenerStats) number(name string) int {
	n, _ := strconv.Atoi(s[name])
	return n
}

func (p *Process) listenerStats(ctx context.Context) (listenerStats, error) {
	page, err := p.Get(ctx, "/stats?filter=^listener_manager")
	if err != nil {
		return nil, err
	}
	stats := listenerStats{}
	for line := range strings.Lines(page) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		stats[strings.TrimPrefix(name, "listener_manager.")] = value
	}
	return stats, nil
}
