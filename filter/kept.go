package main

// maxKept bounds how many bytes of bodies that pass by the streams of a worker
// keep, all together: a VM has 1 GiB, and who sends many large bodies at once,
// or reads as many slowly, must not end it (P45). What goes beyond that is not
// read: of a request the length tells, of an answer its end.
const maxKept = 128 << 20

// keep counts what a stream keeps now, and says whether that is too much.
func (s *stream) keep(bytes int) (tooMuch bool) {
	s.p.kept += bytes - s.kept
	s.kept = bytes
	return s.p.kept > maxKept
}

// keeps is what the stream keeps of its request and of the answer to it.
func (s *stream) keeps() int {
	return len(s.requestBody.bytes) + len(s.reply.body.bytes) + s.answer.kept()
}
