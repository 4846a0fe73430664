# Sluice. `make help` lists what there is; `make run` and `make test` set up all
# they need by themselves.

WASM    := build/sluice.wasm
SOURCES := $(shell find . -name '*.go' -not -path './build/*') go.mod go.sum
FUZZTIME ?= 30s

.DEFAULT_GOAL := help
.PHONY: help run build test e2e check fuzz bench fit envoy clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z0-9]+:.*## /{printf "  %-8s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

run: build ## start a fake provider and Envoy with envoy.yaml, and print what to try
	@go build -o build/run ./e2e/run
	@exec build/run

build: $(WASM) ## compile the filter to build/sluice.wasm

# The standard compiler makes a reactor of the filter: a library that Envoy calls.
$(WASM): $(SOURCES)
	GOOS=wasip1 GOARCH=wasm go build -buildmode=c-shared -trimpath -ldflags='-s -w' -o $@ ./filter

test: build ## run all tests: unit, property, the wasm in wazero, real Envoy
	go test -timeout 25m ./...

e2e: build ## run the tests in real Envoy only
	go test -timeout 25m -count=1 ./e2e/...

check: build ## format, vet, lint, configurations
	@files=$$(gofmt -l $$(git ls-files '*.go')); [ -z "$$files" ] || { echo "not gofmt'd: $$files"; exit 1; }
	go vet ./...
	GOOS=wasip1 GOARCH=wasm go vet ./filter ./internal/abi ./internal/shareddata ./e2e/testdata/store
	go tool staticcheck ./...
	go run ./cmd/sluice check envoy.yaml examples/*/envoy.yaml examples/platforms/*.json

fuzz: ## run every fuzz target for FUZZTIME (30s)
	@for file in $$(git grep -l '^func Fuzz' -- '*_test.go'); do \
	  for target in $$(sed -n 's/^func \(Fuzz[A-Za-z0-9_]*\).*/\1/p' $$file); do \
	    echo "$$(dirname $$file) $$target"; \
	    go test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) ./$$(dirname $$file) || exit 1; \
	  done; \
	done

bench: build ## what the filter costs: CPU a request and throughput, filter on against off
	go run ./e2e/bench

fit: ## fit the weights of the estimate to DATA, a file of documents with their true counts
	@[ -n "$(DATA)" ] || { echo "make fit DATA=FILE.jsonl.gz: see go doc ./tokens/fit"; exit 1; }
	go run ./tokens/fit -write tokens "$(DATA)"

envoy: ## fetch the pinned Envoy into build/ (ENVOY_VERSION=1.38.2 for another)
	go run ./e2e/envoy/cmd/envoypath

clean: ## remove what was built, the fetched Envoy too
	rm -rf build
