"""Stage 2: the Track. Document ids stop here; from now on there are judgment rows, ranks and labels."""

from leadline.rankings.gains import GAINS, gain_of
from leadline.rankings.track import Track
from leadline.rankings.view import Rankings

__all__ = ["GAINS", "Rankings", "Track", "gain_of"]
