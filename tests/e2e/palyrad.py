"""A real daemon process, as a service manager runs it: started, spoken to over HTTP, stopped by a signal."""

import datetime
import ipaddress
import json
import signal
import ssl
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from shell import PALYRA, Shell

WAIT_SECONDS = 60


@dataclass
class Daemon:
    process: subprocess.Popen[bytes]
    http: str
    """for the owner's commands"""
    public: str
    """for everybody else; not the same where there is a certificate"""
    secret: str
    announced: Path

    def client(self, verify: ssl.SSLContext | bool = False) -> httpx2.Client:
        headers = {"authorization": f"Bearer {self.secret}"}
        return httpx2.Client(base_url=self.http, headers=headers, verify=verify, timeout=WAIT_SECONDS, trust_env=False)

    @property
    def port(self) -> int:
        return int(self.http.rpartition(":")[2])

    def stop(self, number: signal.Signals = signal.SIGTERM) -> int:
        self.process.send_signal(number)
        return self.wait()

    def wait(self) -> int:
        return self.process.wait(WAIT_SECONDS)


@contextmanager
def palyrad(
    shell: Shell, *options: str, under: tuple[str, ...] = (), environment: dict[str, str] | None = None
) -> Iterator[Daemon]:
    """Ready. What it logs is beside its data. `under`: a command that starts the rest of its line."""
    command = [*under, *PALYRA, "serve", "--port", "0", "--grpc-port", "-1", "--json", *options]
    with (shell.home.parent / "palyrad.log").open("ab") as log:
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=log, env={**shell.environment, **(environment or {})}
        )
    try:
        assert process.stdout is not None
        started: dict[str, Any] = json.loads(process.stdout.readline())
        announced = Path(started["data_dir"]) / "palyrad.json"
        running = json.loads(announced.read_text())
        assert running["pid"] == process.pid
        yield Daemon(process, running["http"], started["http"], running["secret"], announced)
    finally:
        process.kill()
        process.communicate()


def make_certificate(directory: Path) -> tuple[Path, Path]:
    """For 127.0.0.1, signed by itself, for a day."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "palyra")])
    now = datetime.datetime.now(datetime.UTC)
    names = x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))])
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(hours=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(names, critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    certificate, secret = directory / "certificate.pem", directory / "key.pem"
    certificate.write_bytes(made.public_bytes(serialization.Encoding.PEM))
    secret.write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    return certificate, secret
