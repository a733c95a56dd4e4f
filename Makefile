# Two commands matter to a newcomer: `make demo` and `make test`. Both set up what they need.
SHELL := /bin/bash
.DEFAULT_GOAL := help
# Go, which `make e2e` may need, is at its end: its own installer does not put it on everybody's PATH.
export PATH := $(CURDIR)/.tools/bin:$(CURDIR)/node_modules/.bin:$(PATH):/usr/local/go/bin

.PHONY: help setup build demo test test-all mutants verify audit pin-images e2e console-test screenshots compose-test bench bench-compare bench-report bench-catalogs bench-lifecycle bench-metas bench-up bench-console bench-hostile bench-trust bench-baseline bench-fleet bench-isolation chaos corpus tables format clean
.PHONY: dist release site

help: ## what can be made
	@sed -n 's/^\([a-z0-9-]*\):.*## /  make \1\t/p' $(MAKEFILE_LIST) | expand -t 20

# Needs come first: what a target lacks is named, with the command for this system, before anything is fetched or built.
needs-%:
	@scripts/needs.sh $*

setup: needs-setup ## Node 24 where the machine's is older, and the packages of the lock file
	@scripts/setup.sh

# Types are not checked here but by `make verify`, which also checks those of the tests: each check takes as long as all else.
build: needs-build setup ## compile all apps and libraries into dist/
	@tsc -p tsconfig.build.json
	@git rev-parse HEAD > dist/COMMIT 2>/dev/null || rm -f dist/COMMIT
	@mkdir -p dist/libs/platform/src/registry/grpc && cp -r libs/platform/src/registry/grpc/proto dist/libs/platform/src/registry/grpc/
	@mkdir -p dist/libs/testing/src/cluster/types && cp libs/testing/src/cluster/types/*.json dist/libs/testing/src/cluster/types/
	@$(MAKE) -s dist/programs/flotilla.js dist/console/index.html

# The services and the command, each with the packages that it uses: a start takes less than half of the time.
dist/programs/flotilla.js: $(shell find apps libs -name '*.ts' -not -name '*.spec.ts' -not -name '*.fixture.ts') libs/platform/src/registry/grpc/proto \
  package-lock.json tsconfig.json scripts/bundle-programs.ts scripts/program-entries.ts
	@node scripts/bundle-programs.ts

# The pages of the console, compressed, and held to their budgets of size.
dist/console/index.html: $(shell find apps/console/web -type f) package-lock.json tsconfig.web.json scripts/build-pages.ts
	@node scripts/build-pages.ts

demo: needs-demo build ## two simulated clusters, a registry, an install and an upgrade; KEEP=1 to leave it running, REDIS=1 with the services as processes around a Redis
	@bin/flotilla demo $(if $(KEEP),--keep) $(if $(REDIS),--distributed)

# Exit code 3 of needs.sh: what needs Redis cannot run.
# make gives ONLY and CHANGED of its command line to the recipe's environment, whatever quotes they hold.
RUN_TESTS = scripts/needs.sh $@; code=$$?; [ $$code = 0 ] || [ $$code = 3 ] || exit $$code; $(MAKE) -s setup && \
  FLOTILLA_TESTS_WITHOUT_REDIS=$$([ $$code = 3 ] && echo 1) node scripts/tests/run-tests.ts

test: ## tests that need Node and Redis alone, one of each kind; ONLY=PATH-OR-TEXT, CHANGED=1 or CHANGED=COMMIT
	@$(RUN_TESTS) unit integration

test-all: ## the same and all others that need no more: whole stories, kills, faults; REST=1 leaves out those of make test
	@$(RUN_TESTS) $(if $(REST),,unit integration) extended

# It changes files: in a checkout of its own.
mutants: needs-mutants build ## random mutants of the libraries, and which suite finds each: SEED=, COUNT=30, FROM=1; an hour or more
	@node scripts/tests/try-mutants.ts $(if $(SEED),--seed $(SEED)) $(if $(COUNT),--count $(COUNT)) $(if $(FROM),--from $(FROM))

verify: needs-verify setup ## format, lint, types, import rule, plain English
	@node scripts/plain-english.ts && node scripts/english/check-english.ts
	@biome ci --colors=off --diagnostic-level=warn . && tsc --noEmit -p tsconfig.json && tsc -p tsconfig.web.json && depcruise --config .dependency-cruiser.cjs apps libs && depcruise --config .dependency-cruiser.folders.cjs apps libs

audit: needs-audit build ## advisories, licences and hashes of the packages, and a bill of materials; ADVISORIES=FILE asks an export of OSV
	@node dist/scripts/audit.js $(if $(UNCHECKED),--allow-unchecked) $(if $(ADVISORIES),--advisories '$(ADVISORIES)')

dist: needs-dist build ## the files of a release in dist/release: npm package, chart, manifests, krew, man pages; RELEASE_URL=https://… where they will be, KEY=FILE signs
	@node dist/scripts/make-dist.js $(if $(RELEASE_URL),--url '$(RELEASE_URL)') $(if $(KEY),--key '$(KEY)')

site: needs-site build ## the pages of docs as a site in dist/site, with search, which needs no server and no network
	@node dist/scripts/make-site.js $(if $(EDIT),--edit '$(EDIT)') $(foreach one,$(VERSIONS),--version '$(one)')

release: needs-release build ## a new version: VERSION=1.2.3 writes it into every file that names it, and moves the entries of changes into the changelog
	@node dist/scripts/make-release.js '$(VERSION)'

pin-images: needs-pin-images build ## write the digests of the base images into Dockerfile, compose and k8s
	@node dist/scripts/pin-images.js

# Two files at once: most of their time is waiting for a server, and each has clusters, Redis and ports of its own.
e2e: needs-e2e build ## the end-to-end suite on a real kube-apiserver; ROLE=apply-listed: with appliers that may write listed kinds alone
	@node dist/scripts/prepare-e2e.js
	@$(if $(ROLE),FLOTILLA_TEST_ROLE='$(ROLE)') vitest run --project e2e --maxWorkers=2

console-test: needs-console-test build ## the pages of the console in Chromium (FLOTILLA_CHROMIUM, or Debian's): tasks, keyboard, axe, hostile rows
	@vitest run --project console

screenshots: needs-screenshots build ## the pictures of docs/console.md, from a fleet and a clock that stand still (Chromium)
	@FLOTILLA_PICTURES=docs/images/console vitest run --project console test/console/pictures.spec.ts

compose-test: needs-compose-test build ## the image and docker-compose.yml in a Docker engine, which is started where none answers (root, Linux)
	@node dist/scripts/prepare-compose.js
	@vitest run --project compose

bench: needs-bench build ## measurements, each with machine and date; about four minutes
	@node dist/bench/fleet-install.js $(if $(CLUSTERS),--clusters $(CLUSTERS))
	@node dist/bench/resolution.js
	@node dist/bench/extension.js

bench-compare: needs-bench-compare build ## the originals and ours at the same work in turns: OPM=PATH OLM=PATH CATALOGD=PATH OPERATOR_CONTROLLER=PATH; RUNS=5, ONLY=
	@node dist/bench/compare.js $(if $(RUNS),--runs $(RUNS)) $(if $(ONLY),--only '$(ONLY)') $(if $(OPM),--opm '$(OPM)') $(if $(OLM),--olm '$(OLM)') \
	  $(if $(CATALOGD),--catalogd '$(CATALOGD)') $(if $(OPERATOR_CONTROLLER),--operator-controller '$(OPERATOR_CONTROLLER)')

bench-report: needs-bench-report build ## all benches, then one page with plots and raw data in dist/bench-report; ONLY=, RUNS=, OPM=PATH …, FROM=FOLDER; about an hour
	@$(if $(FROM),true,node dist/scripts/prepare-e2e.js)
	@node dist/bench/report.js $(if $(ONLY),--only '$(ONLY)') $(if $(RUNS),--runs $(RUNS)) $(if $(FROM),--from '$(FROM)') $(if $(OPM),--opm '$(OPM)') \
	  $(if $(OLM),--olm '$(OLM)') $(if $(CATALOGD),--catalogd '$(CATALOGD)') $(if $(OPERATOR_CONTROLLER),--operator-controller '$(OPERATOR_CONTROLLER)')

bench-catalogs: needs-bench-catalogs build ## catalogs read, rendered, indexed: time, CPU and memory; about two minutes
	@node dist/bench/catalogs.js $(if $(RUNS),--runs $(RUNS)) $(if $(OPM),--opm $(OPM))

bench-lifecycle: needs-bench-lifecycle build ## installs and upgrades on a real control plane: times, requests, memory; about three minutes
	@node dist/scripts/prepare-e2e.js
	@node dist/bench/lifecycle.js $(if $(RUNS),--runs $(RUNS))
	@node dist/bench/extension-install.js $(if $(RUNS),--runs $(RUNS))

bench-metas: needs-bench-metas build ## questions to catalogs served over HTTP: median and 99th percentile; about one minute
	@node dist/bench/metas.js

bench-up: needs-bench-up build ## memory of `flotilla up` with one simulated cluster: at rest, most, at rest again; about two minutes
	@node dist/bench/up-memory.js

bench-hostile: needs-bench-hostile build ## a hub with a cluster whose API server is hostile: memory, and installs in another cluster; about ten minutes
	@node dist/bench/hostile-cluster.js $(if $(ONLY),--only '$(ONLY)')

bench-trust: needs-bench-trust build ## what the services cost beside those of BASELINE=CHECKOUT, another one that is built; about fifteen minutes
	@node dist/bench/trust-cost.js --baseline '$(BASELINE)' $(if $(PAIRS),--pairs $(PAIRS))

bench-baseline: needs-bench-baseline build ## the same benches of BASELINE=CHECKOUT, another one that is built, and of this one, in turns; RUNS=5, ONLY=; about half an hour
	@node dist/bench/baseline.js --baseline '$(BASELINE)' $(if $(RUNS),--runs $(RUNS)) $(if $(ONLY),--only '$(ONLY)')

bench-fleet: needs-bench-fleet build ## CLUSTERS simulated clusters with OPERATORS each: joined, installed, upgraded, at rest; figures also in JSON=FILE
	@node dist/bench/fleet-upgrade.js $(if $(CLUSTERS),--clusters $(CLUSTERS)) $(if $(OPERATORS),--operators $(OPERATORS)) \
	  $(if $(POLLERS),--pollers $(POLLERS)) $(if $(APPLIERS),--appliers $(APPLIERS)) $(if $(BARE),--bare) $(if $(SCALE),--scale) \
	  $(if $(CHECKOUT),--checkout '$(CHECKOUT)') $(if $(JSON),--json '$(JSON)')

bench-console: needs-bench-console build ## the web console against its budgets: lists, stream, pages (Chromium), memory; CLUSTERS=1000; about eight minutes
	@node dist/bench/console.js $(if $(CLUSTERS),--clusters $(CLUSTERS))

bench-isolation: needs-bench-isolation build ## the same upgrade without and beside troubled clusters: CLUSTERS=100 in all; about eight minutes
	@node dist/bench/isolation.js $(if $(CLUSTERS),--clusters $(CLUSTERS)) $(if $(PAIRS),--pairs $(PAIRS))

chaos: needs-chaos build ## faults at random on a fleet at work, the same end as without them; SEED=, SECONDS=600, CLUSTERS=12, ONLY=, TRACE=1, ONE_PROCESS=1
	@$(if $(ONE_PROCESS),,node dist/scripts/prepare-redis.js)
	@node dist/test/chaos/chaos.js $(if $(SEED),--seed $(SEED)) $(if $(SECONDS),--seconds $(SECONDS)) $(if $(CLUSTERS),--clusters $(CLUSTERS)) \
	  $(if $(ONLY),--only '$(ONLY)') $(if $(TRACE),--trace) $(if $(ONE_PROCESS),--one-process)

corpus: needs-corpus build ## 2,000 made bundles and catalogs with every oddity of the field, validated, rendered, planned, installed; SEED=, COUNT=, ONLY=
	@node dist/test/corpus/corpus.js $(if $(SEED),--seed $(SEED)) $(if $(COUNT),--count $(COUNT)) $(if $(ONLY),--only '$(ONLY)')

tables: needs-tables setup ## write the index of decisions and the tables of folders
	@node scripts/write-tables.ts

format: needs-format setup ## rewrite files in our format
	@biome check --write .

clean: ## forget what was built
	@rm -rf dist
