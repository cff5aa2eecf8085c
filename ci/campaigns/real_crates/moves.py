"""Which crate is at which version, commit by commit."""

# What the first commit has. Old enough that some crates can move forward, and new enough that some
# can move back.
FIRST = {
    "base64": "0.13.1",
    "hashbrown": "0.11.2",
    "hex": "0.3.2",
    "indexmap": "1.9.3",
    "itoa": "1.0.9",
    "memchr": "2.5.0",
    "miniz_oxide": "0.5.4",
    "ryu": "1.0.15",
    "serde_json": "1.0.117",
    "smallvec": "1.13.2",
    "unicode-width": "0.1.10",
}

# Each later commit moves one crate, forward or back. What became of the speed on one machine stands
# beside it; what it is where the campaign runs, the campaign measures.
MOVES = [
    ("hex", "0.4.3"),            # hex_encode 2.4x
    ("memchr", "2.7.4"),         # lines 0.16x, stops 0.86x, words 1.05x
    ("hashbrown", "0.12.3"),     # map_look_up 1.2x
    ("unicode-width", "0.1.14"), # width 1.5x
    ("base64", "0.21.7"),        # the same
    ("itoa", "1.0.18"),          # integers 2.0x
    ("hashbrown", "0.14.5"),     # map_build and map_look_up 0.9x, map_numbers 0.8x
    ("miniz_oxide", "0.8.9"),    # deflate 0.9x
    ("serde_json", "1.0.154"),   # json_write 0.8x
    ("indexmap", "1.0.2"),       # index_build 1.4x
    ("hex", "0.3.2"),            # hex_encode 0.4x
    ("hashbrown", "0.9.1"),      # map_build 1.3x, map_look_up 1.15x, map_numbers 1.4x
    ("memchr", "2.5.0"),         # lines 6x, stops 1.15x
    ("smallvec", "0.6.14"),      # small_vectors 1.16x
    ("ryu", "1.0.23"),           # floats 1.08x
    ("base64", "0.6.0"),         # base64_encode 0.9x, base64_decode 1.05x
    ("itoa", "1.0.1"),           # integers 0.4x
    ("miniz_oxide", "0.7.4"),    # deflate 1.2x
    ("unicode-width", "0.2.2"),  # the same
]


def name_of(crate, version):
    """The subject of the commit that moves the crate there."""
    return f"{crate} {version}"
