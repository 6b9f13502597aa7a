"""A server of chat completions that answers each call after SECONDS, and prints its port: server.py SECONDS.

It does as little as it can: what it takes is in the figures of all who call it.
"""

from __future__ import annotations

import asyncio
import json
import sys

SECONDS = float(sys.argv[1])
REPLY = {
    "model": "model",
    "choices": [{"message": {"role": "assistant", "content": "the answer"}, "finish_reason": "stop"}],
    "usage": {"prompt_tokens": 12, "completion_tokens": 5},
}
BODY = json.dumps(REPLY).encode()
HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n" % len(BODY)


class Answering(asyncio.Protocol):
    """One connection."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.loop = loop
        self.received = b""
        self.transport: asyncio.Transport

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        self.received += data
        head, end, body = self.received.partition(b"\r\n\r\n")
        if not end:
            return
        length = next(line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length"))
        if len(body) >= int(length.partition(b":")[2]):
            self.received = b""
            self.loop.call_later(SECONDS, self.transport.write, HEAD + BODY)


async def serve() -> None:
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: Answering(loop), "127.0.0.1", 0, backlog=1000)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


asyncio.run(serve())
