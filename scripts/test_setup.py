"""Tests of setup.py and pins.py: the pins, and pip with pins, without a network."""

import contextlib
import hashlib
import io
import os
import re
import tempfile
import unittest
import zipfile
from pathlib import Path
from unittest import mock

import pins
import setup


def wheel(folder, name, version, content="x = 1\n"):
    """Writes a wheel with one module, and returns the file's sha256."""
    info = f"{name}-{version}.dist-info"
    files = {
        f"{name}.py": content,
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    files[f"{info}/RECORD"] = "".join(f"{file},,\n" for file in [*files, f"{info}/RECORD"])
    path = Path(folder) / f"{name}-{version}-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for file, text in files.items():
            archive.writestr(zipfile.ZipInfo(file), text)
    return hashlib.sha256(path.read_bytes()).hexdigest()


class Pins(unittest.TestCase):
    def pinned(self, file):
        found = {}
        for block in re.split(r"(?<!\\)\n", file.read_text()):
            if block and not block.startswith("#"):
                requirement, *hashes = block.replace("\\\n", " ").split()
                name, version = requirement.split("==")
                found[name] = (version, [re.fullmatch(r"--hash=sha256:([0-9a-f]{64})", each).group(1) for each in hashes])
        return found

    def test_the_default_set_is_pinned_for_each_system(self):
        cuda, libclang = self.pinned(setup.cuda_pins(setup.DEFAULT)), self.pinned(setup.LIBCLANG_PINS)
        windows = self.pinned(setup.PINS / "windows.txt")
        wanted = {re.match("[a-z0-9-]+", requirement).group() for requirement in setup.packages(setup.DEFAULT)}
        self.assertEqual(set(cuda), wanted)
        self.assertEqual(set(libclang), {"libclang"})
        nvjitlink = self.pinned(setup.NVJITLINK_PINS)
        self.assertEqual(set(nvjitlink), {"nvidia-nvjitlink"})
        # nvJitLink reads the output of an NVRTC of the same or an older version.
        self.assertTrue(nvjitlink["nvidia-nvjitlink"][0].startswith(setup.DEFAULT + "."))
        for name, (version, hashes) in {**cuda, **libclang, **nvjitlink}.items():
            self.assertEqual(len(set(hashes)), len(pins.LINUX), f"{name} {version}")
        self.assertEqual({name: version for name, (version, _) in windows.items()},
                         {name: version for name, (version, _) in cuda.items()})
        for name, (version, hashes) in windows.items():
            self.assertEqual(len(hashes), len(pins.WINDOWS), f"{name} {version}")
        for name, (version, _) in cuda.items():
            self.assertTrue(version.startswith(setup.DEFAULT + "."), f"{name} {version}")

    def test_pins_list_name_version_and_wheels(self):
        wheels = {"b": {"2": {"b-arm.whl": "11", "b-x86.whl": "22"}}, "a": {"1.5": {"a-any.whl": "33"}}}
        self.assertEqual(pins.text(wheels), "a==1.5 \\\n    --hash=sha256:33\n"
                         "b==2 \\\n    --hash=sha256:11 \\\n    --hash=sha256:22\n")
        with self.assertRaisesRegex(SystemExit, "different versions of b: 2, 3"):
            pins.text({"b": {"2": {}, "3": {}}})

    def test_a_name_is_normalized(self):
        self.assertEqual(pins.name_and_version("nvidia_cuda_crt-13.0.88-py3-none-any.whl"), ("nvidia-cuda-crt", "13.0.88"))

    def test_folders_with_other_versions_are_detected(self):
        with tempfile.TemporaryDirectory() as work:
            file, folder = Path(work) / "pins.txt", Path(work)
            file.write_text("# x==1\nsome-package==1.2 \\\n    --hash=sha256:00\n")
            self.assertEqual(setup.differing(folder, file), ["some-package==1.2"])
            (folder / "some_package-1.1.dist-info").mkdir()
            with self.assertRaisesRegex(setup.Broken, "no some-package==1.2, which"):
                setup.compare(folder, [file])
            (folder / "some_package-1.2.dist-info").mkdir()
            setup.compare(folder, [file])


class Pip(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.work = Path(folder.name)
        self.wheels = self.work / "wheels"
        self.wheels.mkdir()
        alone = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(self.wheels), "PIP_QUIET": "1", "PIP_CONFIG_FILE": os.devnull}
        patch = mock.patch.dict(os.environ, alone)
        patch.start()
        self.addCleanup(patch.stop)

    def pin(self, digest):
        file = self.work / "pins.txt"
        file.write_text(f"# a comment\npinned-package==1.0 \\\n    --hash=sha256:{'0' * 64} \\\n    --hash=sha256:{digest}\n")
        return file

    def test_pinned_version_is_installed_despite_newer_ones(self):
        file = self.pin(wheel(self.wheels, "pinned_package", "1.0"))
        wheel(self.wheels, "pinned_package", "1.1")
        setup.install(self.work / "into", [file])
        self.assertTrue((self.work / "into" / "pinned_package.py").is_file())
        self.assertEqual(setup.differing(self.work / "into", file), [])

    def test_packages_with_other_hashes_are_rejected(self):
        digest = wheel(self.wheels, "pinned_package", "1.0")
        file = self.pin(digest)
        self.assertNotEqual(wheel(self.wheels, "pinned_package", "1.0", "x = 2\n"), digest)
        with self.assertRaisesRegex(SystemExit, "HASHES"):
            setup.install(self.work / "into", [file])
        self.assertFalse((self.work / "into" / "pinned_package.py").exists())

    def test_ranges_install_the_newest_version_and_print_it(self):
        for version in ("1.0", "1.1"):
            wheel(self.wheels, "loose_package", version)
        wheel(self.wheels, "libclang", "1.0")
        output = io.StringIO()
        with mock.patch.object(setup, "packages", lambda cuda: ["loose-package>=1,<2"]), \
                mock.patch.object(setup, "LIBCLANG_PINS", "libclang"), \
                mock.patch.object(setup, "verify", lambda folder, cuda: "all of it"), contextlib.redirect_stdout(output):
            setup.bring(self.work / "into", "12.4")
        self.assertTrue((self.work / "into" / "loose_package-1.1.dist-info").is_dir())
        self.assertTrue((self.work / "into" / "libclang.py").is_file())
        self.assertIn("CUDA 12.4 is not pinned", output.getvalue())


if __name__ == "__main__":
    unittest.main()
