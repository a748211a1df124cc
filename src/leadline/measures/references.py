"""BibTeX of everything the measures cite; ``leadline catalogue --bibtex`` writes the entries you used."""

from __future__ import annotations

from collections.abc import Iterable

from leadline.measures.base import Measure

__all__ = ["REFERENCES", "bibtex"]


def _entry(kind: str, key: str, **fields: str) -> str:
    body = "".join(f"  {name:<9} = {{{value}}},\n" for name, value in fields.items())
    return f"@{kind}{{{key},\n{body}}}\n"


_RAW: dict[str, tuple[str, dict[str, str]]] = {
    "amigo2022": ("inproceedings", {
        "author": "Amig{\\'o}, Enrique and Mizzaro, Stefano and Spina, Damiano",
        "title": "Ranking Interruptus: When Truncated Rankings Are Better and How to Measure That",
        "booktitle": "SIGIR", "year": "2022", "doi": "10.1145/3477495.3532051"}),
    "buckley2004": ("inproceedings", {
        "author": "Buckley, Chris and Voorhees, Ellen M.",
        "title": "Retrieval Evaluation with Incomplete Information",
        "booktitle": "SIGIR", "year": "2004", "doi": "10.1145/1008992.1009000"}),
    "buckley2005": ("incollection", {
        "author": "Buckley, Chris and Voorhees, Ellen M.",
        "title": "Retrieval System Evaluation",
        "booktitle": "TREC: Experiment and Evaluation in Information Retrieval",
        "publisher": "MIT Press", "year": "2005"}),
    "chapelle2009": ("inproceedings", {
        "author": "Chapelle, Olivier and Metzler, Donald and Zhang, Ya and Grinspan, Pierre",
        "title": "Expected Reciprocal Rank for Graded Relevance",
        "booktitle": "CIKM", "year": "2009", "doi": "10.1145/1645953.1646033"}),
    "diaz2023": ("misc", {
        "author": "Diaz, Fernando",
        "title": "Best-Case Retrieval Evaluation: Improving the Sensitivity of Reciprocal Rank "
        "with Lexicographic Precision",
        "year": "2023", "eprint": "2306.07908", "archiveprefix": "arXiv"}),
    "jarvelin2002": ("article", {
        "author": "J{\\\"a}rvelin, Kalervo and Kek{\\\"a}l{\\\"a}inen, Jaana",
        "title": "Cumulated Gain-Based Evaluation of {IR} Techniques",
        "journal": "ACM Transactions on Information Systems", "volume": "20", "number": "4",
        "year": "2002", "doi": "10.1145/582415.582418"}),
    "kantor2000": ("article", {
        "author": "Kantor, Paul B. and Voorhees, Ellen M.",
        "title": "The {TREC-5} Confusion Track: Comparing Retrieval Methods for Scanned Text",
        "journal": "Information Retrieval", "volume": "2", "year": "2000", "doi": "10.1023/A:1009902609570"}),
    "lioma2017": ("inproceedings", {
        "author": "Lioma, Christina and Simonsen, Jakob Grue and Larsen, Birger",
        "title": "Evaluation Measures for Relevance and Credibility in Ranked Lists",
        "booktitle": "ICTIR", "year": "2017", "doi": "10.1145/3121050.3121072"}),
    "clarke2020": ("inproceedings", {
        "author": "Clarke, Charles L. A. and Vtyurina, Alexandra and Smucker, Mark D.",
        "title": "Offline Evaluation without Gain",
        "booktitle": "ICTIR", "year": "2020", "doi": "10.1145/3409256.3409816"}),
    "palotti2018": ("inproceedings", {
        "author": "Palotti, Joao and Zuccon, Guido and Hanbury, Allan",
        "title": "{MM}: A New Framework for Multidimensional Evaluation of Search Engines",
        "booktitle": "CIKM", "year": "2018", "doi": "10.1145/3269206.3269261"}),
    "liu2016": ("inproceedings", {
        "author": "Liu, Fei and Moffat, Alistair and Baldwin, Timothy and Zhang, Xiuzhen",
        "title": "Quit While Ahead: Evaluating Truncated Rankings",
        "booktitle": "SIGIR", "year": "2016", "doi": "10.1145/2911451.2914737"}),
    "lu2016": ("article", {
        "author": "Lu, Xiaolu and Moffat, Alistair and Culpepper, J. Shane",
        "title": "The Effect of Pooling and Evaluation Depth on {IR} Metrics",
        "journal": "Information Retrieval Journal", "volume": "19", "year": "2016", "doi":
        "10.1007/s10791-016-9282-6"}),
    "macavaney2022": ("inproceedings", {
        "author": "MacAvaney, Sean and Macdonald, Craig and Ounis, Iadh",
        "title": "Streamlining Evaluation with ir-measures",
        "booktitle": "ECIR", "year": "2022", "doi": "10.1007/978-3-030-99739-7_38"}),
    "maistro2021": ("inproceedings", {
        "author": "Maistro, Maria and Chaves Lima, Lucas and Simonsen, Jakob Grue and Lioma, Christina",
        "title": "Principled Multi-Aspect Evaluation Measures of Rankings",
        "booktitle": "CIKM", "year": "2021", "doi": "10.1145/3459637.3482287"}),
    "moffat2008": ("article", {
        "author": "Moffat, Alistair and Zobel, Justin",
        "title": "Rank-Biased Precision for Measurement of Retrieval Effectiveness",
        "journal": "ACM Transactions on Information Systems", "volume": "27", "number": "1",
        "year": "2008", "doi": "10.1145/1416950.1416952"}),
    "moffat2017": ("article", {
        "author": "Moffat, Alistair and Bailey, Peter and Scholer, Falk and Thomas, Paul",
        "title": "Incorporating User Expectations and Behavior into the Measurement of Search Effectiveness",
        "journal": "ACM Transactions on Information Systems", "volume": "35", "number": "3",
        "year": "2017", "doi": "10.1145/3052768"}),
    "penas2011": ("inproceedings", {
        "author": "Pe{\\~n}as, Anselmo and Rodrigo, Alvaro",
        "title": "A Simple Measure to Assess Non-response",
        "booktitle": "ACL", "year": "2011"}),
    "sakai2007": ("inproceedings", {
        "author": "Sakai, Tetsuya",
        "title": "Alternatives to {Bpref}",
        "booktitle": "SIGIR", "year": "2007", "doi": "10.1145/1277741.1277756"}),
    "amigo2018": ("inproceedings", {
        "author": "Amig{\\'o}, Enrique and Spina, Damiano and Carrillo-de-Albornoz, Jorge",
        "title": "An Axiomatic Analysis of Diversity Evaluation Metrics: Introducing the Rank-Biased Utility Metric",
        "booktitle": "SIGIR", "year": "2018", "doi": "10.1145/3209978.3210024"}),
    "amigo2018formal": ("inproceedings", {
        "author": "Amig{\\'o}, Enrique and Giner, Fernando and Mizzaro, Stefano and Spina, Damiano",
        "title": "A Formal Account of Effectiveness Evaluation and Ranking Fusion",
        "booktitle": "ICTIR", "year": "2018", "doi": "10.1145/3234944.3234958"}),
    "azzopardi2019": ("inproceedings", {
        "author": "Azzopardi, Leif and Thomas, Paul and Moffat, Alistair",
        "title": "cwl\\_eval: An Evaluation Tool for Information Retrieval",
        "booktitle": "SIGIR", "year": "2019", "doi": "10.1145/3331184.3331398"}),
    "cooper1968": ("article", {
        "author": "Cooper, William S.",
        "title": "Expected Search Length: A Single Measure of Retrieval Effectiveness Based on the Weak Ordering "
        "Action of Retrieval Systems",
        "journal": "American Documentation", "volume": "19", "number": "1", "year": "1968",
        "doi": "10.1002/asi.5090190108"}),
    "hanley1982": ("article", {
        "author": "Hanley, James A. and McNeil, Barbara J.",
        "title": "The Meaning and Use of the Area under a Receiver Operating Characteristic ({ROC}) Curve",
        "journal": "Radiology", "volume": "143", "number": "1", "year": "1982",
        "doi": "10.1148/radiology.143.1.7063747"}),
    "kendall1945": ("article", {
        "author": "Kendall, Maurice G.",
        "title": "The Treatment of Ties in Ranking Problems",
        "journal": "Biometrika", "volume": "33", "number": "3", "year": "1945", "doi": "10.1093/biomet/33.3.239"}),
    "moffat2012": ("inproceedings", {
        "author": "Moffat, Alistair and Scholer, Falk and Thomas, Paul",
        "title": "Models and Metrics: {IR} Evaluation as a User Process",
        "booktitle": "ADCS", "year": "2012", "doi": "10.1145/2407085.2407092"}),
    "moffat2013": ("inproceedings", {
        "author": "Moffat, Alistair and Thomas, Paul and Scholer, Falk",
        "title": "Users Versus Models: What Observation Tells Us about Effectiveness Metrics",
        "booktitle": "CIKM", "year": "2013", "doi": "10.1145/2505515.2507665"}),
    "moffat2015": ("inproceedings", {
        "author": "Moffat, Alistair and Bailey, Peter and Scholer, Falk and Thomas, Paul",
        "title": "{INST}: An Adaptive Metric for Information Retrieval Evaluation",
        "booktitle": "ADCS", "year": "2015", "doi": "10.1145/2838931.2838938"}),
    "sakai2019": ("inproceedings", {
        "author": "Sakai, Tetsuya and Zeng, Zhaohao",
        "title": "Which Diversity Evaluation Measures Are ``Good''?",
        "booktitle": "SIGIR", "year": "2019", "doi": "10.1145/3331184.3331215"}),
    "spearman1904": ("article", {
        "author": "Spearman, Charles",
        "title": "The Proof and Measurement of Association between Two Things",
        "journal": "The American Journal of Psychology", "volume": "15", "number": "1", "year": "1904",
        "doi": "10.2307/1412159"}),
    "zhang2017": ("inproceedings", {
        "author": "Zhang, Fan and Liu, Yiqun and Li, Xin and Zhang, Min and Xu, Yinghui and Ma, Shaoping",
        "title": "Evaluating Web Search with a Bejeweled Player Model",
        "booktitle": "SIGIR", "year": "2017", "doi": "10.1145/3077136.3080841"}),
    "vanrijsbergen1979": ("book", {
        "author": "van Rijsbergen, C. J.",
        "title": "Information Retrieval", "publisher": "Butterworths", "year": "1979"}),
    "yilmaz2006": ("inproceedings", {
        "author": "Yilmaz, Emine and Aslam, Javed A.",
        "title": "Estimating Average Precision with Incomplete and Imperfect Judgments",
        "booktitle": "CIKM", "year": "2006", "doi": "10.1145/1183614.1183633"}),
}  # fmt: skip

REFERENCES = {key: _entry(kind, key, **fields) for key, (kind, fields) in sorted(_RAW.items())}


def bibtex(measures: Iterable[Measure | type[Measure]]) -> str:
    """BibTeX entries of all that the given measures cite, each once.

    >>> from leadline.measures import parse
    >>> bibtex([parse("RBP")]).splitlines()[0]
    '@article{moffat2008,'
    """
    keys = sorted({key for m in measures for key in m.cites})
    return "\n".join(REFERENCES[key] for key in keys)
