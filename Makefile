# The CUDA version whose headers and NVRTC `make setup` fetches, such as 12.4 or 13.0.
CUDA ?=
PYTHON ?= python3
CARGO ?= cargo

.PHONY: help setup pins demo test fuzz loading lto stranger bench check bundle headers tsan mutants package semver aarch64 launch-cost

help:
	@echo "make setup    fetch CUDA headers, NVRTC and libclang (CUDA=12.4 for another version than 13.0)"
	@echo "make pins     pin what make setup fetches to the newest there is (scripts/pins)"
	@echo "make demo     build and run the main example"
	@echo "make test     build and run all tests"
	@echo "make fuzz     random programs of the safe API for an hour (SECONDS=60, START=first seed, SEED=one program)"
	@echo "make bench    build and run the benches"
	@echo "make launch-cost  what the safe layer adds to a launch, on a driver that returns at once"
	@echo "make check    formatting, lints, documentation, licences"
	@echo "make bundle   put everything that runs into one folder, for a GPU machine without Rust"
	@echo "make tsan     the emulator's tests under ThreadSanitizer (see scripts/tsan.sh)"
	@echo "make aarch64  everything compiles for aarch64, and tests pass on an emulated processor (see scripts/aarch64.sh)"
	@echo "make mutants  change the sources in many small ways, and see whether a test notices (hours; ARGS=--help)"
	@echo "make package  pack, build and document every crate as crates.io and docs.rs would (ARGS=--quick: pack alone)"
	@echo "make semver   what changed in the public API since a commit (BASE=commit; needs cargo-semver-checks)"
	@echo "make headers  build and test cuda-sys with the headers of CUDA 12.0 to the newest"
	@echo "make loading  tests of the features that change a whole build: dynamic-loading, and no bindgen"
	@echo "make lto      tests of link-time optimisation, with nvJitLink, which it fetches (40 MB)"
	@echo "make stranger a crate in a folder of its own, with no headers, libclang, Python or driver, builds and runs"

setup:
	@$(PYTHON) scripts/setup.py --cuda "$(CUDA)"

# The newest versions of the default set, with hashes; commit them after all tests have passed with them.
pins:
	$(PYTHON) scripts/pins.py

demo: setup
	$(CARGO) run --locked --release --example quickstart

test: setup
	$(CARGO) test --locked --workspace

# A minute of it is part of test. See cuda-safe/tests/fuzz/README.md.
fuzz: SECONDS := 3600
fuzz: START := $(shell date +%s)000
fuzz: setup
	@echo "fuzz: $(if $(SEED),seed $(SEED),$(SECONDS) seconds from seed $(START) on)"
	CUDA_FUZZ_SECONDS=$(SECONDS) CUDA_FUZZ_START=$(START) $(if $(SEED),CUDA_FUZZ_SEED=$(SEED)) $(if $(KEEP),CUDA_FUZZ_KEEP=$(KEEP)) \
		$(CARGO) test --locked -p cuda-safe --test fuzz random_programs $(ARGS) -- --nocapture

# Not part of test, because these features change a whole build.
loading: setup
	$(CARGO) test --locked -p cuda-direct-sys --no-default-features --features nvrtc --lib --test failures --test locate
	$(CARGO) test --locked -p cuda-direct-sys --features dynamic-loading --lib --test opened
	$(CARGO) test --locked -p cuda-safe --features dynamic-loading --test driverless --test loading \
		--config 'profile.dev.package.cuda-emulator-engine.opt-level=1'

# Not part of test, since nvJitLink is large and nothing else needs it.
lto: setup
	$(PYTHON) scripts/setup.py --nvjitlink
	CUDA_SAFE_LIBNVJITLINK="$$($(PYTHON) scripts/setup.py --nvjitlink)" $(CARGO) test --locked -p cuda-safe --test jit_link \
		--config 'profile.dev.package.cuda-emulator-engine.opt-level=1' -- --include-ignored

# Takes nothing that make setup brings.
stranger:
	scripts/stranger.sh

bench: setup
	$(CARGO) bench --locked
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

# Publishes nothing. Needs no network beyond the crates of Cargo.lock.
package:
	$(PYTHON) scripts/package.py $(ARGS)

# Not part of check: the tool takes a quarter of an hour to build, and nothing is released that must stay as it is.
semver:
	scripts/semver.sh $(BASE)

# Races in the emulator. Not part of check: needs the standard library's sources, see the script.
tsan: setup
	scripts/tsan.sh $(if $(DEBIAN),--debian $(DEBIAN))

# Not part of check: needs a cross compiler and QEMU, see the script. Takes nothing that make setup brings.
aarch64:
	scripts/aarch64.sh $(ARGS)

# Not part of check, since it takes hours. See scripts/mutants/README.md.
mutants: setup
	$(CARGO) run --locked -p mutants -- $(ARGS)

headers: setup
	scripts/check-headers.sh
