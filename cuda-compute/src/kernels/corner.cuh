// The tiles of a space, which have WIDTH elements along the last of RANK axes, HEIGHT along the axis
// ACROSS, and one element along the others.

// The distance of rows of this many elements in shared memory. Threads of a warp that read from different
// rows then use different banks, or few the same one. A thread reads BYTES bytes from adjacent rows.
template <int BYTES> __device__ constexpr int padded(int length) {
    while (BYTES < 4 ? BYTES * length % 8 != 4 : length % 2 == 0) ++length;
    return length;
}

// Sets the coordinates of a tile's first element along the axes in AXES (bits), on which the tile has
// this number. Tiles along the last axis come first, then those along ACROSS. `by` has constants for
// dividing by the number of tiles along each axis.
template <unsigned AXES>
__device__ __forceinline__ void set_corner(const u64 (&lengths)[RANK], const u64 (&by)[RANK], index_t number,
                                           Coordinates &c) {
    auto set = [&](int axis) {
        if (!(AXES >> axis & 1)) return;
        const int edge = axis == RANK - 1 ? WIDTH : axis == ACROSS ? HEIGHT : 1;
        const index_t tiles = ((index_t)lengths[axis] + edge - 1) / edge;
        const index_t rest = divide(number, tiles, by[axis]);
        c.at[axis] = (offset_t)(number - rest * tiles) * edge;
        number = rest;
    };
    set(RANK - 1);
    set(ACROSS);
#pragma unroll
    for (int axis = RANK - 2; axis >= 0; --axis)
        if (axis != ACROSS) set(axis);
}
