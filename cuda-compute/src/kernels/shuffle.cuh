// Values of any type from other lanes: `shuffled` from the lane at this distance, `from_first` from
// the first lane of a group.
template <class T, class F> __device__ __forceinline__ T of_words(const T &value, F shuffle) {
    const int count = (sizeof(T) + 3) / 4;
    unsigned words[count];
    words[count - 1] = 0;
    memcpy(words, &value, sizeof(T));
#pragma unroll
    for (int i = 0; i < count; ++i) words[i] = shuffle(words[i]);
    T other;
    memcpy(&other, words, sizeof(T));
    return other;
}
template <class T> __device__ __forceinline__ T shuffled(const T &value, int distance) {
    return of_words(value, [=](unsigned word) { return __shfl_xor_sync(~0u, word, distance); });
}
template <class T> __device__ __forceinline__ T from_first(const T &value, int group) {
    return of_words(value, [=](unsigned word) { return __shfl_sync(~0u, word, 0, group); });
}
