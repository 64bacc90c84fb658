"""Methods that attack the suite from inside their cell, as the text of one file of a user's own.

Each class is named after the row of docs/suite.md that it tries; `first` and `lstsq` are honest.
"""

# Libraries on the path: one changes how others predict and are measured, one ends its process.
LIBRARIES = {
    "turns_tables": """
import baselines.bounds
import twin.qini

baselines.bounds.Oracle.predict_rows = lambda self, rows: -rows.true_uplift
twin.qini._scores_of = lambda *_: twin.qini.QiniScores(50.0, 1.0, 50.0)
""",
    "leaves": "import os\nos._exit(3)\n",
}

METHODS = r'''
import ctypes, gc, inspect, json, locale, os, pickle, random, signal, socket, stat, struct
import subprocess, sys, threading, time, warnings
import numpy as np
from baselines import Method
from twin.rows import Rows


class First(Method):
    name = "first"

    def _fit(self, train, valid, seed):
        pass

    def _predict(self, X):
        return X[:, 0]


class LeastSquares(Method):
    name = "lstsq"

    def _fit(self, train, valid, seed):
        self.w = np.linalg.lstsq(train.X, (2 * train.treatment - 1) * train.y, rcond=None)[0]

    def _predict(self, X):
        return X @ self.w


def sockets():
    for number in map(int, os.listdir("/proc/self/fd")):
        try:
            if stat.S_ISSOCK(os.fstat(number).st_mode):
                yield number
        except OSError:
            pass


def say(content):
    for number in sockets():
        os.write(number, content)


def forged(header, arrays=()):
    text = json.dumps({"header": header, "arrays": list(arrays)}).encode()
    return struct.pack(">Q", len(text)) + text


class Patches(First):
    name = "row02-patches"

    def _predict(self, X):
        import twin.qini
        import suite.compute.cell as cell
        import suite.compute.measures as measures
        fake = lambda *a, **k: twin.qini.QiniScores(50.0, 1.0, 50.0)
        for module in (twin.qini, measures, cell):
            for name in dir(module):
                if "score" in name.lower() and not isinstance(getattr(module, name), type):
                    setattr(module, name, fake)
        return X[:, 0]


class Library(First):
    name = "row02-library"

    def _fit(self, train, valid, seed):
        import turns_tables


class Leaves(First):
    name = "row02-leaves"

    def _fit(self, train, valid, seed):
        import leaves


class Leaks(First):
    """Looks for test outcomes and for the truth on every road but the data set's name."""

    name = "row04-leaks"
    reads_truth = True

    def _fit(self, train, valid, seed):
        found = []
        if train.true_uplift is not None:
            found.append("given truth")
        for array in (train.X, train.y, train.treatment, valid.X, valid.y):
            if array.base is not None:
                found.append("base")
        frames, frame = [], sys._getframe()
        while frame is not None:
            frames += list(frame.f_locals.values())
            frame = frame.f_back
        for item in [*frames, *gc.get_objects()]:
            if isinstance(item, Rows) and item.true_uplift is not None:
                found.append("truth")
            test = getattr(item, "test", None) if type(item).__name__ == "Dataset" else None
            if test is not None and (test.y.any() or test.treatment.any()):
                found.append("test outcomes")
        self.settings_ = {"found": sorted(set(found))}

    def predict_rows(self, rows):
        return rows.true_uplift if rows.true_uplift is not None else 2.0 * rows.y


class Rewrites(First):
    """Writes outcomes wherever it can reach an array of them."""

    name = "row04-rewrites"

    def _fit(self, train, valid, seed):
        for array in gc.get_objects():
            if isinstance(array, np.ndarray) and array.dtype == np.int8 and array.flags.writeable:
                array[:] = np.arange(array.size) < array.size // 2

    def _predict(self, X):
        return -np.arange(len(X), dtype=float)


class Texts(First):
    name = "row07-row14-texts"

    def _fit(self, train, valid, seed):
        warnings.warn("bad \udcff warning")
        self.settings_ = {"a": "x\u2028y\x85\x1c\n", "b": "\udcff"}


class Babbles(First):
    name = "row08-babbles"

    def _fit(self, train, valid, seed):
        while True:
            os.write(1, b"y" * 65536)


class Forks(First):
    name = "row09-forks"

    def _fit(self, train, valid, seed):
        os.fork()


class Scores(First):
    name = "row10-scores"

    def _fit(self, train, valid, seed):
        score = {"q": 77.0, "rho": 1.0, "q_adj": 77.0}
        say(forged({"result": {"train": score, "valid": score, "test": score}, "status": "ok"}))


class Pickle(First):
    name = "row10-pickle"

    def _fit(self, train, valid, seed):
        class Run:
            def __reduce__(self):
                return exec, (f"open({os.environ['ATTACKED']!r}, 'w')",)

        content = pickle.dumps(Run())
        say(struct.pack(">Q", len(content)) + content)


class NotANumber(First):
    name = "row10-not-a-number"
    settings = {"a": float("nan")}

    def _fit(self, train, valid, seed):
        parts = {"train": train, "valid": valid, "test": 1500}
        sizes = {name: rows if name == "test" else len(rows) for name, rows in parts.items()}
        fitted = dict(settings=self.settings, candidates=0, m=None, m_hat=None, updates=None,
                      seconds={"fit": 0.0}, cpu_seconds=0.0, warnings=[])
        arrays = [[name, "<f8", [n]] for name, n in sizes.items()]
        message = forged({"fitted": fitted, "peak_memory_mb": 1.0}, arrays)
        say(message + b"\0" * 8 * sum(sizes.values()))


class Deep(NotANumber):
    name = "row10-deep"
    settings = {"a": eval("[" * 90 + "]" * 90)}


class Claims(First):
    name = "row10-claims"

    def _fit(self, train, valid, seed):
        say(forged({}, [["test", "<f8", [1 << 39]]]))
        time.sleep(3600)


class Memory(First):
    name = "row28-memory"

    def _fit(self, train, valid, seed):
        code = "import time; b = bytearray(700 << 20); b[::4096] = b'x' * len(b[::4096])"
        subprocess.run([sys.executable, "-S", "-c", code + "; time.sleep(60)"])


class Daemon(First):
    name = "row29-daemon"

    def _fit(self, train, valid, seed):
        code = "import os, time; os.fork() and os._exit(0); os.setsid(); time.sleep(3600)"
        subprocess.run([sys.executable, "-S", "-c", code, os.environ["ATTACKED"]])
        subprocess.Popen(["setsid", "sleep", "3601"], start_new_session=True)
        threading.Thread(target=time.sleep, args=(3600,)).start()
        signal.setitimer(signal.ITIMER_REAL, 3600)


class State(First):
    """Turns everything that a process has over; the next class looks at what it finds."""

    name = "row30-state"

    def _fit(self, train, valid, seed):
        os.chdir("/")
        os.umask(0o777)
        os.environ["SEEN"] = "1"
        np.seterr(all="raise")
        sys.setrecursionlimit(200)
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        sys.modules["datasets"].load = None
        sys.modules["twin.qini"].qini_curve = None


class StateAfter(First):
    name = "row30-then"

    def _fit(self, train, valid, seed):
        mask = os.umask(0)
        self.settings_ = {
            "folder": os.getcwd(), "mask": mask, "seen": "SEEN" in os.environ,
            "errors": np.geterr()["over"], "recursion": sys.getrecursionlimit(),
            "load": callable(sys.modules["datasets"].load), "signal": int(signal.getsignal(15)),
            "threads": threading.active_count(),
            "environment": {name: os.environ.get(name) for name in (
                "OPENBLAS_CORETYPE", "NUMBA_CPU_NAME", "OMP_NUM_THREADS",
                "NPY_DISABLE_CPU_FEATURES", "ATEN_CPU_CAPABILITY",
                "NUMBA_DISABLE_JIT", "MKL_CBWR")},
        }


class Chatty(First):
    name = "row31-chatty"

    def _fit(self, train, valid, seed):
        for _ in range(4):
            os.write(1, b"y" * 2**20)
        os._exit(1)


class Flips(First):
    name = "row32-flips"
    sign = 1

    def _predict(self, X):
        self.sign = -self.sign
        return self.sign * X[:, 0]


class Huge(First):
    """Finite, and their squares are not."""

    name = "row42-huge"

    def _predict(self, X):
        return X[:, 0].astype(float) * 1e200


class Complex(First):
    name = "row42-complex"

    def _predict(self, X):
        return X[:, 0] + 1j


def make(name, fit):
    """A method that predicts like `first` and does one thing more when it is fitted."""
    body = {"name": name, "_fit": lambda self, train, valid, seed: fit(self, train)}
    body["__module__"] = __name__  # where the suite looks for methods
    globals()[name] = type(name, (First,), body)


def fails(text):
    raise RuntimeError(text)


make("row07-error", lambda self, train: fails("bad \udcff byte"))
make("row08-closes", lambda self, train: (os.closerange(3, 4096), time.sleep(3600)))
make("row08-half", lambda self, train: (say(b"\0\0\0\0\0\0\xff\xff{"), time.sleep(3600)))
make("row08-signal", lambda self, train: os.kill(os.getpid(), 40))
make("row10-garbage", lambda self, train: say(b"\0\0\0\x05hello, garbage"))
make("row10-no-mapping", lambda self, train: say(forged(3)))
make("row10-no-reason", lambda self, train: say(forged({"error": ""})))
make("row16-nan-seconds", lambda self, train: setattr(self, "seconds_", {"tune": float("nan")}))
make("row31-long-error", lambda self, train: fails("y" * 10_000_000))
make("row32-mutates", lambda self, train: train.X.fill(0))
make("row42-settings", lambda self, train: setattr(self, "settings_", [1, 2]))
make("row42-nodes", lambda self, train: setattr(self, "n_active_nodes_", "many"))
make("row42-seconds", lambda self, train: self.seconds_.update(tune=-1e9))
make("row50-escapes", lambda self, train: fails("\x1b[2J\x1b]0;owned\x07"))
'''
