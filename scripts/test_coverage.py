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
            ({"First things": ["cuFirst"], "Old things": ["cuOld", "cuSplit"]}, {"cuOld"}))

    def test_pages_round_trip(self):
        found, deprecated = {"First things": ["cuA", "cuB"], "More": ["cuC"]}, {"cuB"}
        text = coverage.page(found, deprecated, {"cuA": {"x.rs"}})
        self.assertEqual(coverage.read(text), (found, deprecated))
        self.assertIn("Of 3 functions, 1 are called", text)


if __name__ == "__main__":
    unittest.main()
