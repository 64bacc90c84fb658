"""Downloads from a real HTTP server on loopback that misbehaves in every way that mirrors do."""

import hashlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from datasets.download import download
from datasets.files import DataFile, DataFileError

CONTENT = bytes(range(256)) * 12_000  # 3 MB: several pieces
DIGEST = hashlib.sha256(CONTENT).hexdigest()


class Server(ThreadingHTTPServer):
    """Serves CONTENT at /<behaviour>, and remembers every request."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.requests = []  # (behaviour, Range header)
        self.seen = Counter()

    def url(self, behaviour):
        return f"http://127.0.0.1:{self.server_port}/{behaviour}"

    def handle_error(self, request, client_address):
        pass  # clients that are killed leave broken pipes


class Handler(BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def do_GET(self):
        behaviour = self.path.strip("/")
        asked = self.headers.get("Range")
        self.server.requests.append((behaviour, asked))
        self.server.seen[behaviour] += 1
        first = self.server.seen[behaviour] == 1
        if behaviour == "missing":
            return self.send_error(404)
        if behaviour == "busy-once" and first:
            return self.send_error(503)
        content = b"<html>please log in</html>" if behaviour == "wrong" else CONTENT
        start = int(asked.removeprefix("bytes=").rstrip("-")) if asked else 0
        if behaviour == "no-resume":
            start = 0
        if start and start >= len(content):
            return self.send_error(416)
        self.send_response(206 if start else 200)
        if start:
            self.send_header("Content-Range", f"bytes {start}-{len(content) - 1}/{len(content)}")
        if behaviour != "no-length":
            self.send_header("Content-Length", str(len(content) - start))
        self.end_headers()
        rest = content[start:]
        if (behaviour == "cut-once" and first) or behaviour == "cut-always":
            self.wfile.write(rest[: len(rest) // 2])
        elif behaviour == "slow":
            for at in range(0, len(rest), 100_000):
                self.wfile.write(rest[at : at + 100_000])
                time.sleep(0.1)
        else:
            self.wfile.write(rest)
        return None


@pytest.fixture
def server():
    with Server() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        yield server
        server.shutdown()


def a_file(server, *behaviours):
    return DataFile("data.bin", "folder", sha256=(DIGEST,), urls=tuple(map(server.url, behaviours)))


def get(file, folder):
    path = download(file, folder, pause=0.0)
    assert path.read_bytes() == CONTENT
    assert not (folder / "data.bin.part").exists()
    return path


def test_next_mirror_after_404(server, tmp_path):
    get(a_file(server, "missing", "good"), tmp_path)
    assert server.requests == [("missing", None), ("good", None)]


def test_cut_in_the_middle_continues(server, tmp_path):
    get(a_file(server, "cut-once"), tmp_path)
    assert server.requests == [
        ("cut-once", None),
        ("cut-once", f"bytes={len(CONTENT) // 2}-"),
    ]


def test_cut_again_and_again_keeps_the_part_and_a_later_call_continues(server, tmp_path):
    with pytest.raises(DataFileError, match=r"(?s)cut after .* bytes are kept"):
        download(a_file(server, "cut-always"), tmp_path, pause=0.0)
    assert not (tmp_path / "data.bin").exists()
    kept = (tmp_path / "data.bin.part").stat().st_size
    assert 0 < kept < len(CONTENT)
    get(a_file(server, "good"), tmp_path)
    assert server.requests[-1] == ("good", f"bytes={kept}-")


def test_a_part_from_one_mirror_is_finished_by_another(server, tmp_path):
    get(a_file(server, "cut-always", "missing", "good"), tmp_path)


def test_server_that_cannot_resume_starts_over(server, tmp_path):
    (tmp_path / "data.bin.part").write_bytes(CONTENT[:1000])
    get(a_file(server, "no-resume"), tmp_path)


def test_server_without_a_length(server, tmp_path):
    get(a_file(server, "no-length"), tmp_path)


def test_busy_server_is_asked_again(server, tmp_path):
    get(a_file(server, "busy-once"), tmp_path)
    assert len(server.requests) == 2


def test_wrong_content_is_refused_and_named(server, tmp_path):
    with pytest.raises(DataFileError) as caught:
        download(a_file(server, "wrong"), tmp_path, pause=0.0)
    message = str(caught.value)
    assert "data.bin" in message
    assert "wrong content" in message
    assert DIGEST in message
    assert hashlib.sha256(b"<html>please log in</html>").hexdigest() in message
    assert list(tmp_path.glob("data.bin*")) == []


def test_wrong_content_on_the_first_mirror(server, tmp_path):
    get(a_file(server, "wrong", "good"), tmp_path)


def test_spoilt_part_is_thrown_away(server, tmp_path):
    (tmp_path / "data.bin.part").write_bytes(b"x" * 5000)
    get(a_file(server, "good"), tmp_path)
    assert [asked for _, asked in server.requests] == ["bytes=5000-", None]


def test_part_longer_than_the_file(server, tmp_path):
    (tmp_path / "data.bin.part").write_bytes(CONTENT + b"more")
    get(a_file(server, "good"), tmp_path)


def test_complete_part_needs_no_second_download(server, tmp_path):
    (tmp_path / "data.bin.part").write_bytes(CONTENT)
    get(a_file(server, "good"), tmp_path)
    assert server.requests == []


def test_damaged_target_is_replaced(server, tmp_path):
    (tmp_path / "data.bin").write_bytes(CONTENT[:-1] + b"x")
    get(a_file(server, "good"), tmp_path)


def test_no_network(tmp_path):
    file = DataFile("data.bin", "folder", sha256=(DIGEST,), urls=("http://127.0.0.1:9/data.bin",))
    with pytest.raises(DataFileError) as caught:
        download(file, tmp_path / "new", pause=0.0)
    message = str(caught.value)
    for part in ("127.0.0.1:9", "refused", DIGEST, str(tmp_path / "new"), "data.bin"):
        assert part in message


def test_two_at_once_download_once(server, tmp_path):
    file = a_file(server, "slow")
    threads = [threading.Thread(target=get, args=(file, tmp_path)) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert server.requests == [("slow", None)]
    assert (tmp_path / "data.bin").read_bytes() == CONTENT


def test_killed_download_leaves_no_file_and_continues(server, tmp_path):
    script = (
        "import sys; from pathlib import Path; from datasets.download import download;"
        "from datasets.files import DataFile;"
        f"file = DataFile('data.bin', '', ('{DIGEST}',), None, (sys.argv[1],));"
        "download(file, Path(sys.argv[2]))"
    )
    process = subprocess.Popen([sys.executable, "-c", script, server.url("slow"), str(tmp_path)])
    part = tmp_path / "data.bin.part"
    deadline = time.monotonic() + 30
    while not (part.exists() and part.stat().st_size) and time.monotonic() < deadline:
        time.sleep(0.01)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    assert not (tmp_path / "data.bin").exists()
    kept = part.stat().st_size
    assert 0 < kept < len(CONTENT)
    get(a_file(server, "good"), tmp_path)
    assert server.requests[-1] == ("good", f"bytes={kept}-")
