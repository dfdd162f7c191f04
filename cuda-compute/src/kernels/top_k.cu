// Finds the first keys of the sorted order of each line, if few are wanted. Each key is read once.
// Keys that may be among the first ones are collected in shared memory, and sorted when there are
// many.
//
// With SEGMENTED, several blocks share a line. They exchange bounds while they read, and the last one
// that ends finds the first keys among those that all blocks have left.
//
// Specialised by THREADS, ITEMS (vectors that a thread reads at once), MOST (the largest number of
// keys to find), SEGMENTED, sort.cuh and expression.cuh.

#include "array.cuh"
#include "complex.cuh"
#include "expression.cuh"
#include "entry.cuh"

#define CHUNK (THREADS * OWN)     // keys that a block reads at once
#define ROOM (MOST * OWN + 1024)  // entries that a block can collect
// After this many chunks, a block reads the bounds again.
#define FRESH 4
// How often a block reads the bounds before it finds its own.
#define ATTEMPTS 4

// If more threads have keys that may be wanted, a bound is found among them.
#define CROWD (THREADS / 2)

static_assert(ROOM >= MOST + MOST * OWN && ROOM >= MOST + 4 * THREADS, "too little room");
static_assert(CROWD >= MOST, "a bound needs as many threads as wanted keys");

// The memory that the blocks of a line share, at first all zero.
struct Line {
    u64 finished;     // blocks that have ended
    u64 left;         // entries in the list
    u64 bests[MOST];  // see `publish`
};

// Drops entries that are not among the first `kept`, if there are many. Each thread finds the best of
// its entries. Entries after the best one number `kept` are not wanted. Returns the number of entries that
// remain.
__device__ __forceinline__ unsigned drop_many(Entry *entries, Entry *bests, unsigned count, unsigned kept) {
    if (count <= 2 * THREADS) return count;
    const Entry none = entries_of::of((key_bits)~(key_bits)0, ~0u);
    __shared__ Entry bound;
    __shared__ unsigned left;
    constexpr int each = (ROOM + THREADS - 1) / THREADS;
    Entry own[each], best = none;
#pragma unroll
    for (int i = 0; i < each; ++i) {
        own[i] = i * THREADS + threadIdx.x < count ? entries[i * THREADS + threadIdx.x] : none;
        if (own[i] < best) best = own[i];
    }
    bests[threadIdx.x] = best;
    if (threadIdx.x == 0) left = 0;
    __syncthreads();
    unsigned rank = 0;
#pragma unroll 8
    for (int other = 0; other < THREADS; ++other) rank += bests[other] < best;
    if (rank == kept - 1) bound = best;
    __syncthreads();
#pragma unroll
    for (int i = 0; i < each; ++i)
        if (own[i] < none && !(bound < own[i])) entries[atomicAdd(&left, 1u)] = own[i];
    __syncthreads();
    return left;
}

// Moves the first `kept` of `count` entries to the front, in their order. Returns how many there are.
__device__ __forceinline__ unsigned keep_first(Entry *entries, Entry *first, Entry *bests, unsigned count, unsigned kept) {
    count = drop_many(entries, bests, count, kept);
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

// A line's bounds are `kept` groups of keys. Each thread's keys belong to one group, which has the
// complement of the lowest code that was published. These belong to
// `kept` different keys, so no wanted key has a higher code than the highest of them.
__device__ __forceinline__ void publish(Line &line, unsigned group, key_bits code) {
    atomicMax(&line.bests[group], (u64)(key_bits)~code);
}
// Stores the bound of this warp's groups. A barrier and `bound_of` must follow.
__device__ __forceinline__ void read_bounds(Line &line, unsigned kept, u64 (&of_warps)[WARPS]) {
    u64 lowest = threadIdx.x < kept ? relaxed(&line.bests[threadIdx.x]) : ~0ull;
#pragma unroll
    for (int distance = 16; distance > 0; distance /= 2) {
        const u64 other = __shfl_xor_sync(~0u, lowest, distance);
        lowest = other < lowest ? other : lowest;
    }
    if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = lowest;
}
__device__ __forceinline__ key_bits bound_of(const u64 (&of_warps)[WARPS]) {
    u64 lowest = of_warps[0];
#pragma unroll
    for (int warp = 1; warp < WARPS; ++warp) lowest = of_warps[warp] < lowest ? of_warps[warp] : lowest;
    return (key_bits)~(key_bits)lowest;
}

// A line has `segments` segments of `of_segment` keys, a multiple of VECTOR, the last of which may be
// shorter. A block reads every `other_step`-th chunk of its segment and begins again until it has read all,
// because keys may be in order. The step has no common divisor with the number of chunks. That of the
// last segment is `last_step`. `values` and `places` are the results: `kept` for each line, in their order. A line has at
// least `kept` keys, and fewer than 2^32 - 1. With SEGMENTED, `lines` is a `Line` for each line, and
// `list` has room for `kept` entries of each segment.
extern "C" __global__ void __launch_bounds__(THREADS, 768 / THREADS)
top_k(const __grid_constant__ Words w, u64 length, u64 segments, u64 of_segment, u64 other_step, u64 last_step, u64 kept_keys,
      u64 lines, u64 list, u64 values, u64 places) {
    wait_for_previous_kernel();
    __shared__ Entry entries[ROOM], first[MOST], bests[THREADS], bound;
    __shared__ unsigned count;
    const u64 line = blockIdx.x / (unsigned)segments, segment = blockIdx.x % (unsigned)segments, start = line * length;
    const u64 begin = segment * of_segment, end = segment + 1 == segments ? length : begin + of_segment;
    const unsigned kept = (unsigned)kept_keys, loose = (unsigned)(end - begin) % VECTOR;
    const unsigned chunks = (unsigned)((end - begin - loose + CHUNK - 1) / CHUNK);
    const unsigned step = (unsigned)(segment + 1 == segments ? last_step : other_step);
    const Entry none = entries_of::of((key_bits)~(key_bits)0, ~0u);
    const auto key_at = [&](u64 place) {
        Inputs<1> in;
        Outputs<1> out;
        load<1>(w, (index_t)(start + place), in);
        compute<1>(w, in, out);
        return as_bits(storing<KEY, KEY_VALUE>::of(out.y0[0]));
    };
    const auto write_first = [&](unsigned found) {
        for (unsigned i = threadIdx.x; i < found; i += THREADS) {
            const unsigned place = entries_of::place(first[i]);
            ((key_bits *)values)[line * kept + i] = key_at(place);
            ((u64 *)places)[line * kept + i] = place;
        }
    };
#if SEGMENTED
    __shared__ u64 of_warps[2][WARPS];
    __shared__ bool ends_last;
    Line &common = ((Line *)lines)[line];
    const unsigned group = ((unsigned)segment * 11 + threadIdx.x + threadIdx.x / 32 * 7) % kept;
    bool parity = false;
#endif

    // Entries from `limit` on are not wanted, and neither are codes above `highest`. There are at most
    // `upper` entries.
    Entry limit = none;
    key_bits highest = (key_bits)~(key_bits)0;
    unsigned upper = 0;
    if (threadIdx.x == 0) count = 0;

    Inputs<VECTOR> in[ITEMS];
    const auto place_of = [&](unsigned chunk, int item) { return begin + (u64)chunk * CHUNK + (item * THREADS + threadIdx.x) * VECTOR; };
    const auto load_chunk = [&](unsigned chunk) {
#pragma unroll
        for (int i = 0; i < ITEMS; ++i) {
            const u64 place = place_of(chunk, i);
            if (place < end - loose) load<VECTOR>(w, (index_t)((start + place) / VECTOR), in[i]);
        }
    };
    unsigned next = 0;
    load_chunk(next);
    for (unsigned round = 0; round < chunks + (loose > 0); ++round) {
        key_bits codes[OWN];
        const bool last = round == chunks;
        const unsigned chunk = next;
        if (last) {
            // The last keys of a line, fewer than a vector.
#pragma unroll
            for (int i = 0; i < OWN; ++i) codes[i] = (key_bits)~(key_bits)0;
            if (threadIdx.x < loose) codes[0] = code_of(key_at(end - loose + threadIdx.x));
        } else {
#pragma unroll
            for (int i = 0; i < ITEMS; ++i) {
#pragma unroll
                for (int v = 0; v < VECTOR; ++v) codes[i * VECTOR + v] = (key_bits)~(key_bits)0;
                if (place_of(chunk, i) < end - loose) {
                    Outputs<VECTOR> out;
                    compute<VECTOR>(w, in[i], out);
#pragma unroll
                    for (int v = 0; v < VECTOR; ++v)
                        codes[i * VECTOR + v] = code_of(as_bits(storing<KEY, KEY_VALUE>::of(out.y0[v])));
                }
            }
            next = chunk + step < chunks ? chunk + step : chunk + step - chunks;
            // The loads of the next chunk don't wait for the barriers of this one.
            if (round + 1 < chunks) load_chunk(next);
        }
        const auto entry_of = [&](int i) {
            if (last) return i == 0 && threadIdx.x < loose ? entries_of::of(codes[0], (unsigned)(end - loose) + threadIdx.x) : none;
            const u64 place = place_of(chunk, i / VECTOR);
            return place < end - loose ? entries_of::of(codes[i], (unsigned)place + i % VECTOR) : none;
        };
        const auto is_wanted = [&](int i) { return codes[i] <= highest && entry_of(i) < limit; };

        bool may_be = false;
#pragma unroll
        for (int i = 0; i < OWN; ++i) may_be |= codes[i] <= highest;
#if SEGMENTED
        const bool fresh = round % FRESH == 0;
        if (fresh) read_bounds(common, kept, of_warps[parity]);
#endif
        unsigned wanted = __syncthreads_count(may_be);
#if SEGMENTED
        if (fresh) {
            const key_bits read = bound_of(of_warps[parity]);
            if (read < highest) highest = read;
            parity = !parity;
        }
#endif
        if (wanted == 0) continue;
        if (wanted > CROWD || upper + wanted * OWN > ROOM) {
            unsigned held = count;
            if (held > kept) {
                held = keep_first(entries, first, bests, held, kept);
                limit = entries[kept - 1];
                if (entries_of::code(limit) < highest) highest = entries_of::code(limit);
                if (threadIdx.x == 0) count = held;
            }
            Entry best = none;
#pragma unroll
            for (int i = 0; i < OWN; ++i)
                if (is_wanted(i) && entry_of(i) < best) best = entry_of(i);
#if SEGMENTED
            // Each warp publishes its best key, or each thread if there are few. Other blocks do the same
            // at about this time.
            key_bits lowest = entries_of::code(best);
#pragma unroll
            for (int distance = 16; distance > 0; distance /= 2) {
                const key_bits other = __shfl_xor_sync(~0u, lowest, distance);
                lowest = other < lowest ? other : lowest;
            }
            const unsigned owners = __ballot_sync(~0u, best < none && entries_of::code(best) == lowest);
            const bool is_owner = owners && threadIdx.x % 32 == __ffs(owners) - 1;
            if (is_owner || (best < none && segments * WARPS < 8 * kept)) publish(common, group, entries_of::code(best));
            wanted = THREADS;
            for (int attempt = 0; attempt < ATTEMPTS && wanted > CROWD; ++attempt) {
                __syncthreads();
                read_bounds(common, kept, of_warps[parity]);
                __syncthreads();
                const key_bits read = bound_of(of_warps[parity]);
                if (read < highest) highest = read;
                if (entries_of::code(best) > highest) best = none;
                parity = !parity;
                wanted = __syncthreads_count(best < none);
            }
#endif
            bests[threadIdx.x] = best;
            wanted = __syncthreads_count(best < none);
            if (wanted > CROWD || held + wanted * OWN > ROOM) {
                // Entries after the best entry number `kept` are not wanted. Only `kept` threads have
                // entries up to it.
                unsigned rank = 0;
#pragma unroll 8
                for (int other = 0; other < THREADS; ++other) rank += bests[other] < best;
                if (best < none && rank == kept - 1) bound = best;
                __syncthreads();
                // The bound itself is wanted, too.
                if (bound < limit) limit = entries_of::next(bound);
                if (entries_of::code(bound) < highest) highest = entries_of::code(bound);
                wanted = kept;
            }
            upper = held;
        }
        upper += wanted * OWN;
#if SEGMENTED
        key_bits lowest = (key_bits)~(key_bits)0;
#endif
#pragma unroll
        for (int i = 0; i < OWN; ++i)
            if (is_wanted(i)) {
                entries[atomicAdd(&count, 1u)] = entry_of(i);
#if SEGMENTED
                if (codes[i] < lowest) lowest = codes[i];
#endif
            }
#if SEGMENTED
        if (lowest < (key_bits)~(key_bits)0) publish(common, group, lowest);
#endif
    }
    __syncthreads();
    unsigned held = count;
#if SEGMENTED
    if (held > kept) held = keep_first(entries, first, bests, held, kept);
    read_bounds(common, kept, of_warps[parity]);
    __syncthreads();
    highest = bound_of(of_warps[parity]);
    Entry *const all = (Entry *)list + line * segments * kept;
    for (unsigned i = threadIdx.x; i < held; i += THREADS)
        if (entries_of::code(entries[i]) <= highest) all[atomicAdd(&common.left, 1ull)] = entries[i];
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) ends_last = atomicAdd(&common.finished, 1ull) == segments - 1;
    __syncthreads();
    if (!ends_last) return;

    // The last block finds the first entries of the list.
    __threadfence();
    read_bounds(common, kept, of_warps[!parity]);
    const u64 left = relaxed(&common.left);
    if (threadIdx.x == 0) count = 0;
    __syncthreads();
    highest = bound_of(of_warps[!parity]);
    limit = none;
    for (u64 from = 0; from < left; from += 4 * THREADS) {
        held = count;
        __syncthreads();
        if (held + 4 * THREADS > ROOM) {
            held = keep_first(entries, first, bests, held, kept);
            limit = entries[kept - 1];
            if (threadIdx.x == 0) count = held;
            __syncthreads();
        }
        Entry own[4];
#pragma unroll
        for (int i = 0; i < 4; ++i) own[i] = from + i * THREADS + threadIdx.x < left ? all[from + i * THREADS + threadIdx.x] : none;
#pragma unroll
        for (int i = 0; i < 4; ++i)
            if (entries_of::code(own[i]) <= highest && own[i] < limit) entries[atomicAdd(&count, 1u)] = own[i];
        __syncthreads();
    }
    held = count;
#endif
    write_first(keep_first(entries, first, bests, held, kept));
}
