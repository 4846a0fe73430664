// Command envoypath prints the path of the Envoy binary that the tests and make
// run use, and fetches it if it is not there yet.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"

	"sluice/e2e/envoy"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	path, err := envoy.Path(ctx)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(path)
}
