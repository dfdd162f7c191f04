// The keys and items that a kernel of a sort reads. An item is a value that moves along with a key.
//
// Specialised by FUSED (whether keys and items are values of an expression, or bits in memory),
// ITEM_BYTES (per item, or 0 if there are none), PLACES (whether items are the keys' places in
// their lines, which are not read), OUT_BYTES (per item of the result) and, if FUSED, KEY_VALUE,
// ITEM and ITEM_VALUE (the types of expressions' values).

#pragma once

#include "sort.cuh"

#if ITEM_BYTES
typedef bits_of_size<ITEM_BYTES>::type item_bits;
typedef bits_of_size<OUT_BYTES>::type out_bits;
#endif

#if FUSED
#include "complex.cuh"
#include "expression.cuh"
#define INPUT const __grid_constant__ Words w,
#define INPUT_AT(at) read_input(w, at)
#else
#define INPUT
#define INPUT_AT(at) read_input(keys_in, items_in, at)
#endif

struct Input {
    key_bits key;
#if ITEM_BYTES
    item_bits item;
#endif
};

#if FUSED
__device__ __forceinline__ Input read_input(const Words &w, u64 at) {
    Inputs<1> in;
    Outputs<1> out;
    load<1>(w, (index_t)at, in);
    compute<1>(w, in, out);
    Input input;
    input.key = as_bits(storing<KEY, KEY_VALUE>::of(out.y0[0]));
#if ITEM_BYTES && !PLACES
    input.item = as_bits(storing<ITEM, ITEM_VALUE>::of(out.y1[0]));
#endif
    return input;
}
#else
__device__ __forceinline__ Input read_input(u64 keys, u64 items, u64 at) {
    Input input;
    input.key = ((const key_bits *)keys)[at];
#if ITEM_BYTES && !PLACES
    input.item = ((const item_bits *)items)[at];
#endif
    return input;
}
#endif
