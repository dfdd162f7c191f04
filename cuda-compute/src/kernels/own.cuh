// The type of a user's function, without `const` and `&` in its parameters.

#pragma once

template <class... T> struct own_types;
template <class T> struct own_plain { typedef T type; };
template <class T> struct own_plain<const T &> { typedef T type; };
template <class R, class... P> __device__ own_types<R, typename own_plain<P>::type...> own_signature(R (*)(P...));
template <class A, class B> struct own_same { static const bool value = false; };
template <class A> struct own_same<A, A> { static const bool value = true; };
