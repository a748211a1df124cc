"""Compressed input, recognised by its first bytes and decoded block by block."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from leadline.errors import InputError

__all__ = ["COMPRESSED", "compression", "decompress"]

COMPRESSED = (".gz", ".zst", ".bz2", ".xz")
_MAGIC = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd", b"BZh": "bzip2", b"\xfd7zXZ\x00": "xz"}
_PIECE = 1 << 20  # bytes decoded at a time, and
_BLOCK = 1 << 24  # bytes they may become at a time, whatever the file claims
_SMALL = 1 << 12  # for decoders that cannot bound their output


def compression(head: bytes) -> str | None:
    """The compression that data beginning like this has, if any.

    >>> compression(b"BZh91AY"), compression(b"q1 Q0 d1 1 0.5 tag")
    ('bzip2', None)
    """
    return next((kind for magic, kind in _MAGIC.items() if head.startswith(magic)), None)


def _decoder(kind: str) -> Any:
    if kind == "gzip":
        try:
            from isal import igzip_lib
        except ImportError:  # there are machines it does not exist for
            import zlib

            return zlib.decompressobj(wbits=31)
        return igzip_lib.IgzipDecompressor(flag=igzip_lib.DECOMP_GZIP)
    if kind == "zstd":
        import zstandard

        return zstandard.ZstdDecompressor().decompressobj()
    if kind == "bzip2":
        import bz2

        return bz2.BZ2Decompressor()
    import lzma

    return lzma.LZMADecompressor(format=lzma.FORMAT_XZ)


def decompress(
    data: bytes, kind: str, where: str, max_size: int | None = None, stop: Callable[[], bool] = lambda: False
) -> Iterator[bytes]:
    """Blocks of the decoded data; several streams end to end count as one.

    Raises InputError if the data is cut short or damaged, or decodes to more than ``max_size`` bytes.
    """
    total, start, size = 0, 0, len(data)
    view = memoryview(data)
    while start < size and not stop():
        decoder, at = _decoder(kind), start
        bounded = hasattr(decoder, "needs_input")
        step = _PIECE if bounded else _SMALL
        while not decoder.eof:
            hungry = not bounded or decoder.needs_input
            if hungry and at >= size:
                raise InputError(f"{where}: the {kind} data ends too early. The file is truncated: copy it again.")
            piece, at = (view[at : at + step], at + step) if hungry else (view[:0], at)
            block = _step(decoder, piece, kind, where, [_BLOCK] if bounded else [])
            total += len(block)
            if max_size is not None and total > max_size:
                raise InputError(
                    f"{where}: decompresses to more than {max_size:,} bytes. If that is right, raise max_size."
                )
            if stop():
                return
            yield block
        start = min(at, size) - len(decoder.unused_data)
        if not data[start : start + 64].strip(b"\0") and not data[start:].strip(b"\0"):
            return  # some writers pad with zeros


def _step(decoder: Any, piece: memoryview, kind: str, where: str, most: list[int]) -> bytes:
    try:
        block: bytes = decoder.decompress(piece, *most)
    except MemoryError:
        raise
    except Exception as error:  # each library has errors of its own
        raise InputError(f"{where}: the {kind} data is damaged, got {str(error)!r}. Copy the file again.") from None
    return block
