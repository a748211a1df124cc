"""Two measures of your own, without touching leadline: a formula, and a model of reading.

Import this module and they are known everywhere by name, on the command line with --import::

    leadline evaluate qrels.txt my.run -m 'HalfLife(h=3)@10' -m 'Restless' --import examples/my_measure.py

The formula is written once, over the documents a measure can see (``r.rank``, ``r.hit``, ``r.gain``), and summed to
each point looked at (``r.upto``); score, curve over depths and curve over lengths all come from it.
"""

import numpy as np

import leadline


@leadline.measure
class HalfLife(leadline.BinaryMeasure):
    r"""The first relevant document, worth half as much every h ranks.

    $$\mathrm{HalfLife} = 2^{-(i-1)/h}, \qquad i = \min \{ j : b_j = 1 \}$$

    Like RR it looks at one document only, but it does not throw away half of the score between ranks 1 and 2.

    References: this example.

    >>> HalfLife(h=2).score("0 0 1")
    0.5
    """

    h: float = leadline.param(3.0, within="(0, inf)", doc="ranks that cost half of the worth")
    rises_only_at_hits = True  # a longer list scores higher only where a relevant document was added

    def value(self, r):
        """The one term of the first relevant document."""
        first = r.hit * (r.before(r.hit) == 0)
        return r.upto(first * 0.5 ** ((r.rank - 1) / self.h))


@leadline.measure
class Restless(leadline.ContinuationMeasure):
    r"""The gain per document of a reader who goes on more readily after a good document than after a poor one.

    $$C(i) = p\, G(i) + q\, (1 - G(i))$$

    References: this example.

    >>> round(Restless(p=0.9, q=0.5).score("1 0 1"), 4)
    0.4589
    """

    p: float = leadline.param(0.9, within="[0, 1)", doc="chance to go on after a document of gain 1")
    q: float = leadline.param(0.6, within="[0, 1)", doc="chance to go on after a document without gain")
    gain: str = leadline.gain_param("linear")

    def continuation(self, rank, gain, total):
        """The chance to go on after each rank; weights, expected depth and cost follow from it."""
        return self.p * gain + self.q * (1 - gain)


if __name__ == "__main__":
    print(leadline.parse("HalfLife(h=2)").length_curve("0 0 1 1"))
    print(leadline.parse("ED(of='Restless')").score("1 0 1"), np.round(Restless().weights("1 0 1", ranks=4), 3))
