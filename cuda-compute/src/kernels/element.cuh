// The type in memory and the type in computations.
//
//   ELEMENT, ACCUMULATOR      the types (sizes 1 to 8; ACCUMULATOR 4 or 8)
//   VALUE                     the value of an ELEMENT `e`, before conversion

typedef ELEMENT element;
typedef ACCUMULATOR accumulator;

__device__ __forceinline__ float half_value(unsigned short bits) {
    float value;
    asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(bits));
    return value;
}

__device__ __forceinline__ float bfloat_value(unsigned short bits) {
    return __uint_as_float((unsigned)bits << 16);
}

__device__ __forceinline__ accumulator value_of(element e) { return (accumulator)(VALUE); }
