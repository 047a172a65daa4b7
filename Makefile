# SPDX-License-Identifier: MIT
# The front door: `make help`.  Meson and ninja do the work in $(BUILD).

BUILD  ?= build
PREFIX ?= /usr/local
DESTDIR ?=
# A pattern (grep -E) that picks tests by name: make test T=unit/
T ?=
# How many tests run at a time: make test J=1.  As many as there are CPUs by default.
J ?=
JOBS = $(if $(J),-j $(J))
# Given on the command line or in the environment only; make's own default cc
# is not a choice.
ifeq ($(origin CC),default)
CC := gcc
endif
ifeq ($(origin CXX),default)
CXX := $(if $(findstring clang,$(CC)),clang++,g++)
endif
MESON_FLAGS := -Dwerror=true
NINJA := ninja -C
, := ,

# What meson globs for at configure time; $(1)/.files remembers it.
GLOBBED = find tests docs examples bench -name '*.[ch]' -o -name '*.cpp' \
	-o -name '*.[1-8]' -o -type d 2>/dev/null | LC_ALL=C sort

# $(call configure,DIR,FLAGS): set DIR up once, again when files came or went.
define configure
	@mkdir -p $(1)
	@$(GLOBBED) >$(1)/.files.now
	@if [ ! -e $(1)/build.ninja ] || [ "$$(cat $(1)/.cc)" != '$(CC)' ]; then \
		rm -rf $(1)/meson-* $(1)/build.ninja; \
		CC='$(CC)' CXX='$(CXX)' meson setup $(1) \
			$(MESON_FLAGS) $(2) || exit 1; \
		echo '$(CC)' >$(1)/.cc; \
	elif ! cmp -s $(1)/.files.now $(1)/.files; then \
		meson setup --reconfigure $(1) >$(1)/.reconfigure.log || \
			{ cat $(1)/.reconfigure.log; exit 1; }; \
	fi
	@mv $(1)/.files.now $(1)/.files
endef

# ninja runs jobs in parallel; targets here run one after the other.
.NOTPARALLEL:

# Builds, and nothing else: if packages are missing it names them.
.PHONY: all
all: check build

.PHONY: check
check:
	@tools/setup --check

.PHONY: build
build:
	$(call configure,$(BUILD),)
	@$(NINJA) $(BUILD)

.PHONY: setup
setup:
	@tools/setup

# The browser that tests/cli/view_browser.sh opens pages with: about 300 MB.
.PHONY: setup-view
setup-view:
	@tools/setup --view

.PHONY: demo
demo: setup build
	@ULF_BUILD='$(CURDIR)/$(BUILD)' tools/demo

.PHONY: test
test: setup build
	@tools/setup --sources $(BUILD)/sources
	@tests/run $(JOBS) -b $(BUILD) $(if $(T),'$(T)')

# The kernel's own trace headers and self-tests.  make test runs them too where it
# can: docs/CONFORMANCE.md.
.PHONY: conformance
conformance: setup build
	@tools/setup --conformance
	@tests/run $(JOBS) -b $(BUILD) '$(or $(T),^conformance/)'; status=$$?; \
		sed -n '/^| directory/,/^| all/p' 2>/dev/null \
			$(BUILD)/test-logs/conformance/selftests.sh.log; exit $$status

.PHONY: torture
torture: setup build
	@tests/run $(JOBS) -b $(BUILD) -l '$(or $(T),^(torture|fuzz|load)/|^runtime/(ring_|death_|full|hostile|patch_stress)|test_server_hostile|function/graph_unusual)'

# Programs of Debian at work while everything in them is traced: docs/PROOF.md.
.PHONY: proof
proof: setup build
	@tools/setup --proof $(BUILD)/proof
	@tests/run $(JOBS) -b $(BUILD) -l '$(or $(T),^proof/)'

.PHONY: bench
bench:
	@tools/setup --bench
	$(call configure,$(BUILD),)
	@if [ ! -e $(BUILD)/bench/bench_lttng ] && \
	    pkg-config --exists lttng-ust; then \
		meson setup --reconfigure $(BUILD) >/dev/null; \
	fi
	@$(NINJA) $(BUILD)
	@bench/run $(BUILD); status=$$?; \
		bench/many $(BUILD) && bench/moved $(BUILD) && bench/redis $(BUILD) && \
		bench/report $(BUILD) && \
		exit $$status

.PHONY: bench-sqlite
bench-sqlite: setup build
	@bench/sqlite $(BUILD)

.PHONY: bench-record
bench-record: build
	@tools/setup --bench
	@bench/record $(BUILD)

# Instrumented builds live next to the ordinary one.
.PHONY: asan
asan: setup
	$(call configure,build-asan,-Db_sanitize=address$(,)undefined \
		-Db_lundef=false \
		-Dc_args=-fno-sanitize-recover=undefined \
		-Dcpp_args=-fno-sanitize-recover=undefined)
	@$(NINJA) build-asan
	@tests/run $(JOBS) -b build-asan -s address \
		'$(or $(T),^(unit|fuzz|torture|runtime|lang|cli|tracefs)/)'

.PHONY: tsan
tsan: setup
	$(call configure,build-tsan,-Db_sanitize=thread -Db_lundef=false \
		-Dc_args=-Wno-tsan)
	@$(NINJA) build-tsan
	@tests/run $(JOBS) -b build-tsan -s thread '$(or $(T),^(unit|fuzz|torture|runtime)/)'

# Tools of others look at the sources.  Their packages are no part of make setup.
.PHONY: lint
lint:
	@tools/setup --check-lint
	@tools/lint

# Formats the C sources by .clang-format.
.PHONY: format
format:
	@tools/setup --check-lint
	@tools/format

# Compiles what is installed and nothing else; nothing at all after `make`, unless
# PREFIX is another one than before.
.PHONY: install
install: check
	@tools/install --check '$(PREFIX)'
	@tools/install --as-owner '$(BUILD)' $(MAKE) --no-print-directory \
		installed PREFIX='$(PREFIX)'
	@tools/install '$(BUILD)' '$(PREFIX)' '$(DESTDIR)'

.PHONY: installed
installed:
	$(call configure,$(BUILD),-Dprefix='$(PREFIX)')
	@grep -qF '"name": "prefix", "value": "$(PREFIX)"' \
		$(BUILD)/meson-info/intro-buildoptions.json || \
		meson configure $(BUILD) -Dprefix='$(PREFIX)'
	@$(NINJA) $(BUILD) installed

.PHONY: uninstall
uninstall:
	@tools/install --uninstall '$(PREFIX)' '$(DESTDIR)'

# Packages for Debian, and what installs them in a fresh Debian: tests/build/deb.sh.
.PHONY: deb
deb:
	@tools/setup --check-deb
	@tools/deb '$(BUILD)/deb'

.PHONY: test-deb
test-deb: setup build
	@tools/setup --deb
	@tools/deb '$(BUILD)/deb'
	@tools/deb --tree '$(BUILD)/deb'
	@tests/run -b $(BUILD) '^build/deb\.sh'

.PHONY: clean
clean:
	@rm -rf build build-asan build-tsan '$(BUILD)'

.PHONY: help
help:
	@echo 'make            build into $(BUILD)/, or name the Debian packages that are missing'
	@echo 'make setup      install these packages'
	@echo 'make setup-view install the browser with which tests look at pages of ulf view'
	@echo 'make demo       a guided tour: the sample program, traced'
	@echo 'make test       build and run all tests; T=PATTERN for some, J=N for N at a time'
	@echo 'make conformance the kernel'\''s own trace headers and self-tests'
	@echo 'make torture    the long form of the torture, fuzz and load tests'
	@echo 'make proof      programs of Debian at work while all of them is traced'
	@echo 'make bench      the cost of an event, next to its peers'
	@echo 'make bench-sqlite the cost of tracing a real program, which it fetches'
	@echo 'make bench-record what a recording of all functions of SQLite costs, beside uftrace'
	@echo 'make asan       tests under AddressSanitizer and UBSan, in build-asan/'
	@echo 'make tsan       tests under ThreadSanitizer, in build-tsan/'
	@echo 'make lint       cppcheck, shellcheck, format; names their packages if they are missing'
	@echo 'make format     format the C sources by .clang-format'
	@echo 'make deb        Debian packages, into $(BUILD)/deb'
	@echo 'make test-deb   and install, use and remove them in a fresh Debian; needs root'
	@echo 'make install    build what is needed and install it; PREFIX=$(PREFIX) DESTDIR=$(DESTDIR)'
	@echo 'make uninstall  remove what make install installed there'
	@echo 'make clean      remove what was built'
	@echo
	@echo 'Another compiler: make CC=clang BUILD=build-clang'
