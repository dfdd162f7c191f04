// Finds the first keys of the sorted order of each segment of lines, if few are wanted. Each key is
// read once. Keys that may be among the first ones are collected in shared memory, and sorted when
// there are many.
//
// Specialised by THREADS, ITEMS (keys that a thread reads at once), MOST (the largest number of keys
// to find), sort.cuh and expression.cuh.

#include "array.cuh"
#include "complex.cuh"
#include "expression.cuh"
#include "sort.cuh"

// A key's code and its place in its line, which decides between equal keys.
template <bool WIDE> struct entry_type {
    typedef u64 type;
    static __device__ __forceinline__ u64 of(key_bits code, unsigned place) { return (u64)code << 32 | place; }
    static __device__ __forceinline__ u64 next(u64 entry) { return entry + 1; }
    static __device__ __forceinline__ unsigned place(u64 entry) { return (unsigned)entry; }
};
struct WideEntry {
    u64 code;
    unsigned place;
    __device__ __forceinline__ bool operator<(const WideEntry &other) const {
        return code < other.code || (code == other.code && place < other.place);
    }
};
template <> struct entry_type<true> {
    typedef WideEntry type;
    static __device__ __forceinline__ WideEntry of(key_bits code, unsigned place) { return {code, place}; }
    static __device__ __forceinline__ WideEntry next(WideEntry entry) { return {entry.code, entry.place + 1}; }
    static __device__ __forceinline__ unsigned place(WideEntry entry) { return entry.place; }
};
typedef entry_type<(KEY_WIDTH > 32)> entries_of;
typedef entries_of::type Entry;

// The number of entries that are sorted by comparing each with all others.
#define MANY 256

// Moves the first `kept` of `count` entries to the front, in their order. Returns how many there are.
__device__ __forceinline__ unsigned keep_first(Entry *entries, Entry *first, unsigned count, unsigned kept) {
    for (unsigned i = threadIdx.x; i < count; i += THREADS) {
        const Entry entry = entries[i];
        unsigned rank = 0;
#pragma unroll 8
        for (unsigned other = 0; other < count; ++other) rank += entries[other] < entry;
        if (rank < kept) first[rank] = entry;
    }
    __syncthreads();
    const unsigned found = count < kept ? count : kept;
    for (unsigned i = threadIdx.x; i < found; i += THREADS) entries[i] = first[i];
    __syncthreads();
    return found;
}

// A line has `segments` segments of `of_segment` keys, the last of which may be shorter. `values` and
// `places` are the results: `kept` for each segment, in their order. A segment has at least `kept`
// keys, and a line fewer than 2^32 - 1.
extern "C" __global__ void __launch_bounds__(THREADS)
top_k(const __grid_constant__ Words w, u64 length, u64 segments, u64 of_segment, u64 kept_keys, u64 values, u64 places) {
    // A chunk adds at most ITEMS entries for each key that is kept, or MANY.
    constexpr int added = MOST * ITEMS > MANY ? MOST * ITEMS : MANY;
    __shared__ Entry entries[MANY + MOST + added], first[MOST], bests[THREADS], bound;
    __shared__ unsigned better, count;
    const u64 line = blockIdx.x / (unsigned)segments, segment = blockIdx.x % (unsigned)segments;
    const u64 begin = segment * of_segment, end = segment + 1 == segments ? length : begin + of_segment;
    const unsigned kept = (unsigned)kept_keys;
    const Entry none = entries_of::of((key_bits)~(key_bits)0, ~0u);
    const auto key_at = [&](u64 place) {
        Inputs<1> in;
        Outputs<1> out;
        load<1>(w, (index_t)(line * length + place), in);
        compute<1>(w, in, out);
        return as_bits(storing<KEY, KEY_VALUE>::of(out.y0[0]));
    };
    // Entries from the limit on are not wanted. There are `held` entries.
    Entry limit = none;
    unsigned held = 0;
    if (threadIdx.x == 0) better = count = 0;
    for (u64 chunk = begin; chunk < end; chunk += TILE) {
        Entry own[ITEMS], best = none;
        key_bits keys[ITEMS];
#pragma unroll
        for (int i = 0; i < ITEMS; ++i) {
            const u64 place = chunk + i * THREADS + threadIdx.x;
            keys[i] = 0;
            if (place < end) keys[i] = key_at(place);
        }
        unsigned own_better = 0;
#pragma unroll
        for (int i = 0; i < ITEMS; ++i) {
            const u64 place = chunk + i * THREADS + threadIdx.x;
            own[i] = place < end ? entries_of::of(code_of(keys[i]), (unsigned)place) : none;
            own_better += own[i] < limit;
            if (own[i] < best) best = own[i];
        }
        if (!__syncthreads_or(own_better)) continue;
        if (own_better) atomicAdd(&better, own_better);
        bests[threadIdx.x] = best;
        __syncthreads();
        if (better > MANY) {
            // As many entries as are wanted are not after the last of as many threads' best entries.
            // Threads with fewer entries before the limit have no more than ITEMS each.
            unsigned rank = 0;
#pragma unroll 8
            for (int other = 0; other < THREADS; ++other) rank += bests[other] < best;
            // Threads without entries share a rank, and write the same.
            if (rank <= kept - 1 && !(best < none)) bound = none;
            else if (rank == kept - 1) bound = best;
            __syncthreads();
            // The bound itself is wanted, too.
            if (bound < limit) limit = entries_of::next(bound);
            __syncthreads();
        }
#pragma unroll
        for (int i = 0; i < ITEMS; ++i)
            if (own[i] < limit) entries[held + atomicAdd(&count, 1u)] = own[i];
        __syncthreads();
        held += count;
        __syncthreads();
        if (threadIdx.x == 0) better = count = 0;
        if (held > MANY + kept) {
            held = keep_first(entries, first, held, kept);
            limit = entries[kept - 1];
        }
    }
    __syncthreads();
    held = keep_first(entries, first, held, kept);
    for (unsigned i = threadIdx.x; i < held; i += THREADS) {
        const unsigned place = entries_of::place(first[i]);
        const u64 to = blockIdx.x * kept_keys + i;
        ((key_bits *)values)[to] = key_at(place);
        ((u64 *)places)[to] = place;
    }
}
