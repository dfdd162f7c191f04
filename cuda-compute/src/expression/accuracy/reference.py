"""Writes reference.bin: arguments, and the correctly rounded values of functions of f64 at these arguments.

    python3 reference.py

Needs mpmath and takes a few minutes. The output is the same every time.

The file has a record for each function, in little-endian order:

    1 byte      length of the name
                name
    1 byte      numbers per argument list
    1 byte      numbers per result
    4 bytes     number of points
                points: the arguments, then the results, as f64
"""

import math
import os
import random
import struct
from fractions import Fraction

import mpmath
from mpmath import mp, mpc, mpf

POINTS = 300
# Bits of the computation. It needs many for arguments near zeros of functions and for large arguments of sines.
PRECISION = 400


def rounded(x):
    """Returns the nearest f64, which may be subnormal."""
    if mpmath.isnan(x):
        return math.nan
    if mpmath.isinf(x):
        return math.inf if x > 0 else -math.inf
    sign, mantissa, exponent, _ = x._mpf_
    whole = Fraction(int(mantissa)) * Fraction(2) ** int(exponent)
    try:
        return float(-whole if sign else whole)
    except OverflowError:
        return -math.inf if sign else math.inf


def wide(function):
    """Adds the bits that the reduction of large arguments needs."""

    def evaluate(x):
        with mp.workprec(PRECISION + max(0, 2 * int(mpmath.mag(x)))):
            return function(x)

    return evaluate


def turn(function):
    """Evaluates a function of pi times the argument, which is reduced to one turn first: quarter turns are then exact."""

    def evaluate(x):
        turned = x - 2 * mpmath.nint(x / 2)
        result = function(mp.pi * turned)
        return mpmath.nint(result) if mpmath.isint(2 * turned) else result

    return evaluate


def inverse_erfc(q):
    if q > 1:
        return -inverse_erfc(2 - q)
    if q > 0.5:
        return mpmath.erfinv(1 - q)
    t = mpmath.sqrt(-mpmath.log(q))
    for _ in range(200):
        value = mpmath.erfc(t)
        step = mpmath.log(value / q) * value * mpmath.sqrt(mp.pi) / 2 * mpmath.exp(t * t)
        t += step
        if abs(step) < mpf(2) ** -200:
            return t
    raise ArithmeticError(q)


def inverse_erf(x):
    if abs(x) > 0.5:
        return mpmath.sign(x) * inverse_erfc(1 - abs(x))
    return mpmath.erfinv(x)


def logistic(x):
    return 1 / (1 + mpmath.exp(-x))


def log_gamma(x):
    with mp.workprec(PRECISION + max(0, int(mpmath.mag(x)))):
        return mpmath.log(abs(mpmath.gamma(x))) if abs(x) < 1e4 else mpmath.re(mpmath.loggamma(x))


# Sources of arguments: ("exponents", lowest, highest) of two with both signs, ("uniform", lowest, highest), and
# ("near", points) for the neighbours of the points.
def positive(source):
    return ("positive", source)


ALL = ("exponents", -1074, 1023)
POSITIVE = positive(ALL)
ONE = ("near", [1.0])
ANGLES = ("near", [k * math.pi / 2 for k in [*range(-20, 21), 1001, 2**20 + 1, 10**9 + 7, 10**15 + 3]])
HALVES = ("near", [k / 2 for k in range(-9, 10)])

UNARY = {
    "rsqrt": (lambda x: 1 / mpmath.sqrt(x), [POSITIVE, ONE]),
    "cbrt": (lambda x: mpmath.sign(x) * mpmath.cbrt(abs(x)), [ALL, ONE]),
    "rcbrt": (lambda x: mpmath.sign(x) / mpmath.cbrt(abs(x)), [ALL, ONE]),
    "exp": (mpmath.exp, [("uniform", -750, 711), ("exponents", -60, 9)]),
    "exp2": (lambda x: mpf(2) ** x, [("uniform", -1080, 1025), ("exponents", -60, 9)]),
    "exp10": (lambda x: mpf(10) ** x, [("uniform", -326, 309), ("exponents", -60, 8)]),
    "exp_m1": (mpmath.expm1, [("uniform", -50, 711), ("exponents", -1074, 9), ("uniform", -1, 1)]),
    "ln": (mpmath.log, [POSITIVE, ONE, ("uniform", 0.5, 2)]),
    "ln_1p": (mpmath.log1p, [positive(("exponents", -1074, 1023)), ("uniform", -1, 1), ("exponents", -60, -1)]),
    "log2": (lambda x: mpmath.log(x) / mpmath.log(2), [POSITIVE, ONE, ("uniform", 0.5, 2)]),
    "log10": (lambda x: mpmath.log(x) / mpmath.log(10), [POSITIVE, ONE, ("uniform", 0.5, 2)]),
    "sin": (wide(mpmath.sin), [ALL, ANGLES, ("uniform", -10, 10)]),
    "cos": (wide(mpmath.cos), [ALL, ANGLES, ("uniform", -10, 10)]),
    "tan": (wide(mpmath.tan), [ALL, ANGLES, ("uniform", -10, 10)]),
    "asin": (mpmath.asin, [("uniform", -1, 1), ("exponents", -1074, -1), ("near", [0.5, -0.5, math.sqrt(0.5)])]),
    "acos": (mpmath.acos, [("uniform", -1, 1), ("exponents", -1074, -1), ("near", [0.5, -0.5, math.sqrt(0.5)])]),
    "atan": (mpmath.atan, [ALL, ("uniform", -10, 10), ONE]),
    "sinpi": (turn(mpmath.sin), [("exponents", -1020, 60), HALVES, ("uniform", -10, 10)]),
    "cospi": (turn(mpmath.cos), [("exponents", -1020, 60), HALVES, ("uniform", -10, 10)]),
    "sinh": (mpmath.sinh, [("uniform", -712, 712), ("exponents", -1074, 9), ("uniform", -2, 2)]),
    "cosh": (mpmath.cosh, [("uniform", -712, 712), ("exponents", -60, 9), ("uniform", -2, 2)]),
    "tanh": (mpmath.tanh, [("uniform", -25, 25), ("exponents", -1074, 9), ("uniform", -2, 2)]),
    "asinh": (wide(mpmath.asinh), [ALL, ("uniform", -10, 10)]),
    "acosh": (wide(mpmath.acosh), [("uniform", 1, 10), positive(("exponents", 0, 1023)), ("above", [1.0])]),
    "atanh": (mpmath.atanh, [("uniform", -1, 1), ("exponents", -1074, -1)]),
    "erf": (mpmath.erf, [("uniform", -6, 6), ("exponents", -1020, 3)]),
    "erfc": (mpmath.erfc, [("uniform", -6, 28), ("exponents", -60, 4), ("uniform", 0, 2)]),
    "erfcx": (
        lambda x: mpmath.exp(x * x) * mpmath.erfc(x) if x < 100 else asymptotic_erfcx(x),
        [("uniform", -26, 50), positive(("exponents", -60, 500)), ("uniform", 0, 4)],
    ),
    "erfinv": (inverse_erf, [("uniform", -1, 1), ("exponents", -1020, -1), ("below", [1.0])]),
    "erfcinv": (inverse_erfc, [("uniform", 0, 2), positive(("exponents", -1074, 0)), ONE]),
    "normcdf": (lambda x: mpmath.erfc(-x / mpmath.sqrt(2)) / 2, [("uniform", -38.5, 9), ("exponents", -60, 4)]),
    "normcdfinv": (
        lambda p: -mpmath.sqrt(2) * inverse_erfc(2 * p),
        [("uniform", 0, 1), positive(("exponents", -1074, -1)), ("near", [0.5])],
    ),
    "sigmoid": (logistic, [("uniform", -750, 40), ("exponents", -60, 9), ("uniform", -20, 20)]),
    "silu": (lambda x: x * logistic(x), [("uniform", -750, 40), ("exponents", -60, 9), ("uniform", -20, 20)]),
    "gelu": (lambda x: x * mpmath.erfc(-x / mpmath.sqrt(2)) / 2, [("uniform", -40, 40), ("exponents", -60, 4), ("uniform", -6, 6)]),
    "lgamma": (log_gamma, [("uniform", -11, -2.26), ("uniform", -15, 30), positive(("exponents", -300, 1000)), ("uniform", -170, -11), ("near", [1.0, 2.0])]),
    "tgamma": (mpmath.gamma, [("uniform", -20, 172), ("exponents", -1020, 4), ("uniform", 0, 5)]),
    "j0": (wide(mpmath.j0), [("uniform", -40, 40), ("exponents", -300, 40), ("near", [2.404825557695773, 5.520078110286311])]),
    "j1": (wide(mpmath.j1), [("uniform", -40, 40), ("exponents", -300, 40), ("near", [3.8317059702075125, 7.015586669815619])]),
    "y0": (wide(lambda x: mpmath.bessely(0, x)), [("uniform", 0, 40), positive(("exponents", -300, 40)), ("near", [0.8935769662791675, 3.957678419314858])]),
    "y1": (wide(lambda x: mpmath.bessely(1, x)), [("uniform", 0, 40), positive(("exponents", -300, 40)), ("near", [2.197141326031017, 5.429681040794135])]),
    "i0": (lambda x: mpmath.besseli(0, x), [("uniform", -714, 714), ("exponents", -60, 9), ("uniform", -20, 20)]),
    "i1": (lambda x: mpmath.besseli(1, x), [("uniform", -714, 714), ("exponents", -1000, 9), ("uniform", -20, 20)]),
}


def asymptotic_erfcx(x):
    term = total = mpf(1)
    for k in range(1, 40):
        term *= -(2 * k - 1) / (2 * x * x)
        total += term
    return total / (x * mpmath.sqrt(mp.pi))


def power(x, y):
    if x < 0:
        return -power(-x, y) if int(y) % 2 else power(-x, y)
    with mp.workprec(PRECISION + 100):
        return mpmath.exp(y * mpmath.log(x))


BINARY = {
    "hypot": (lambda x, y: mpmath.sqrt(x * x + y * y), lambda draw: near_sizes(draw)),
    "atan2": (lambda y, x: mpmath.atan2(y, x), lambda draw: near_sizes(draw)),
    "pow": (power, lambda draw: bases(draw)),
}


def near_sizes(draw):
    """Returns two numbers whose magnitudes are close enough that both affect the result."""
    e = draw.randint(-1000, 1000)
    return [number(draw, e + draw.randint(-1, 1)), number(draw, min(1023, max(-1074, e + draw.randint(-60, 60))))]


def bases(draw):
    """Returns a base and an exponent whose power does not overflow."""
    if draw.random() < 0.2:
        return [number(draw, draw.randint(-3, 6)), float(draw.randint(-40, 40))]
    if draw.random() < 0.3:
        x = 1 + draw.choice([-1, 1]) * 2.0 ** -draw.randint(1, 52) * draw.random()
    else:
        x = abs(number(draw, draw.randint(-1074, 1023)))
    size = abs(math.log(x)) or 1
    return [x, draw.uniform(-745, 709) / size if draw.random() < 0.7 else draw.uniform(-3, 3)]


def complex_power(a, b):
    return mpmath.exp(b * mpmath.log(a))


def parts(lowest, highest):
    def draw(random):
        return mpc(number(random, random.randint(lowest, highest)), number(random, random.randint(lowest, highest)))

    return draw


def box(width, height):
    return lambda random: mpc(random.uniform(-width, width), random.uniform(-height, height))


def around_one(random):
    size = 2.0 ** -random.randint(0, 50)
    z = mpc(1 + random.uniform(-size, size), random.uniform(-size, size))
    return mpc(float(z.real), float(z.imag))


def within(lowest, highest):
    """Draws parts with independent exponents in this range."""
    return parts(lowest, highest)


COMPLEX = {
    "sqrt": (mpmath.sqrt, [[parts(-1022, 1023)], [around_one]]),
    "exp": (mpmath.exp, [[box(700, 700)], [parts(-60, 6)]]),
    "ln": (mpmath.log, [[parts(-1022, 1023)], [around_one], [box(2, 2)]]),
    "log10": (lambda z: mpmath.log(z) / mpmath.log(10), [[parts(-1022, 1023)], [around_one], [box(2, 2)]]),
    "sin": (mpmath.sin, [[box(700, 700)], [parts(-60, 6)], [box(4, 4)]]),
    "cos": (mpmath.cos, [[box(700, 700)], [parts(-60, 6)], [box(4, 4)]]),
    "tan": (mpmath.tan, [[box(700, 700)], [parts(-60, 6)], [box(4, 4)]]),
    "sinh": (mpmath.sinh, [[box(700, 700)], [parts(-60, 6)], [box(4, 4)]]),
    "cosh": (mpmath.cosh, [[box(700, 700)], [parts(-60, 6)], [box(4, 4)]]),
    "tanh": (mpmath.tanh, [[box(700, 700)], [parts(-60, 6)], [box(4, 4)]]),
    "pow": (complex_power, [[box(10, 10), box(10, 10)], [parts(-60, 60), box(4, 4)]]),
    "*": (lambda a, b: a * b, [[parts(-250, 250), parts(-250, 250)], [box(1, 1), box(1, 1)]]),
    "/": (lambda a, b: a / b, [[parts(-250, 250), parts(-250, 250)], [box(1, 1), box(1, 1)]]),
}


def number(draw, exponent):
    """Returns a random number with this exponent and a random sign."""
    value = math.ldexp(1 + draw.getrandbits(52) / 2**52, exponent)
    return draw.choice([-1, 1]) * value


def neighbour(x, steps):
    toward = math.inf if steps > 0 else -math.inf
    for _ in range(abs(steps)):
        x = math.nextafter(x, toward)
    return x


def argument(draw, source):
    match source:
        case ("exponents", low, high):
            return number(draw, draw.randint(low, high))
        case ("uniform", low, high):
            return draw.uniform(low, high)
        case ("near", places):
            return neighbour(draw.choice(places), draw.randint(-3, 3)) * (1 if draw.random() < 0.5 else 1 + 2.0 ** -draw.randint(8, 50))
        case ("above", places):
            return neighbour(draw.choice(places) * (1 + 2.0 ** -draw.randint(8, 50)), draw.randint(0, 3))
        case ("below", places):
            return draw.choice([-1, 1]) * (1 - 2.0 ** -draw.randint(8, 53)) * draw.choice(places)
        case ("positive", of):
            return abs(argument(draw, of))


def group(name, inputs, outputs, points):
    text = name.encode()
    head = struct.pack("<B", len(text)) + text + struct.pack("<BBI", inputs, outputs, len(points))
    return head + b"".join(struct.pack(f"<{inputs + outputs}d", *point) for point in points)


def main():
    mp.prec = PRECISION
    made = []
    for name, (function, sources) in UNARY.items():
        draw, points = random.Random(name), []
        while len(points) < POINTS:
            x = argument(draw, sources[len(points) % len(sources)])
            try:
                y = function(mpf(x))
            except (ValueError, ZeroDivisionError):
                continue
            points.append((x, rounded(mpmath.re(y))))
        made.append(group(name, 1, 1, points))
        print(name, flush=True)
    for name, (function, draws) in BINARY.items():
        draw, points = random.Random(name), []
        while len(points) < POINTS:
            x, y = draws(draw)
            points.append((x, y, rounded(function(mpf(x), mpf(y)))))
        made.append(group(name, 2, 1, points))
    for name, (function, sources) in COMPLEX.items():
        draw, points = random.Random("complex " + name), []
        count = len(sources[0])
        while len(points) < POINTS:
            z = [one(draw) for one in sources[len(points) % len(sources)]]
            with mp.workprec(PRECISION + 1000):
                result = function(*z)
            numbers = [float(part) for each in z for part in (each.real, each.imag)]
            points.append((*numbers, rounded(mpmath.re(result)), rounded(mpmath.im(result))))
        made.append(group("complex " + name, 2 * count, 2, points))
        print("complex", name, flush=True)
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "reference.bin")
    with open(path, "wb") as file:
        file.write(b"".join(made))


main()
