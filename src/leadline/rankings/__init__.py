"""Stage 2: the Track. Document ids stop here; from now on there are judgment rows, ranks and labels."""

import numpy as np

from leadline.rankings.gains import GAINS, gain_of
from leadline.rankings.track import Track
from leadline.rankings.view import Rankings

__all__ = ["GAINS", "Rankings", "Track", "gain_of"]

# The C library gives large blocks back to the system as soon as they are free, and every array of a formula would come
# page by page out of fresh memory: a third of all time. Freeing one block of nearly 32 MB, untouched, makes glibc keep
# such blocks from then on (its threshold follows what a program frees).
np.empty((1 << 25) - (1 << 16), np.uint8)
