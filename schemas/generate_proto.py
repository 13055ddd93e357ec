"""Writes the Python code of the .proto files: `make proto`, or with a directory as its argument, to there.

protoc places modules by the proto package, `palyra.memory.v1`, which would lie inside our own package of that name.
They go flat into `palyra.transports.grpc.generated` instead, and their imports are told so.
"""

import re
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from grpc_tools import protoc  # type: ignore[import-untyped]  # comes without type information

PROTO = Path(__file__).parent / "proto"
PACKAGE = "palyra.transports.grpc.generated"
GENERATED = PROTO.parents[1] / "src" / Path(*PACKAGE.split("."))
INIT = '"""Made from schemas/proto by `make proto`; not for editing."""\n'


def generate(to: Path) -> None:
    sources = sorted(str(path.relative_to(PROTO)) for path in PROTO.rglob("*.proto"))
    with TemporaryDirectory() as made:
        if protoc.main(["protoc", f"-I{PROTO}", f"--python_out={made}", f"--pyi_out={made}", *sources]):
            sys.exit("protoc refused the .proto files")
        to.mkdir(parents=True, exist_ok=True)
        (to / "__init__.py").write_text(INIT, "utf-8")
        for path in sorted(Path(made).rglob("*_pb2.py*")):
            text = re.sub(r"\bpalyra(\.\w+)+\.v1(?=\.\w+_pb2\b| import )", PACKAGE, path.read_text("utf-8"))
            (to / path.name).write_text(text, "utf-8")


if __name__ == "__main__":
    generate(Path(sys.argv[1]) if len(sys.argv) > 1 else GENERATED)
