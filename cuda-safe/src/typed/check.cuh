template <class $A, class $B> struct $same { static constexpr bool $is = false; };
template <class $A> struct $same<$A, $A> { static constexpr bool $is = true; };

template <class $T> struct $plain { using $type = $T; };
template <class $T> struct $plain<const $T> { using $type = $T; };
template <class $T> struct $plain<volatile $T> { using $type = $T; };
template <class $T> struct $plain<const volatile $T> { using $type = $T; };

template <class $T> struct $constant { static constexpr bool $is = false; };
template <class $T> struct $constant<const $T> { static constexpr bool $is = true; };

template <class $T> struct $pointer { using $to = void; static constexpr bool $is = false; };
template <class $T> struct $pointer<$T *> { using $to = typename $plain<$T>::$type; static constexpr bool $is = true; };

template <class $T, class = void> struct $size { static constexpr unsigned long long $of = 0; };
template <class $T> struct $size<$T, decltype(void(sizeof($T)))> { static constexpr unsigned long long $of = sizeof($T); };

template <class $T> struct $sign { static constexpr int $of = 0; };
template <> struct $sign<signed char> { static constexpr int $of = 1; };
template <> struct $sign<short> { static constexpr int $of = 1; };
template <> struct $sign<int> { static constexpr int $of = 1; };
template <> struct $sign<long> { static constexpr int $of = 1; };
template <> struct $sign<long long> { static constexpr int $of = 1; };
template <> struct $sign<unsigned char> { static constexpr int $of = 2; };
template <> struct $sign<unsigned short> { static constexpr int $of = 2; };
template <> struct $sign<unsigned int> { static constexpr int $of = 2; };
template <> struct $sign<unsigned long> { static constexpr int $of = 2; };
template <> struct $sign<unsigned long long> { static constexpr int $of = 2; };
template <> struct $sign<char16_t> { static constexpr int $of = 2; };
template <> struct $sign<char32_t> { static constexpr int $of = 2; };
template <> struct $sign<char> { static constexpr int $of = 3; };

template <unsigned long long $S, int $G> struct $integer;
template <unsigned long long $S> struct $bytes;
template <class $R, bool $C> struct $points;
template <class $X, unsigned long long $S> struct $exactly;
template <class... $R> struct $declared;

template <class $R, class $T, bool $E> struct $element { static constexpr bool $is = $same<$R, $T>::$is; };
template <unsigned long long $S, int $G, class $T, bool $E> struct $element<$integer<$S, $G>, $T, $E> {
    static constexpr bool $is = $size<$T>::$of == $S
        && (($sign<$T>::$of & $G) != 0 || __is_enum($T) || ($E && $G == 2 && ($same<$T, bool>::$is || $pointer<$T>::$is)));
};
template <unsigned long long $S, class $T, bool $E> struct $element<$bytes<$S>, $T, $E> {
    static constexpr bool $is = $size<$T>::$of == $S && !$pointer<$T>::$is;
};

template <class $R, class $T> struct $parameter { static constexpr bool $is = $element<$R, $T, false>::$is; };
template <class $R, bool $C, class $T> struct $parameter<$points<$R, $C>, $T> { static constexpr bool $is = false; };
template <class $R, bool $C, class $T> struct $parameter<$points<$R, $C>, $T *> {
    using $to = typename $plain<$T>::$type;
    static constexpr bool $is = $constant<$T>::$is == $C && ($same<$to, void>::$is || $element<$R, $to, true>::$is);
};
template <class $X, unsigned long long $S, class $T> struct $parameter<$exactly<$X, $S>, $T> {
    using $to = typename $pointer<$T>::$to;
    static constexpr bool $is = $same<typename $plain<$X>::$type, $T>::$is
        && ($pointer<$T>::$is ? $same<$to, void>::$is || $size<$to>::$of == $S : $size<$T>::$of == $S);
};

template <class $F, class $D> struct $fits { static constexpr bool $is = false; };
template <> struct $fits<void (*)(), $declared<>> { static constexpr bool $is = true; };
template <class $T, class... $U, class $R, class... $Q> struct $fits<void (*)($T, $U...), $declared<$R, $Q...>> {
    static constexpr bool $is = $parameter<$R, $T>::$is && $fits<void (*)($U...), $declared<$Q...>>::$is;
};
