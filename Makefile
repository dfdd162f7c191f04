# The CUDA version whose headers and NVRTC `make setup` downloads, such as 12.4 or 13.0.
CUDA ?=
PYTHON ?= python3
CARGO ?= cargo

.PHONY: help setup pins demo test fuzz loading lto stranger bench check bundle headers tsan mutants package semver aarch64 windows launch-cost wheel wheel-test cudarc deny

help:
	@echo "make setup    download CUDA headers, NVRTC and libclang (CUDA=12.4: another version than 13.0)"
	@echo "make pins     pin the newest versions for make setup (scripts/pins)"
	@echo "make demo     build and run the main example"
	@echo "make test     build and run all tests"
	@echo "make fuzz     run random programs of the safe API for an hour (SECONDS=60, START=first seed, SEED=one program)"
	@echo "make bench    build and run the benches (without a GPU: ARGS='--features emulator')"
	@echo "make launch-cost  measure the overhead of the safe layer for a launch, with a driver that returns immediately"
	@echo "make check    check formatting, lints, documentation, licences and imports"
	@echo "make bundle   pack all programs into one archive, for a GPU machine without Rust"
	@echo "make tsan     run the emulator's tests under ThreadSanitizer (see scripts/tsan.sh)"
	@echo "make aarch64  compile everything for aarch64, and run tests under QEMU (see scripts/aarch64.sh)"
	@echo "make windows  compile everything for Windows, and run tests and examples under Wine (see scripts/windows.sh)"
	@echo "make mutants  change the sources in many small ways, and list changes that no test notices (days, ARGS='-p cuda-safe --shard 1/50')"
	@echo "make package  pack, build and document every crate as crates.io and docs.rs do (ARGS=--quick: only pack)"
	@echo "make semver   compare the public API with that of a commit (BASE=commit, needs cargo-semver-checks)"
	@echo "make headers  build and test cuda-sys with the headers of CUDA 12.0 to the newest"
	@echo "make loading  run tests of features that change the whole build: dynamic-loading, and no bindgen"
	@echo "make lto      run tests of link-time optimization, with nvJitLink, which it downloads (40 MB)"
	@echo "make wheel    build the emulator's Python wheel (wheel-test: also run numba-cuda and cuda.core with it, downloads 300 MB)"
	@echo "make cudarc   test the exchange with cudarc, which is outside the workspace"
	@echo "make deny     check licences, advisories, sources and duplicates of all crates (needs cargo-deny)"
	@echo "make stranger build and run a crate outside the repository, without headers, libclang, Python or a driver"

setup:
	@$(PYTHON) scripts/setup.py --cuda "$(CUDA)"

# Pins the newest versions of the default set, with hashes. Commit them after all tests have passed with them.
pins:
	$(PYTHON) scripts/pins.py

demo: setup
	$(CARGO) run --locked --release --example quickstart

test: setup
	$(CARGO) test --locked --workspace

# `make test` runs 1500 programs of the fuzzer. See cuda-safe/tests/fuzz/README.md.
fuzz: SECONDS := 3600
fuzz: START := $(shell date +%s)000
fuzz: setup
	@echo "fuzz: $(if $(SEED),seed $(SEED),$(SECONDS) seconds from seed $(START) on)"
	CUDA_FUZZ_SECONDS=$(SECONDS) CUDA_FUZZ_START=$(START) $(if $(SEED),CUDA_FUZZ_SEED=$(SEED)) $(if $(KEEP),CUDA_FUZZ_KEEP=$(KEEP)) \
		$(CARGO) test --locked -p cuda-safe --test fuzz random_programs $(ARGS) -- --nocapture

# Not part of test, because these features change the whole build.
loading: setup
	$(CARGO) test --locked -p cuda-direct-sys --no-default-features --features nvrtc --lib --test failures --test locate
	$(CARGO) test --locked -p cuda-direct-sys --features dynamic-loading --lib --test opened
	$(CARGO) test --locked -p cuda-safe --features dynamic-loading --test driverless --test loading

# Not part of test, because nvJitLink is large and nothing else needs it.
lto: setup
	$(PYTHON) scripts/setup.py --nvjitlink
	CUDA_SAFE_LIBNVJITLINK="$$($(PYTHON) scripts/setup.py --nvjitlink)" $(CARGO) test --locked -p cuda-safe --test jit_link \
		--config 'profile.dev.package.cuda-emulator-engine.opt-level=1' -- --include-ignored

# Does not use anything that make setup installs.
stranger:
	scripts/stranger.sh

# Not part of test, because it builds the emulator with optimization.
wheel:
	$(PYTHON) scripts/wheel.py

# Not part of test, because it downloads the clients.
wheel-test:
	$(PYTHON) scripts/wheel.py --test

# A workspace of its own, so that no other build needs cudarc.
cudarc: setup
	cd cuda-safe-cudarc && $(CARGO) test --locked --features cuda-12000,dynamic-loading
	cd cuda-safe-cudarc && $(CARGO) clippy --locked --all-targets --features cuda-12000,dynamic-loading -- -D warnings
	cd cuda-safe-cudarc && RUSTDOCFLAGS="-D warnings" $(CARGO) doc --locked --no-deps --features cuda-12000
	cd cuda-safe-cudarc && $(CARGO) fmt --check

# Reads deny.toml, and fetches the advisories: OFFLINE=--offline uses those of the last time.
deny:
	@$(CARGO) deny --version || { echo "Fix: cargo install --locked cargo-deny" >&2; exit 1; }
	$(CARGO) deny --locked --workspace $(OFFLINE) check
	$(CARGO) deny --locked $(OFFLINE) --manifest-path cuda-safe-cudarc/Cargo.toml --config deny.toml check

bench: setup
	$(CARGO) bench --locked $(ARGS)
	$(PYTHON) scripts/bench_summary.py

launch-cost: setup
	scripts/launch_cost.sh

check: setup
	$(CARGO) fmt --all --check
	$(CARGO) clippy --locked --workspace --all-targets -- -D warnings
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --locked --workspace --no-deps --features cuda-safe/opengl
	$(PYTHON) scripts/check_docs.py
	$(PYTHON) scripts/licences.py
	$(PYTHON) scripts/coverage.py
	$(PYTHON) scripts/rooms.py --test
	$(PYTHON) scripts/rooms.py
	$(PYTHON) -m unittest discover --quiet scripts

bundle: setup
	$(PYTHON) scripts/bundle.py

# Publishes nothing. Needs no network except for the crates of Cargo.lock.
package:
	$(PYTHON) scripts/package.py $(ARGS)

# Not part of check, because building the tool takes a quarter of an hour, and there is no release to be compatible with.
semver:
	scripts/semver.sh $(BASE)

# Finds data races in the emulator. Not part of check, because it needs the standard library's sources: see the script.
tsan: setup
	scripts/tsan.sh $(if $(DEBIAN),--debian $(DEBIAN))

# Not part of check, because it needs a cross compiler and QEMU: see the script. Does not use anything that make setup
# installs.
aarch64:
	scripts/aarch64.sh $(ARGS)

# Not part of check, because it needs a cross compiler and Wine: see the script. Does not use anything that make setup
# installs.
windows:
	scripts/windows.sh $(ARGS)

# Packages whose tests run for the mutants of another package. By default, only the package's own tests run.
TESTS_cuda-emulator := cuda-emulator cuda-emulator-checks
TESTS_cuda-emulator-engine := cuda-emulator-engine cuda-emulator-checks cuda-conformance
TESTS_cuda-compute-macros := cuda-compute-macros cuda-compute

# Not part of check, because it takes days. See .cargo/mutants.toml.
mutants: setup
	@$(CARGO) mutants --version || { echo "Fix: cargo install --locked cargo-mutants" >&2; exit 1; }
	$(CARGO) mutants $(ARGS) $(foreach package,$(filter cuda-%,$(ARGS)),$(addprefix --test-package=,$(TESTS_$(package))))

headers: setup
	scripts/check-headers.sh
