// This file is empty on purpose. The go command lets the compiler accept
// functions without a body, which //go:linkname needs, only in a package that
// has at least one assembly file.
