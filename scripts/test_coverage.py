"""Tests of coverage.py."""

import unittest

import coverage


class Sources(unittest.TestCase):
    def test_only_calls_count(self):
        text = """
            /// As sys::cuMemAlloc_v2(…) does.
            #[doc(alias = "cuMemFree")]
            let code = unsafe { sys::cuMemAllocAsync(&mut raw, 4, stream) }; // not sys::cuMemFreeAsync()
            let get = newer::cuFuncGetName()?;
            sys::cuMemcpyHtoDAsync_v2 (a, b);
        """
        self.assertEqual(
            coverage.reached([("a.rs", text), ("b.rs", "newer::cuFuncGetName()")]),
            {"cuMemAllocAsync": {"a.rs"}, "cuFuncGetName": {"a.rs", "b.rs"}, "cuMemcpyHtoDAsync": {"a.rs"}})

    def test_chapters_of_a_header(self):
        header = """
            * \\defgroup CUDA_A First things
            CUresult CUDAAPI cuFirst(int a);
            * \\defgroup CUDA_B_DEPRECATED Old things [DEPRECATED]
            __CUDA_DEPRECATED CUresult CUDAAPI cuOld(int a);
            CUresult CUDAAPI
            cuSplit_v2(int a);
            CUresult CUDAAPI cuFirst(int again);
        """
        self.assertEqual(
            coverage.chapters(header),
            ({f"[First things]({coverage.MANUAL}/group__CUDA__A.html)": ["cuFirst"],
              f"[Old things]({coverage.MANUAL}/group__CUDA__B__DEPRECATED.html)": ["cuOld", "cuSplit"]}, {"cuOld"}))

    def test_pages_round_trip(self):
        found, deprecated = {"First things": ["cuA", "cuB"], "More": ["cuC"]}, {"cuB"}
        text = coverage.page(found, deprecated, {"cuA": {"x.rs"}})
        self.assertEqual(coverage.read(text), (found, deprecated))
        self.assertIn("Of 3 functions, 1 are called", text)

    def test_links_are_added_before_sections_and_once(self):
        text = """
    /// Adds.
    ///
    /// ```
    /// # let hidden = 1;
    /// ```
    ///
    /// # Errors
    /// Returns an error.
    #[inline]
    #[doc(alias = "cuA")]
    #[doc(alias = "cuB_v2")]
    #[doc(alias = "cuC")]
    fn add() {}
    /// Has no section.
    #[doc(alias = "nvrtcGetPTX")]
    fn other() {}
    #[doc(alias = "cuA")]
    fn undocumented() {}
"""
        linked = coverage.linked(text, {"cuA": "x", "cuB": "x", "cuC": "y"})
        line = "    /// See [`cuA`, `cuB_v2`](x), [`cuC`](y) in NVIDIA's manual.\n    ///\n    /// # Errors\n"
        self.assertEqual(linked.count("manual"), 2)
        self.assertIn("    /// ```\n    ///\n" + line, linked)
        self.assertIn("no section.\n    ///\n    /// See [`nvrtcGetPTX`](https://docs.nvidia.com/cuda/nvrtc/", linked)
        self.assertEqual(coverage.linked(linked, {"cuA": "x", "cuB": "x", "cuC": "y"}), linked)


if __name__ == "__main__":
    unittest.main()
