package fakellm

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"
	"time"
)

// errCut says that the script cut the answer off.
var errCut = errors.New("cut by the script")

// answer is a response ready to be written: its parts are flushed one by one.
type answer struct {
	status int
	header http.Header
	parts  []string
}

// write sends the answer at the pace that the script sets, and returns an error
// where the client left or the script cut it off.
func (a answer) write(ctx context.Context, w http.ResponseWriter, s Script) error {
	if err := pause(ctx, s.Delay, nil); err != nil {
		return err
	}

	out := &flusher{w: w, control: http.NewResponseController(w)}
	if s.Gzip {
		a.header.Set("Content-Encoding", "gzip")
		out.gzip = gzip.NewWriter(&out.zipped)
	} else if len(a.parts) == 1 {
		a.header.Set("Content-Length", strconv.Itoa(len(a.parts[0])))
	}
	for name, values := range a.header {
		w.Header()[name] = values
	}
	w.WriteHeader(a.status)

	for i, part := range a.parts {
		if i > 0 {
			if err := pause(ctx, s.ChunkDelay, s.Gate); err != nil {
				return err
			}
		}
		if err := out.send(part); err != nil {
			return err
		}
		if i+1 == s.CutAfter {
			return errCut
		}
	}
	if err := out.close(); err != nil {
		return err
	}
	for name, values := range s.Trailer {
		w.Header()[http.TrailerPrefix+name] = values
	}
	return ctx.Err()
}

// pause waits for the delay and then for the gate, if there is one, but no
// longer than the client.
func pause(ctx context.Context, delay time.Duration, gate <-chan struct{}) error {
	if delay > 0 {
		select {
		case <-time.After(delay):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	if gate != nil {
		select {
		case <-gate:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return ctx.Err()
}

// flusher writes each part at once, compressed if need be.
type flusher struct {
	w       http.ResponseWriter
	control *http.ResponseController
	gzip    *gzip.Writer // nil: plain
	zipped  bytes.Buffer
}

func (f *flusher) send(part string) error {
	if f.gzip != nil {
		io.WriteString(f.gzip, part) //nolint:errcheck // It writes to memory.
		f.gzip.Flush()               //nolint:errcheck // It writes to memory.
		part = f.zipped.String()
		f.zipped.Reset()
	}
	if _, err := io.WriteString(f.w, part); err != nil {
		return err
	}
	return f.control.Flush()
}

func (f *flusher) close() error {
	if f.gzip == nil {
		return nil
	}
	f.gzip.Close() //nolint:errcheck // It writes to memory.
	if _, err := f.w.Write(f.zipped.Bytes()); err != nil {
		return err
	}
	return f.control.Flush()
}
