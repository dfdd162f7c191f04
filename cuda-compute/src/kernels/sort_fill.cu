// Writes sorted keys of one byte by the number of each.
//
// Specialised by THREADS, ITEMS, COUNT (the type of counts) and sort.cuh.

#include "array.cuh"
#include "sort.cuh"

// `bins` has the counts of the codes in each line. `chunks` is the number of blocks of a line. The
// keys are written in vectors of 16 bytes, except before the first aligned address and after the last.
extern "C" __global__ void __launch_bounds__(THREADS)
sort_fill(u64 length, u64 chunks, u64 keys_out, u64 bins) {
    wait_for_previous_kernel();
    __shared__ COUNT ends[DIGITS];
    const u64 line = blockIdx.x / (unsigned)chunks, chunk = blockIdx.x % (unsigned)chunks;
    COUNT bin[OWN_DIGITS], lower[OWN_DIGITS];
#pragma unroll
    for (int i = 0; i < OWN_DIGITS; ++i) {
        const int digit = threadIdx.x * OWN_DIGITS + i;
        bin[i] = digit < DIGITS ? ((const COUNT *)bins)[line * DIGITS + digit] : 0;
    }
    scan_counts<DIGIT_WARPS>(bin, lower);
#pragma unroll
    for (int i = 0; i < OWN_DIGITS; ++i) {
        const int digit = threadIdx.x * OWN_DIGITS + i;
        if (digit < DIGITS) ends[digit] = lower[i] + bin[i];
    }
    __syncthreads();
    // `head` keys precede the first vector, and the keys from `tail` on follow the last.
    unsigned char *const keys = (unsigned char *)keys_out + line * length;
    const u64 misaligned = (16 - (u64)keys % 16) % 16, head = misaligned < length ? misaligned : length;
    const u64 vectors = (length - head) / 16, tail = head + vectors * 16;
    const auto code_at = [&](u64 at, int low) {
        int high = DIGITS - 1;
        while (low < high) {
            const int middle = (low + high) / 2;
            if (ends[middle] > at) high = middle;
            else low = middle + 1;
        }
        return low;
    };
    for (u64 i = chunk * THREADS + threadIdx.x; i < vectors; i += chunks * THREADS) {
        const u64 at = head + i * 16;
        pack<unsigned, 4> words;
        int code = code_at(at, 0);
        if (ends[code] >= at + 16) {
            const unsigned word = key_of_code((key_bits)code) * 0x01010101u;
#pragma unroll
            for (int word_of = 0; word_of < 4; ++word_of) words.at[word_of] = word;
        } else {
#pragma unroll
            for (int word_of = 0; word_of < 4; ++word_of) {
                words.at[word_of] = 0;
#pragma unroll
                for (int byte = 0; byte < 4; ++byte) {
                    while (ends[code] <= at + word_of * 4 + byte) ++code;
                    words.at[word_of] |= (unsigned)key_of_code((key_bits)code) << (8 * byte);
                }
            }
        }
        *(pack<unsigned, 4> *)(keys + at) = words;
    }
    if (chunk == 0) {
        for (u64 at = threadIdx.x; at < head; at += THREADS) keys[at] = key_of_code((key_bits)code_at(at, 0));
        for (u64 at = tail + threadIdx.x; at < length; at += THREADS) keys[at] = key_of_code((key_bits)code_at(at, 0));
    }
}
