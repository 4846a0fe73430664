package e2e

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"

	"sluice/e2e/envoy"
	"sluice/limits"
)

// However many keys there are, a table holds as many as it is made for: what
// comes beyond shares a counter, and whoever is known keeps the own one. With a
// million keys: go run ./e2e/subjects.
func TestManySubjectsAreBounded(t *testing.T) {
	const keys, room, senders = 30_000, 1000, 8
	const buckets, most = 64, 40 // of the table, and records of one, see limits/depth.go
	plugin := buildPlugin(t, "./e2e/testdata/store")
	g := startGateway(t, setup{own: true, concurrency: 2, edit: func(b *envoy.Bootstrap) { storeInFront(b, plugin) }, config: fmt.Sprintf(`{
		"state": {"namespace": "subjects", "max_subjects": %d},
		"limits": [{"name": "rph", "scope": ["key"], "dimension": "requests", "limit": 3, "window": "24h"}]}`, room)})
	send := func(key string) (response, error) {
		return g.try(t, request{key: key, method: "GET", path: "/v1/models", body: "-"})
	}
	exhaust := func() {
		t.Helper()
		res, err := send("exhausted")
		if err != nil || res.status != http.StatusTooManyRequests {
			t.Fatalf("the exhausted key: %v %d", err, res.status)
		}
	}
	for range 3 {
		if res, err := send("exhausted"); err != nil || res.status != http.StatusOK {
			t.Fatalf("%v %d", err, res.status)
		}
	}
	exhaust()

	var next, admitted atomic.Int64
	flood := func(upTo int64) {
		var all sync.WaitGroup
		for range senders {
			all.Go(func() {
				for {
					n := next.Add(1)
					if n > upTo {
						return
					}
					res, err := send(fmt.Sprintf("key-%d", n))
					switch {
					case err != nil:
						t.Error(err)
						return
					case res.status == http.StatusOK:
						admitted.Add(1)
					case res.status != http.StatusTooManyRequests:
						t.Errorf("%d %s", res.status, res.body)
						return
					}
				}
			})
		}
		all.Wait()
		next.Store(upTo)
	}
	flood(keys / 5)
	exhaust()
	early := g.rss(t)
	flood(keys)
	exhaust()
	late := g.rss(t)
	t.Logf("%d keys, %d admitted; RSS %d MiB after a fifth of them, %d MiB after all", keys, admitted.Load(), early>>20, late>>20)

	// The overflow admits its three.
	if n := admitted.Load(); n < room || n > buckets*most+3 {
		t.Errorf("%d of %d keys had a counter of their own, with room for %d", n, keys, room)
	}
	// Envoy lists no keys, but their names are those of the table's places.
	store, size := remoteStore{g.url, g.client}, 0
	place := func(name any) (present bool) {
		value, _, err := store.Get(fmt.Appendf(nil, "sluice/1/subjects/key/%v", name))
		if err != nil && !errors.Is(err, limits.ErrNotFound) {
			t.Fatal(err)
		}
		size += len(value)
		return err == nil
	}
	for i := range buckets {
		if !place(i) {
			t.Errorf("nothing is in place %d of %d: are they named otherwise?", i, buckets)
		}
	}
	if !place("overflow") || place(buckets) {
		t.Error("there is no overflow, or a place too many")
	}
	t.Logf("%d keys in shared data, %d bytes", buckets+1, size)
	if size > (buckets+1)*40*200 {
		t.Errorf("the table has grown to %d bytes", size)
	}
	if late > early+early/4 {
		t.Errorf("memory grows with keys: %d MiB, then %d MiB", early>>20, late>>20)
	}
}

// storeInFront puts a plug-in that opens the shared data in front of the filter
// that counts there.
func storeInFront(b *envoy.Bootstrap, plugin string) {
	type object = map[string]any
	b.Each("HttpConnectionManager", func(manager object) {
		filters := manager["http_filters"].([]any)
		filter := maps.Clone(filters[0].(object))
		typed := maps.Clone(filter["typed_config"].(object))
		config := maps.Clone(typed["config"].(object))
		vm := maps.Clone(config["vm_config"].(object))
		vm["code"] = object{"local": object{"filename": plugin}}
		config["name"], config["vm_config"] = "store", vm
		filter["name"], typed["config"], filter["typed_config"] = "store", config, typed
		manager["http_filters"] = append([]any{filter}, filters...)
	})
}
