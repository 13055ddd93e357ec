"""A real Milvus on this machine, for tests and benches: started, killed, stopped by its pid.

Named so because the wheel that brings the server is called `milvus`, and nothing may be imported in its stead. The
server listens on every interface, whatever it is told; here it is asked on loopback only, and wants a password.
"""

import http.client
import lzma
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from importlib.metadata import PackageNotFoundError, distribution
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import pytest

START_SECONDS = 60.0
_FIRST_SIGN_IN = "root:Milvus"
"""of every new server"""
# Without this the one inside listens on ports that another server has.
_ETCD = """
name: default
data-dir: {data}
listen-client-urls: http://127.0.0.1:{port}
advertise-client-urls: http://127.0.0.1:{port}
listen-peer-urls: http://127.0.0.1:{peer_port}
initial-advertise-peer-urls: http://127.0.0.1:{peer_port}
initial-cluster: default=http://127.0.0.1:{peer_port}
logger: zap
log-outputs: [stderr]
"""


class NotStarted(Exception):
    """Why there is no server."""


class Milvus:
    """One server in a directory of its own. `settings` by their names in its configuration, such as
    `proxy.timeTickInterval`."""

    def __init__(self, **settings: object) -> None:
        self._programs = _installed()
        self._home = Path(tempfile.mkdtemp(prefix="palyra-milvus-"))
        self._server: subprocess.Popen[bytes] | None = None
        config = _wheel().MilvusServerConfig(data_dir=str(self._home))
        named = [name for name in config.configurable_items if name.endswith("_port")]
        *ports, self._health_port, peer_port = _free_ports(len(named) + 2)
        config.update(**dict(zip(named, ports, strict=True)))
        config.set("authorization_enabled", True)
        for name, value in settings.items():
            config.set(name, value)
        config.resolve()
        self.port: int = config.get("proxy_port")
        self._etcd = self._home / "etcd.yaml"
        self._etcd.write_text(
            _ETCD.format(data=config.get("etcd_data_dir"), port=config.get("etcd_port"), peer_port=peer_port)
        )

    @property
    def dsn(self) -> str:
        return f"http://{_FIRST_SIGN_IN}@127.0.0.1:{self.port}"

    @property
    def pid(self) -> int:
        assert self._server is not None
        return self._server.pid

    def start(self) -> None:
        """NotStarted if it does not answer within a minute."""
        environ = {
            **os.environ,
            "DEPLOY_MODE": "STANDALONE",
            "METRICS_PORT": str(self._health_port),
            "ETCD_CONFIG_PATH": str(self._etcd),
            "LD_LIBRARY_PATH": str(self._programs),
        }
        log = self._home / "log"
        with log.open("ab") as file:
            self._server = subprocess.Popen(
                [str(self._programs / "milvus"), "run", "standalone"],
                cwd=self._home, env=environ, stdout=file, stderr=file,
            )  # fmt: skip
        until = time.monotonic() + START_SECONDS
        while not self._is_healthy():
            if self._server.poll() is not None:
                raise NotStarted(f"Milvus ended: {log.read_text(errors='replace')[-1_000:]}")
            if time.monotonic() > until:
                raise NotStarted(f"Milvus did not start within {START_SECONDS:g} s")
            time.sleep(0.1)

    def kill(self) -> None:
        """As if the machine lost it: no shutdown, nothing flushed."""
        assert self._server is not None
        self._server.send_signal(signal.SIGKILL)
        self._server.wait(30)

    def remove(self) -> None:
        if self._server is not None and self._server.poll() is None:
            self.kill()
        shutil.rmtree(self._home, ignore_errors=True)

    def _is_healthy(self) -> bool:
        asked = http.client.HTTPConnection("127.0.0.1", self._health_port, timeout=5)
        try:
            asked.request("GET", "/healthz")
            return b"OK" in asked.getresponse().read()
        except OSError:
            return False
        finally:
            asked.close()


@contextmanager
def a_milvus(**settings: object) -> Iterator[Milvus]:
    """Skips the test loudly where there can be no server."""
    try:
        server = Milvus(**settings)
    except NotStarted as reason:
        pytest.skip(f"MILVUS IS NOT TESTED: {reason}")
    try:
        try:
            server.start()
        except NotStarted as reason:
            pytest.skip(f"MILVUS IS NOT TESTED: {reason}")
        yield server
    finally:
        server.remove()


def _wheel() -> ModuleType:
    """What the wheel writes configurations with."""
    spec = spec_from_file_location("milvus_wheel", _place() / "__init__.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _place() -> Path:
    if find_spec("pymilvus") is None:
        raise NotStarted("pymilvus is not installed; pip install 'palyra[milvus]'")
    try:
        return Path(str(distribution("milvus").locate_file("milvus")))
    except PackageNotFoundError:
        raise NotStarted("the wheel with the server, milvus, is not installed; it is for Linux on x86-64") from None


@cache
def _installed() -> Path:
    """The server and its libraries, unpacked once for all that use it."""
    packed = _place() / "data" / "bin"
    shared = Path(tempfile.gettempdir()) / f"palyra-milvus-{distribution('milvus').version}-{os.geteuid()}"
    if not shared.exists():
        making = Path(tempfile.mkdtemp(prefix="palyra-milvus-"))
        with ThreadPoolExecutor() as pool:
            list(pool.map(lambda file: _unpack(file, making / file.stem), sorted(packed.glob("*.lzma"))))
        try:
            making.rename(shared)
        except OSError:  # somebody else was faster
            shutil.rmtree(making, ignore_errors=True)
    return shared


def _unpack(packed: Path, to: Path) -> None:
    with lzma.open(packed) as source, to.open("wb") as target:
        shutil.copyfileobj(source, target, 1 << 20)
    to.chmod(0o755)


def _free_ports(count: int) -> list[int]:
    probes = [socket.socket() for _ in range(count)]
    try:
        for probe in probes:
            probe.bind(("127.0.0.1", 0))
        return [probe.getsockname()[1] for probe in probes]
    finally:
        for probe in probes:
            probe.close()
