# Two commands: `make run` starts everything, `make test` proves it. Nothing else is needed
# before either of them than make, git and Python 3.11 to 3.13.
#   make run   [PORT=8000] [LAN=1] [DEMO=0] [DATABASE_URL=...] [REDIS_URL=...]
#   make test  [ARGS="-k words"]      make soak: the same with full sizes
#   make bench [ARGS="--quick --json"]   make lint   make demo [ARGS="--players 32"]

PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11; do \
	$$p -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' 2>/dev/null \
	&& { command -v $$p; break; }; done)
IN := .venv/bin/python

.PHONY: run test soak bench lint demo product gates
.SILENT:
.NOTPARALLEL:

run: product
	exec $(IN) -m tools.run

test: gates
	exec $(IN) -m tools.test $(ARGS)

soak: gates
	SOAK=1 exec $(IN) -m tools.test $(ARGS)

lint: gates
	exec $(IN) -m tools.test --lint-only

bench: gates
	exec $(IN) -m bench.run $(ARGS)

demo: product
	exec $(IN) manage.py demo $(ARGS)

product gates:
	test -n "$(PYTHON)" || { echo "Python 3.11, 3.12 or 3.13 is needed (say PYTHON=/path/to/it)." >&2; exit 1; }
	"$(PYTHON)" tools/bootstrap.py --for $@
