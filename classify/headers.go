package classify

import (
	"strconv"
	"strings"
	"time"
)

// upstream is a stand-in.
type upstream struct {
	Wait    time.Duration
	HasWait bool
	empty   time.Duration
	isEmpty bool
}

func (u *upstream) EmptyReset() (time.Duration, bool) { return u.empty, u.isEmpty }

func (x *reading) readHeaders() *upstream {
	u := &upstream{}
	for _, h := range x.response.Headers {
		switch h[0] {
		case "retry-after":
			if n, err := strconv.ParseFloat(h[1], 64); err == nil && n >= 0 {
				u.Wait, u.HasWait = time.Duration(n*float64(time.Second)), true
			}
		case "x-ratelimit-reset":
			if n, err := strconv.ParseFloat(h[1], 64); err == nil && n > 0 {
				u.empty, u.isEmpty = time.Duration(n*float64(time.Second)), true
			}
		}
		if d, ok := strings.CutSuffix(h[0], "-remaining"); ok && h[1] == "0" {
			if t, err := time.Parse(time.RFC3339, header(x.response.Headers, d+"-reset")); err == nil {
				u.empty, u.isEmpty = x.until(t)
			}
		}
	}
	return u
}
