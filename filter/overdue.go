package main

import (
	"time"

	"github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm"
	"github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm/types"
)

// replies are the streams whose response headers wait for a body. An upstream
// may stall in it, or never end it.
type replies struct {
	waiting map[uint32]*stream
}

// replyPatience is how long headers wait for a body, at least. Timers tick once
// a second.
const replyPatience = 2 * time.Second

func (r *replies) wait(s *stream, now time.Time) {
	if r.waiting == nil {
		r.waiting = make(map[uint32]*stream)
	}
	s.reply.since = now
	r.waiting[s.id] = s
}

// gone ends the wait of a stream.
func (r *replies) gone(s *stream) { delete(r.waiting, s.id) }

// judgeOverdue goes on with the responses that have waited for too long: by what
// their headers say.
func (p *plugin) judgeOverdue() {
	now := p.now()
	for id, s := range p.replies.waiting {
		waited := now.Sub(s.reply.since)
		if waited >= 0 && waited < replyPatience {
			continue
		}
		delete(p.replies.waiting, id)
		if proxywasm.SetEffectiveContext(id) == nil && s.overdue() == types.ActionContinue {
			p.check(proxywasm.ResumeHttpResponse())
		}
	}
}

// overdue decides a response without the body that its headers waited for.
func (s *stream) overdue() (action types.Action) {
	defer s.recover(&action)
	switch s.reply.state {
	case awaitingBody:
		return s.judge(nil, headersOnly)
	case awaitingFirst:
		s.reply.state = watched
		return types.ActionContinue
	}
	return types.ActionPause // it does not wait any more
}
