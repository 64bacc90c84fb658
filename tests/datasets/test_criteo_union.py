"""Four samples of CRITEO as one: formats undone, repetitions dropped, the result verified."""

import hashlib
from collections import Counter

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import datasets
from datasets import criteo, criteo_overlap, criteo_union
from datasets.__main__ import main
from datasets.criteo_arrays import prepare
from datasets.criteo_csv import FEATURES
from datasets.criteo_overlap import repeated, undo_logarithm, unite
from datasets.criteo_union import DIGEST, UNION_NOTE, digest, read_union
from datasets.files import DataFile, DataFileError


def rows_of(n, seed):
    """Rows in CRITEO's columns, with some crowded and some rare values."""
    rng = np.random.default_rng(seed)
    X = np.where(rng.random((n, 12)) < 0.3, rng.normal(5, 1, (n, 12)), 4.25)
    frame = pd.DataFrame(X, columns=FEATURES)
    frame["treatment"] = (rng.random(n) < 0.8).astype(int)
    frame["conversion"] = (rng.random(n) < 0.1).astype(int)
    frame["visit"] = (rng.random(n) < 0.3).astype(int)
    frame["exposure"] = (rng.random(n) < 0.5).astype(int)
    return frame


def logged(frame):
    """As one of the samples has it: log(1 + x + shift), a shift of its own for each covariate."""
    frame = frame.drop(columns="exposure")
    for shift, name in enumerate(criteo_overlap.LOGGED):
        frame[name] = np.log1p(frame[name] + shift / 2)
    return frame


def test_logarithms_are_undone_exactly():
    reference, frame = rows_of(3000, 0), rows_of(2000, 1)
    frame.loc[:999, list(FEATURES)] = reference.loc[1000:1999, list(FEATURES)].to_numpy()
    found = undo_logarithm(logged(frame), reference)
    # Bit by bit where the reference has the value, to float32 elsewhere.
    np.testing.assert_array_equal(found.loc[:999, list(FEATURES)], frame.loc[:999, list(FEATURES)])
    np.testing.assert_allclose(found[list(FEATURES)], frame[list(FEATURES)], rtol=1e-13)


@pytest.mark.parametrize("duplicates", [1, 3])
def test_as_many_rows_are_dropped_as_two_samples_share(duplicates):
    """Two samples of 5 % of a file whose rows are all distinct, or all there three times."""
    rng = np.random.default_rng(3)
    file = np.repeat(rng.integers(2**63, size=600_000 // duplicates, dtype=np.uint64), duplicates)
    dropped, shared = [], []
    for _ in range(5):
        first, second = (rng.choice(len(file), 30_000, replace=False) for _ in range(2))
        zones = np.zeros(30_000, np.int64)
        drop = repeated(file[first], zones, file[second], zones, rng)
        dropped.append(drop.sum())
        shared.append(len(np.intersect1d(first, second)))
        # Never more copies of a row than are held.
        held, gone = Counter(file[first].tolist()), Counter(file[second[drop]].tolist())
        assert all(count <= held[key] for key, count in gone.items())
    if duplicates == 1:
        assert dropped == shared
    assert np.mean(dropped) == pytest.approx(np.mean(shared), rel=0.1)


def test_zones_are_estimated_apart():
    """Rare rows that meet are one row twice, whatever chance does among crowded ones."""
    rng = np.random.default_rng(4)
    crowded = np.arange(10, dtype=np.uint64)
    rare = rng.integers(100, 2**63, size=2_000, dtype=np.uint64)
    held = np.concatenate([rng.choice(crowded, 5_000), rare])
    new = np.concatenate([rng.choice(crowded, 5_000), rare[:300]])
    zones = [np.repeat([0, 1], [5_000, len(keys) - 5_000]) for keys in (held, new)]
    drop = repeated(held, zones[0], new, zones[1], rng)
    assert drop[5_000:].all()


def test_united_rows_keep_their_source_and_order():
    samples = [rows_of(n, seed) for n, seed in ((500, 0), (400, 1), (300, 2))]
    for sample in samples:  # no two rows alike
        sample["f0"] = np.random.default_rng(len(sample)).normal(size=len(sample))
    samples[1] = samples[1].drop(columns="exposure").assign(score=0.5)
    samples[2] = pd.concat([samples[2], samples[0].head(50)], ignore_index=True)
    union = unite(samples)
    assert union["source"].value_counts().to_dict() == {0: 500, 1: 400, 2: 300}
    assert list(union) == [*FEATURES, "treatment", "visit", "conversion", "exposure", "source"]
    assert (union.loc[union["source"] == 1, "exposure"] == -1).all()
    expected = pd.concat([samples[0], samples[1], samples[2].head(300)])
    for name in (*FEATURES, "treatment", "visit", "conversion"):
        values = expected[name].to_numpy()
        kind = np.float32 if name in FEATURES else np.int8
        np.testing.assert_array_equal(union[name], values.astype(kind))


@pytest.fixture
def four(cache, monkeypatch):
    """Four small samples in the cache under their names, and the digest of their union."""
    folder = cache / "criteo"
    folder.mkdir(parents=True)
    frames = [rows_of(n, seed) for n, seed in ((2000, 0), (1500, 1), (1000, 2), (500, 3))]
    frames[1] = frames[1].drop(columns="exposure").assign(score=0.5)
    files = []
    for real, frame in zip(criteo_union.SAMPLES, frames, strict=True):
        path = folder / real.name
        if path.suffix == ".csv":
            frame.to_csv(path, index=False)
        else:
            (logged(frame) if "log1p" in real.name else frame).to_parquet(path)
        sha256 = hashlib.sha256(path.read_bytes()).hexdigest()
        url = f"http://127.0.0.1:9/{real.name}"
        files.append(DataFile(real.name, "criteo", sha256=(sha256,), urls=(url,)))
    monkeypatch.setattr(criteo, "SAMPLES", tuple(files))
    paths = [folder / file.name for file in files]
    union = unite(criteo_union._read_samples(paths))
    expected = digest(pa.Table.from_pandas(union, preserve_index=False))
    monkeypatch.setattr(criteo_union, "DIGEST", expected)
    return folder


def test_fetch_unites_verifies_and_says_the_licence(four, capsys):
    main(["fetch", "criteo", "--size", "union"])
    said = capsys.readouterr().out
    assert "CC BY-NC-SA 4.0" in said
    assert f"{four / 'criteo_union.parquet'}: verified" in said
    dataset = datasets.load("criteo", size="union")
    assert dataset.note == UNION_NOTE
    stored = pd.read_parquet(four / "criteo_union.parquet")
    numbers = dataset.test.row_numbers
    np.testing.assert_array_equal(dataset.test.X, stored[list(FEATURES)].to_numpy()[numbers])
    np.testing.assert_array_equal(dataset.test.y, stored["visit"][numbers])
    other = datasets.load("criteo", size="union", outcome="conversion")
    np.testing.assert_array_equal(other.test.row_numbers, numbers)
    np.testing.assert_array_equal(other.test.y, stored["conversion"][numbers])
    # A second time nothing is needed but the union itself.
    for file in criteo.SAMPLES:
        (four / file.name).unlink()
    main(["fetch", "criteo", "--size", "union"])


def test_fetch_goes_on_where_it_stopped(four, monkeypatch):
    monkeypatch.setattr("datasets.download.PAUSE", 0.0)
    missing = four / "criteo_causal_sample.parquet"
    content = missing.read_bytes()
    missing.unlink()
    with pytest.raises(SystemExit, match=r"criteo_causal_sample\.parquet could not be downloaded"):
        main(["fetch", "criteo", "--size", "union"])
    assert not (four / "criteo_union.parquet").exists()
    missing.write_bytes(content)
    main(["fetch", "criteo", "--size", "union"])
    assert (four / "criteo_union.parquet").exists()


def test_another_result_is_refused_and_leaves_no_file(four, monkeypatch):
    monkeypatch.setattr(criteo_union, "DIGEST", "0" * 64)
    with pytest.raises(SystemExit, match=r"expected 0{64}; the files are right"):
        main(["fetch", "criteo", "--size", "union"])
    assert not list(four.glob("criteo_union*"))


def test_a_changed_union_is_refused_whatever_wrote_the_same_values_is_not(four):
    main(["fetch", "criteo", "--size", "union"])
    path = four / "criteo_union.parquet"
    table = pq.read_table(path)
    pq.write_table(table, path, compression="snappy", row_group_size=100)
    read_union(path)
    changed = table.to_pandas()
    changed.loc[17, "f3"] = np.nextafter(changed.loc[17, "f3"], np.float32(9))
    for wrong in (changed, table.to_pandas().iloc[::-1]):
        pq.write_table(pa.Table.from_pandas(wrong, preserve_index=False), path)
        with pytest.raises(DataFileError, match="is damaged or another file: the digest"):
            datasets.load("criteo", size="union")
    path.write_bytes(path.read_bytes()[:5000])
    with pytest.raises(DataFileError, match=r"cannot be read .*delete it and run"):
        datasets.load("criteo", size="union")


def test_the_complete_file_comes_first(four, monkeypatch):
    """Sizes that the union has are drawn from the complete file where that is here."""
    main(["fetch", "criteo", "--size", "union"])
    monkeypatch.setattr(criteo, "SIZES", {**criteo.SIZES, "100K": 500})
    assert datasets.source("criteo").available(size="100K") is None
    assert datasets.source("criteo").available(size="400K") is not None
    assert datasets.load("criteo", size="100K").note == UNION_NOTE
    complete = four / "complete.csv"
    rows_of(3000, 9).to_csv(complete, index=False)
    monkeypatch.setattr(criteo, "COMPLETE", DataFile("complete.csv", "criteo", sha256=("checked",)))
    prepare(complete, sha256="checked")
    with pytest.warns(UserWarning, match="published statistics"):
        dataset = datasets.load("criteo", size="100K")
    assert dataset.note.startswith("NOT CRITEO-UPLIFT v2.1 as published")
    np.testing.assert_array_equal(
        dataset.test.X,
        pd.read_csv(complete)[list(FEATURES)].to_numpy(np.float32)[dataset.test.row_numbers],
    )
    # The union asked for by name is the union.
    assert datasets.load("criteo", size="union").note == UNION_NOTE


def test_the_real_samples_give_the_union(real_data, tmp_path, monkeypatch):
    folder = real_data / "criteo"
    if not all((folder / file.name).is_file() for file in criteo_union.SAMPLES):
        pytest.skip("the four samples of CRITEO are not in UPLIFT_DATA")
    monkeypatch.setenv("UPLIFT_DATA", str(tmp_path))
    for file in criteo_union.SAMPLES:
        (tmp_path / file.name).symlink_to(folder / file.name)
    *_, path = datasets.source("criteo").fetch(size="union")
    assert path.parent == tmp_path / "criteo"
    assert digest(pq.read_table(path)) == DIGEST
