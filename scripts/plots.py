"""Plots of bytes per second over sizes, as SVG.

The SVG is generated without a library, so nothing has to be installed. The background is transparent, and all colours
have enough contrast on white and on dark pages.
"""

import math
from html import escape

WIDTH, HEIGHT = 768, 420
LEFT, RIGHT, TOP, BOTTOM = 64, 24, 46, 56
INK, GRID = "#7b838e", "#8b939e"  # text, and thin lines behind the curves
# A colour and a marker for each curve, so that none is identified by colour alone.
STYLES = [("#2f7ed8", "circle"), ("#e0661f", "square"), ("#c9479f", "triangle"), ("#2b9a54", "diamond"),
          ("#8f63d6", "cross"), ("#b7860b", "down"), ("#159aa5", "bar")]


def plot(title, series, ceiling=None):
    """Returns the text of an SVG.

    series: of (name, [(elements, GB/s), ...]), the first one emphasised. ceiling: (name, GB/s) or None.
    """
    points = [point for _, line in series for point in line]
    if not points:
        raise ValueError(f"nothing was measured for {title!r}")
    low = math.floor(math.log2(min(x for x, _ in points)))
    high = max(math.ceil(math.log2(max(x for x, _ in points))), low + 1)
    step = nice_step(max([y for _, y in points] + [ceiling[1] if ceiling else 0]) * 1.06)
    most = step * math.ceil(max([y for _, y in points] + [ceiling[1] if ceiling else 0]) * 1.06 / step)

    def x_of(elements):
        return LEFT + (math.log2(elements) - low) / (high - low) * (WIDTH - LEFT - RIGHT)

    def y_of(rate):
        return HEIGHT - BOTTOM - rate / most * (HEIGHT - TOP - BOTTOM)

    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" '
           f'height="{HEIGHT}" role="img" font-family="system-ui, sans-serif" font-size="13" fill="{INK}">',
           f"<title>{escape(title)}: GB/s over the number of elements</title>",
           f'<text x="{LEFT}" y="20" font-size="16" font-weight="600">{escape(title)}</text>',
           f'<text x="{LEFT - 8}" y="{TOP - 12}" text-anchor="end">GB/s</text>',
           f'<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - 10}" text-anchor="middle">elements</text>']
    for rate in range(0, most + 1, step):
        y = y_of(rate)
        out.append(f'<path d="M{LEFT} {y:.1f}H{WIDTH - RIGHT}" stroke="{GRID}" stroke-opacity="0.35"/>')
        out.append(f'<text x="{LEFT - 8}" y="{y + 4.5:.1f}" text-anchor="end">{rate}</text>')
    for exponent in range(low, high + 1, 1 if high - low <= 10 else 2):
        x = x_of(2 ** exponent)
        out.append(f'<path d="M{x:.1f} {HEIGHT - BOTTOM}v5" stroke="{GRID}"/>')
        out.append(f'<text x="{x:.1f}" y="{HEIGHT - BOTTOM + 21}" text-anchor="middle">2'
                   f'<tspan dy="-5" font-size="10">{exponent}</tspan></text>')
    if ceiling:
        y = y_of(ceiling[1])
        out.append(f'<path d="M{LEFT} {y:.1f}H{WIDTH - RIGHT}" stroke="{INK}" stroke-dasharray="6 4"/>')
        out.append(f'<text x="{LEFT + 6}" y="{y - 6:.1f}">{escape(ceiling[0])}: {ceiling[1]:.0f} GB/s</text>')
    # The first one is drawn last, above the others. Small sizes have low rates, which leaves room for the names.
    names_from = (y_of(ceiling[1]) if ceiling else TOP) + 22
    for place, (name, line) in reversed(list(enumerate(series))):
        colour, shape = STYLES[place % len(STYLES)]
        width = 3 if place == 0 else 1.8
        line = sorted(line)
        path = "L".join(f"{x_of(x):.1f} {y_of(y):.1f}" for x, y in line)
        out.append(f'<path d="M{path}" fill="none" stroke="{colour}" stroke-width="{width}" stroke-linejoin="round"/>')
        out += [marker(shape, x_of(x), y_of(y), colour) for x, y in line]
        y = names_from + 20 * place
        out.append(f'<path d="M{LEFT + 8} {y:.1f}h26" stroke="{colour}" stroke-width="{width}"/>')
        out.append(marker(shape, LEFT + 21, y, colour))
        weight = ' font-weight="600"' if place == 0 else ""
        out.append(f'<text x="{LEFT + 42}" y="{y + 4.5:.1f}"{weight}>{escape(name)}</text>')
    return "\n".join([*out, "</svg>"]) + "\n"


def nice_step(most):
    """Returns a step of 1, 2 or 5 times a power of ten that divides an axis into about five parts."""
    power = 10 ** max(0, math.floor(math.log10(max(most, 1) / 5)))
    return int(next(power * factor for factor in (1, 2, 5, 10) if power * factor >= most / 6))


def marker(shape, x, y, colour):
    x, y = round(x, 1), round(y, 1)
    paths = {"square": "m-3.5 -3.5h7v7h-7z", "triangle": "m0 -4.6l4.4 7.6h-8.8z", "down": "m0 4.6l4.4 -7.6h-8.8z",
             "diamond": "m0 -4.8l4.8 4.8l-4.8 4.8l-4.8 -4.8z", "bar": "m-1.6 -5h3.2v10h-3.2z",
             "cross": "m-4 -1.4h2.6v-2.6h2.8v2.6h2.6v2.8h-2.6v2.6h-2.8v-2.6h-2.6z"}
    if shape == "circle":
        return f'<circle cx="{x}" cy="{y}" r="4" fill="{colour}"/>'
    return f'<path d="M{x} {y}{paths[shape]}" fill="{colour}"/>'
