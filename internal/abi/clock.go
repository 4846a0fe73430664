//go:build !wasip1 || tinygo

package abi

import "time"

// Now is the time.
func Now() time.Time { return time.Now() }
