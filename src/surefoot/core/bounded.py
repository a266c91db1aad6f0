"""The body of somebody else's reply, read only as far as we are willing to hold it, packed or unpacked."""

from __future__ import annotations

import zlib
from collections.abc import AsyncIterator


class TooLargeError(ValueError):
    """More came than we asked to hold; nothing of it is kept."""


async def read_bounded(pieces: AsyncIterator[bytes], encoding: str, limit: int) -> bytes:
    """The body from its raw pieces. A gzip bomb is unpacked to the limit and not a byte further.

    ValueError: an encoding we did not ask for, or one that is not what it says.
    """
    kind = encoding.strip().lower()
    if kind not in ("", "identity", "gzip", "x-gzip"):
        raise ValueError(f"encoded as {kind[:20]!r}")
    unzip = zlib.decompressobj(16 + zlib.MAX_WBITS) if "gzip" in kind else None
    wire, body = 0, bytearray()
    async for piece in pieces:
        wire += len(piece)
        try:
            body += unzip.decompress(piece, limit - len(body) + 1) if unzip else piece
        except zlib.error as error:
            raise ValueError("not the gzip it says it is") from error
        if wire > limit or len(body) > limit:
            raise TooLargeError(f"larger than {limit:,} bytes")
    return bytes(body)
