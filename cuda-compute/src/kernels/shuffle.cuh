// A value of any type, from another lane.
template <class T> __device__ __forceinline__ T shuffled(const T &value, int distance) {
    const int count = (sizeof(T) + 3) / 4;
    unsigned words[count];
    words[count - 1] = 0;
    memcpy(words, &value, sizeof(T));
#pragma unroll
    for (int i = 0; i < count; ++i) words[i] = __shfl_xor_sync(~0u, words[i], distance);
    T other;
    memcpy(&other, words, sizeof(T));
    return other;
}
