# The CUDA version whose headers and NVRTC `make setup` brings.
CUDA ?= 13.0
PYTHON ?= python3

.PHONY: setup
setup:
	@$(PYTHON) scripts/setup.py --cuda $(CUDA)
