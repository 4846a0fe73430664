// Command fakellm serves a fake language model provider to try a gateway
// against. Package fakellm says what it answers.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"sluice/e2e/fakellm"
)

func main() {
	addr := flag.String("addr", "127.0.0.1:8080", "the address to serve on")
	flag.Parse()
	if err := run(*addr); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run serves until it is interrupted.
func run(addr string) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	provider, err := fakellm.Start(addr)
	if err != nil {
		return err
	}
	fmt.Printf("fake provider on %s\n", provider.URL())
	<-ctx.Done()
	return provider.Close()
}
