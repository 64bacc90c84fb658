"""Every registered method on a small problem with its quick grid: CPU seconds and memory.

Both come from one fit, each method in a process of its own, before asv asks for them.
"""

import multiprocessing
import time
import traceback
from importlib import import_module
from pathlib import Path

import psutil

import baselines
import datasets

SECONDS_FOR_ONE = 240


class Method:
    params = (list(baselines.methods()),)
    param_names = ("method",)

    def setup_cache(self) -> dict[str, dict]:
        for method in baselines.methods().values():
            for module in method.requires:
                import_module(module)
        return {name: in_own_process(name) for name in baselines.methods()}

    setup_cache.timeout = 1200

    def track_fit_seconds(self, results: dict[str, dict], method: str) -> float:
        return number(results[method], "seconds")

    track_fit_seconds.unit = "seconds"

    def track_fit_memory(self, results: dict[str, dict], method: str) -> float:
        """The peak of memory during the fit beyond what the process held before."""
        return number(results[method], "bytes")

    track_fit_memory.unit = "bytes"


def in_own_process(name: str) -> dict:
    """`fit` in a forked process, which has the libraries already and memory of its own."""
    with multiprocessing.get_context("fork").Pool(1) as pool:
        try:
            return pool.apply_async(fit, (name,)).get(SECONDS_FOR_ONE)
        except multiprocessing.TimeoutError:
            return {"error": f"{name} did not end within {SECONDS_FOR_ONE} s"}
        except Exception:  # asv reports it where it asks for this method's numbers
            return {"error": traceback.format_exc()}


def fit(name: str) -> dict[str, float]:
    """What one fit and prediction took."""
    data, few = (datasets.load("scenario4", replicate=100, n=n, p=20) for n in (2500, 500))
    fit_and_predict(name, few)  # compiled code and late imports are not the method's
    Path("/proc/self/clear_refs").write_text("5")  # the peak of memory counts from here (Linux)
    held, start = psutil.Process().memory_info().rss, time.process_time()
    fit_and_predict(name, data)
    seconds = time.process_time() - start
    peak = Path("/proc/self/status").read_text().split("VmHWM:")[1].split()[0]
    return {"seconds": seconds, "bytes": 1024 * int(peak) - held}


def fit_and_predict(name: str, data: datasets.Dataset) -> None:
    """Its quick grid on `data`."""
    baselines.method(name)(quick=True).fit(data.train, data.valid, 0).predict_rows(data.test)


def number(result: dict, key: str) -> float:
    """One of the numbers, or the error as an exception, which asv reports."""
    if "error" in result:
        raise RuntimeError(result["error"])
    return result[key]
