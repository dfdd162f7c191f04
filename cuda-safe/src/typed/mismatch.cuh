template <class $F, class $D> struct $misfits { static constexpr unsigned long long $of = 0; };
template <class $T, class... $U, class $R, class... $Q> struct $misfits<void (*)($T, $U...), $declared<$R, $Q...>> {
    static constexpr unsigned long long $of = ($parameter<$R, $T>::$is ? 0 : 1) | $misfits<void (*)($U...), $declared<$Q...>>::$of << 1;
};
template <unsigned long long... $S> struct $list;
template <class $F> struct $sizes { using $type = $list<>; };
template <class... $T> struct $sizes<void (*)($T...)> {
    using $type = $list<($pointer<$T>::$is ? $size<typename $pointer<$T>::$to>::$of : $size<$T>::$of)...>;
};
template <int $N, unsigned long long $M, class $S, class $F> __global__ void $text(const char **$x) { *$x = __PRETTY_FUNCTION__; }
