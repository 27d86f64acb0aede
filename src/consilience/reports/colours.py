"""Two themes, and twenty colours for clusters.

The twenty were chosen in OKLab, each as far as possible from all before it and from grey (at least 0.12 apart), so
that the largest clusters have the most distinct ones. The dark theme has the same hues, lighter.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

PALETTE = {
    "light": [
        "#3672be",
        "#9b3736",
        "#1f7024",
        "#b764a5",
        "#b67707",
        "#069c83",
        "#f4858e",
        "#adb342",
        "#1abce9",
        "#a79cfb",
        "#774394",
        "#296871",
        "#7b5601",
        "#4dc58d",
        "#e59744",
        "#cb615d",
        "#7c9120",
        "#8480ac",
        "#926270",
        "#0994b9",
    ],
    "dark": [
        "#629be7",
        "#cd6964",
        "#569f56",
        "#da88c7",
        "#d89a46",
        "#4ebfa6",
        "#fea6ab",
        "#c4ca62",
        "#56d3fd",
        "#beb8fd",
        "#a573c3",
        "#5c969f",
        "#a98444",
        "#6edba5",
        "#fcaf64",
        "#ee8680",
        "#9eb450",
        "#a6a3ce",
        "#ba8a98",
        "#4db7db",
    ],
}
COLOURS = len(PALETTE["light"])
_THEMES = {
    "light": {
        "paper": "#fcfbf9",
        "raised": "#ffffff",
        "well": "#f4f2ee",
        "ink": "#1c1d20",
        "soft": "#5d5f66",
        "line": "#e3e0da",
        "grey": "#b3b2b0",
        "faint": "#dcdad6",
        "accent": "#2c62a8",
    },
    "dark": {
        "paper": "#15171b",
        "raised": "#1c1f24",
        "well": "#1a1c21",
        "ink": "#e9e8e5",
        "soft": "#a0a2a8",
        "line": "#2c2f36",
        "grey": "#62656c",
        "faint": "#30343b",
        "accent": "#84b1ee",
    },
}


def variables(theme: str) -> str:
    """A theme as CSS custom properties: --paper, --ink, ..., --c0 to --c19."""
    named = {**_THEMES[theme], **{f"c{number}": colour for number, colour in enumerate(PALETTE[theme])}}
    return "".join(f"--{name}:{colour};" for name, colour in named.items())


def spread(places: Sequence[Sequence[float] | None]) -> list[int]:
    """A colour for every cluster, from the places of their labels on the map.

    The first twenty have one each. Each later one takes the colour whose nearest bearer on the map is farthest away:
    colours repeat, but not beside each other. Without a place, colours go round.
    """
    chosen = list(range(min(COLOURS, len(places))))
    at = np.array([place if place is not None else (np.nan, np.nan) for place in places], np.float64).reshape(-1, 2)
    for cluster in range(COLOURS, len(places)):
        distances = np.hypot(*(at[:cluster] - at[cluster]).T)
        nearest = np.full(COLOURS, np.inf)
        np.minimum.at(nearest, chosen, np.where(np.isnan(distances), np.inf, distances))
        nearest[np.isinf(nearest)] = -1.0  # borne by none that is on the map
        unplaced = (nearest < 0).all()
        chosen.append(cluster % COLOURS if unplaced else int(nearest.argmax()))
    return chosen
