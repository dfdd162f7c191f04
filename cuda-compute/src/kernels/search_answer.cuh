// The answers of searches.
//
// Requires search.cuh, AFTER_EQUAL (whether places are behind equal keys), FOUND (whether answers are not
// places, but whether there is an equal key), RESULT and ANSWER (the type of answers in memory and in
// computations).

#pragma once

#include "search.cuh"

template <int V>
__device__ __forceinline__ void answer_of(const key_bits *sorted, u64 length, const key_bits (&codes)[V],
                                          const place_t (&places)[V], ANSWER (&answers)[V]) {
#pragma unroll
    for (int v = 0; v < V; ++v) {
#if FOUND
        // NaN is not equal to itself.
        const bool is_nan = FRACTION && codes[v] == (key_bits)~(key_bits)0;
        answers[v] = !is_nan && places[v] < length && code_of(sorted[places[v]]) == codes[v];
#else
        answers[v] = places[v];
#endif
    }
}
