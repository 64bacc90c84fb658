"""Files of every kind are the same table; mistakes are named with their line."""

import gzip
import zipfile

import pandas as pd
import pytest

from suite.campaign.errors import UserError
from suite.campaign.read import pieces, read_all
from suite.campaign.sniff import sniff

TABLE = pd.DataFrame(
    {"name": ["Zürich", "a, b", "x"], "n": ["1.5", "2.25", "3.0"], "note": ["", "two\nlines", "z"]}
)


def texts(path):
    return read_all(sniff(path)).to_pandas().to_dict("list")


@pytest.mark.parametrize("sep", [",", ";", "\t", "|"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_separators_and_encodings(tmp_path, sep, encoding):
    path = tmp_path / "t.csv"
    TABLE.to_csv(path, index=False, sep=sep, encoding=encoding)
    assert texts(path) == TABLE.to_dict("list")
    assert sniff(path).separator == sep


def test_packed_files(tmp_path):
    raw = TABLE.to_csv(index=False).encode()
    (tmp_path / "t.csv.gz").write_bytes(gzip.compress(raw))
    with zipfile.ZipFile(tmp_path / "t.zip", "w") as file:
        file.writestr("inside/t.csv", raw)
    for name in ("t.csv.gz", "t.zip"):
        assert texts(tmp_path / name) == TABLE.to_dict("list")


def test_files_that_cannot_be_unpacked_or_decoded_say_so(tmp_path):
    path = tmp_path / "t.zip"
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("t.csv", TABLE.to_csv(index=False))
    whole = path.read_bytes()
    # The flags and the method of packing lie at these places of both headers.
    for of_local, of_central, value, text in ((6, 8, 1, "encrypted"), (8, 10, 9, "not supported")):
        raw = bytearray(whole)
        raw[of_local] = raw[raw.index(b"PK\x01\x02") + of_central] = value
        path.write_bytes(raw)
        with pytest.raises(UserError, match=f"t.zip cannot be unpacked .*{text}.*; unpack it"):
            sniff(path)
    path = tmp_path / "t.csv"
    path.write_bytes("name,n\nZürich,1\n".encode("cp850"))
    with pytest.raises(UserError, match="t.csv is neither UTF-8 nor cp1252; save it again"):
        sniff(path)


def test_parquet_files_and_folders(tmp_path):
    frame = pd.DataFrame({"a": range(10), "m": [0, 1] * 5})
    frame.to_parquet(tmp_path / "t.parquet")
    assert texts(tmp_path / "t.parquet")["a"] == list(range(10))
    frame.to_parquet(tmp_path / "folder", partition_cols=["m"])
    shape = sniff(tmp_path / "folder")
    whole = read_all(shape).to_pandas()
    assert sorted(whole["a"]) == list(range(10))
    assert (whole["a"] % 2 == whole["m"].astype(int)).all()
    parts = pd.concat(part.to_pandas() for part in pieces(shape, rows=3))
    assert parts["a"].tolist() == whole["a"].tolist()


def test_decimal_comma_is_seen(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a;b\n1,5;x\n2,25;y\n1.234,5;z\n")
    shape = sniff(path)
    assert (shape.separator, shape.decimal) == (";", ",")


def test_grouped_thousands_are_no_decimal_commas(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text('a,b\n"2,189",x\n"1,234,567",y\n655,z\n')
    assert sniff(path).decimal == "."
    path.write_text("a;b\n2,189;x\n0,125;y\n")  # no thousands begin with 0
    assert sniff(path).decimal == ","


def test_pieces_keep_order_and_columns(tmp_path):
    path = tmp_path / "t.csv"
    pd.DataFrame({"a": range(1000), "b": "x"}).to_csv(path, index=False)
    parts = list(pieces(sniff(path), ["a"], rows=64))
    assert max(part.num_rows for part in parts) == 64
    assert [int(v) for part in parts for v in part["a"].to_pylist()] == list(range(1000))
    assert parts[0].column_names == ["a"]


def test_the_line_of_a_ragged_row_counts_lines_inside_cells(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text('a,b\n1,"two\nlines"\n3,4\n5,6,7\n')
    with pytest.raises(UserError, match="line 5 of t.csv has 3 cells, the header has 2"):
        read_all(sniff(path))


def test_an_excel_file_is_no_table(tmp_path):
    path = tmp_path / "t.csv"
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("xl/workbook.xml", "<a/>")
        file.writestr("[Content_Types].xml", "<a/>")
    with pytest.raises(UserError, match="is not a csv or parquet file .it begins with PK"):
        sniff(path)
    path.write_bytes(b"\x89PNG\0\0\0\0" * 10)
    with pytest.raises(UserError, match="it begins with PNG"):
        sniff(path)


def test_a_file_without_names_is_told_so(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("1,0,a\n2,1,b\n")
    with pytest.raises(UserError, match="the first line of t.csv holds numbers .1, 0, a, ...."):
        read_all(sniff(path))
