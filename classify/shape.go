package classify

import (
	"strconv"
	"strings"

	"github.com/tidwall/gjson"
)

// readValue reads a value of a body: an object, or the list of them that Gemini
// answers without alt=sse. Depth is how many it is in; in is the name under
// which it stands, "" at the top.
func (x *reading) readValue(v gjson.Result, depth int, in string) {
	if depth > maxDepth {
		return
	}
	n := 0
	switch {
	case v.IsObject():
		x.readObject(v, depth, in)
	case v.IsArray():
		v.ForEach(func(_, element gjson.Result) bool {
			n++
			x.readValue(element, depth+1, in)
			return n < maxEntries && !(in == "" && x.failed)
		})
	case v.Type == gjson.String:
		x.say(v.Str)
	}
}

// readObject reads the members by which providers tell an error.
func (x *reading) readObject(object gjson.Result, depth int, in string) {
	top := in == ""
	answer, code, message := false, "", false
	object.ForEach(func(key, v gjson.Result) bool {
		name := strings.ToLower(key.Str)
		switch name {
		case "error", "errors":
			x.readError(name, v, depth)
		case "message", "msg", "error_msg", "error_message", "status_msg", "error_description", "errmsg", "description":
			message = message || v.Type == gjson.String && v.Str != ""
			x.readMessage(v, depth)
		case "detail":
			x.readValue(v, depth+1, name)
		case "code", "error_code", "errorcode", "errcode", "status_code", "statuscode", "http_code", "http_status":
			if c := x.readCode(name, v); c != "" {
				code = c
			}
		case "provider_error_code", "limit_source":
			x.word(v.String())
		case "type", "__type", "status", "reason", "errortype", "error_type":
			x.readKind(name, v, top)
		case "object":
			x.failed = x.failed || top && v.Str == "error"
			answer = answer || v.Str != "error"
			x.record = x.record || top && isRecord(v.Str)
		case "details", "innererror", "inner_error":
			x.readValue(v, depth+1, name)
		case "violations":
			x.readViolations(v)
		case "metadata":
			x.readMetadata(v, depth)
		case "response": // of a Responses event
			if e := v.Get("error"); top && e.IsObject() {
				x.failed = true
				x.readObject(e, depth+1, "error")
			}
		case "base_resp":
			x.shape.miniMax = true
			if v.Get("status_code").Int() != 0 {
				x.failed = true
				x.readObject(v, depth+1, name)
			}
		case "choices", "output", "content", "candidates", "data", "usage", "result":
			answer = answer || v.Type != gjson.Null
			if name == "choices" {
				x.readChoice(v, depth)
			}
		case "request_id", "requestid":
			if x.requestID == "" {
				x.requestID = v.String()
			}
		default:
			x.readWaitMember(name, v)
			x.own.read(name, v)
		}
		return true
	})
	// A flat error in a 200, as DashScope's streams and Baidu have it.
	if top && !answer && message && code != "" && code != "0" && code != "200" && !strings.EqualFold(code, "success") && !strings.EqualFold(code, "ok") {
		x.failed = true
	}
}

// isRecord says whether an object of OpenAI's API is something that is kept, as a
// batch, whose errors are no refusal of the request for it.
func isRecord(object string) bool {
	switch {
	case object == "", object == "error", object == "response", object == "text_completion":
		return false
	}
	return !strings.HasPrefix(object, "chat.completion")
}

// readError reads the member "error" or "errors".
func (x *reading) readError(name string, v gjson.Result, depth int) {
	switch {
	case v.IsObject(), v.IsArray():
		if len(v.Raw) > len("{ }") {
			x.failed = true
			x.readValue(v, depth+1, name)
		}
	case v.Type == gjson.String && v.Str != "":
		x.failed = true
		x.readMessage(v, depth)
		// Some servers put a code there: "error": "rate_limit_exceeded".
		if !strings.ContainsAny(v.Str, " \n{") {
			x.word(v.Str)
		}
	case v.Type == gjson.True:
		x.failed = true
	}
}

// readMessage reads a text, which may itself be the error of another.
func (x *reading) readMessage(v gjson.Result, depth int) {
	if v.Type != gjson.String {
		x.readValue(v, depth+1, "message")
		return
	}
	x.say(v.Str)
	if x.nestedText == "" && strings.IndexByte(v.Str, '{') >= 0 {
		x.nestedText = clip(v.Str, maxText)
	}
}

// readCode reads a code, which may be a number and may be a status; it returns
// how it is written.
func (x *reading) readCode(name string, v gjson.Result) string {
	if v.Type != gjson.String && v.Type != gjson.Number {
		return ""
	}
	c := v.String()
	if len(c) == len("429") && (c[0] == '4' || c[0] == '5') {
		if n, err := strconv.Atoi(c); err == nil && n >= 400 {
			if x.bodyStatus == 0 {
				x.bodyStatus = n
			}
			return c
		}
	}
	x.word(c)
	if x.code == "" || x.codeIsKind || name == "error_code" {
		x.code, x.codeIsKind = c, false
	}
	return c
}

// readKind reads a type, state or reason.
func (x *reading) readKind(name string, v gjson.Result, top bool) {
	if v.Type == gjson.Number && name == "status" {
		x.readCode(name, v)
		return
	}
	if v.Type != gjson.String {
		return
	}
	w := exceptionName(v.Str)
	if top && name == "type" && (w == "error" || w == "response.failed") {
		x.failed = true
		x.shape.anthropic = w == "error"
		return
	}
	if name == "status" && strings.ToUpper(w) == w {
		x.shape.google = true
	}
	if w == "error" || w == "failed" || w == "fail" {
		return
	}
	x.word(w)
	if x.code == "" && !top {
		x.code, x.codeIsKind = clip(v.Str, maxWord), true
	}
}

// readChoice reads the error that an aggregator puts into a stream's choice.
func (x *reading) readChoice(choices gjson.Result, depth int) {
	choices.ForEach(func(_, choice gjson.Result) bool {
		if e := choice.Get("error"); e.IsObject() {
			x.failed = true
			x.readObject(e, depth+1, "error")
		}
		return false
	})
}
