"""Tests of bundle.py."""

import os
import unittest

import bundle


class Sources(unittest.TestCase):
    def test_programs_that_name_sources_are_detected(self):
        here = os.fsencode(bundle.REPOSITORY)
        for program, reads in [
            (b"\0src/guide/accuracy.md\0", False),
            (here + b"/target/tmp/scratch\0", False),
            (here + b"/.cuda/nvidia/cu13/include\0", False),
            (here + b"-other/src/page.md\0", False),
            (b"\0" + here + b"/cuda-compute/src/guide/accuracy.md\0", True),
            (here + b"/target/tmp\0" + here + b"/cuda-nccl/bindings/nccl.rs\0", True),
        ]:
            self.assertEqual(bundle.names_sources(program), reads, program)


if __name__ == "__main__":
    unittest.main()
