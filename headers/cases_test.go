package headers

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// recorded is a response as a provider gave it.
type recorded struct {
	ID, Provider, Kind, Notes string
	Status                    int
	Headers                   map[string]string
	RetryAfterSeconds         *float64 `json:"retry_after_seconds"`
	Body                      json.RawMessage
}

func (r recorded) pairs() [][2]string {
	var list [][2]string
	for name, value := range r.Headers {
		list = append(list, [2]string{strings.ToLower(name), value})
	}
	return list
}

// recordings are those of the folder shared beside the project, or that
// SLUICE_SHARED names; where it is absent the test is skipped.
func recordings(t *testing.T) []recorded {
	t.Helper()
	const name = "cases/provider_responses.jsonl"
	candidates := []string{os.Getenv("SLUICE_SHARED")}
	if dir, err := os.Getwd(); err == nil {
		for dir != filepath.Dir(dir) {
			dir = filepath.Dir(dir)
			candidates = append(candidates, filepath.Join(dir, "shared"))
		}
	}
	for _, dir := range candidates {
		f, err := os.Open(filepath.Join(dir, name))
		if dir == "" || err != nil {
			continue
		}
		defer f.Close()
		var all []recorded
		lines := bufio.NewScanner(f)
		lines.Buffer(nil, 1<<24)
		for lines.Scan() {
			var r recorded
			if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
				t.Fatal(err)
			}
			all = append(all, r)
		}
		if err := lines.Err(); err != nil || len(all) == 0 {
			t.Fatalf("%d recordings: %v", len(all), err)
		}
		return all
	}
	t.Skip("there are no recorded responses here")
	return nil
}

// Every number that a recorded response tells of a limit is read.
func TestRecordedNumbersAreRead(t *testing.T) {
	seen := 0
	for _, r := range recordings(t) {
		u := Read(r.pairs(), r.Provider, noon)
		if err := sound(u); err != nil {
			t.Errorf("%s: %v", r.ID, err)
		}
		limits, remaining := map[string]int{}, map[string]int{}
		for _, q := range u.Quotas {
			limits[q.Limit.Text]++
			remaining[q.Remaining.Text]++
		}
		for name, value := range r.Headers {
			name = strings.ToLower(name)
			if !strings.Contains(name, "limit") || !digits(value) {
				continue
			}
			switch f, _ := cutField(strings.TrimPrefix(name[strings.Index(name, "limit"):], "limit-")); {
			case f == limitField && limits[value] == 0, f == remainingField && remaining[value] == 0:
				t.Errorf("%s: %s: %s is not read: %v", r.ID, name, value, u.Quotas)
			case f == limitField, f == remainingField:
				seen++
			}
		}
		if value := r.Headers["retry-after"]; value != "" {
			if want, err := time.ParseDuration(value + "s"); err != nil || u.Wait != want {
				t.Errorf("%s: retry-after: %s is read as %v", r.ID, value, u.Wait)
			}
			seen++
		}
	}
	if seen < 50 {
		t.Errorf("only %d numbers were compared", seen)
	}
}

// Where the headers alone say how long to wait, it is what a careful reader says.
func TestRecordedWaits(t *testing.T) {
	seen := 0
	for _, r := range recordings(t) {
		if r.Kind != "error" {
			continue
		}
		u := Read(r.pairs(), r.Provider, noon)
		wait, ok := u.Wait, u.HasWait
		if !ok && r.Status == 429 {
			wait, _, ok = u.EmptyReset()
		}
		if !ok {
			continue
		}
		seen++
		if r.RetryAfterSeconds == nil || time.Duration(*r.RetryAfterSeconds*float64(time.Second)) != wait {
			t.Errorf("%s: %v", r.ID, wait)
		}
	}
	if seen == 0 {
		t.Error("no recorded refusal has a wait in its headers")
	}
}

// What is shown of a recorded success is of the same window as what it says.
func TestRecordedResets(t *testing.T) {
	seen := 0
	for _, r := range recordings(t) {
		if r.Kind != "success_headers" {
			continue
		}
		u := Read(r.pairs(), r.Provider, noon)
		stated := 0
		for name, value := range r.Headers {
			if strings.Contains(strings.ToLower(name), "reset") && value != "" {
				stated++
			}
		}
		for _, q := range u.Quotas {
			if q.Reset != Unstated {
				stated--
				seen++
			}
			if q.Reset > 24*time.Hour {
				t.Errorf("%s: %s", r.ID, describe(q))
			}
		}
		for _, v := range []string{"ratelimit"} {
			if strings.Contains(r.Headers[v], "t=") {
				stated++
			}
		}
		if stated != 0 {
			t.Errorf("%s: %d resets are not read", r.ID, stated)
		}
	}
	if seen < 20 {
		t.Errorf("only %d resets were compared", seen)
	}
}
