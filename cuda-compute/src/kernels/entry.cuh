// Keys with their places in a line, and how the order of the lines' first keys compares them.
//
// Requires sort.cuh.

#pragma once

#include "sort.cuh"

// A key's code and its place in its line, which decides between equal keys.
// The place has 64 bits so that there is no padding.
struct WideEntry {
    u64 code, place;
    __device__ __forceinline__ bool operator<(const WideEntry &other) const {
        return code < other.code || (code == other.code && place < other.place);
    }
};
template <bool WIDE> struct entry_type {
    typedef u64 type;
    static __device__ __forceinline__ u64 of(key_bits code, unsigned place) { return (u64)code << 32 | place; }
    static __device__ __forceinline__ u64 next(u64 entry) { return entry + 1; }
    static __device__ __forceinline__ unsigned place(u64 entry) { return (unsigned)entry; }
    static __device__ __forceinline__ key_bits code(u64 entry) { return (key_bits)(entry >> 32); }
};
template <> struct entry_type<true> {
    typedef WideEntry type;
    static __device__ __forceinline__ WideEntry of(key_bits code, unsigned place) { return {code, place}; }
    static __device__ __forceinline__ WideEntry next(WideEntry entry) { return {entry.code, entry.place + 1}; }
    static __device__ __forceinline__ unsigned place(WideEntry entry) { return (unsigned)entry.place; }
    static __device__ __forceinline__ key_bits code(WideEntry entry) { return (key_bits)entry.code; }
};
typedef entry_type<(KEY_WIDTH > 32)> entries_of;
typedef entries_of::type Entry;

#define OWN (ITEMS * VECTOR)  // keys that a thread reads at once
