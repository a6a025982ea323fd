"""A folder of a stranger's is data: it asks for no memory, no time and no code of the reader."""

from __future__ import annotations

import io
import json
import os

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from results_data import SPEC, row, written_run

from results import ResultsError, RunWriter, open_run
from results.errors import DamagedError
from results.folder import files
from results.format import limits, tables
from results.format.schema import arrow_schema

BOUND = "a file may take at most 268,435,456: if you trust it, set the variable EVO_MOST_BYTES="


@pytest.fixture
def run(tmp_path):
    return written_run(tmp_path / "run")


def changed(run, change):
    """A run whose ``run.json`` was changed."""
    info = json.loads((run / "run.json").read_text())
    change(info)
    (run / "run.json").write_text(json.dumps(info))
    return run


def snapshot(run):
    return run / "snapshots" / "generation-000006.parquet"


def parquet(table: pa.Table, **options) -> bytes:
    stream = io.BytesIO()
    pq.write_table(table, stream, **{"compression": "zstd", "store_schema": False, **options})
    return stream.getvalue()


def of_rows(count: int, width: int = SPEC["bytes"]) -> pa.Table:
    """So many individuals that are all alike."""
    schema = arrow_schema("snapshots", width)
    columns = [
        pa.array(["main"] * count)
        if field.type == pa.string()
        else pa.FixedSizeBinaryArray.from_buffers(
            field.type, count, [None, pa.py_buffer(bytes(count * width))]
        )
        if field.name == "genome"
        else pa.array(np.zeros(count, field.type.to_pandas_dtype()))
        for field in schema
    ]
    return pa.Table.from_arrays(columns, schema=schema)


# --- the sizes of tables -------------------------------------------------------------------------


@pytest.mark.parametrize("dictionaries", [True, ["population"]])
def test_a_small_file_that_stands_for_gigabytes_is_refused_before_memory_is_taken(
    run, dictionaries
):
    data = parquet(of_rows(300_000, 1000), use_dictionary=dictionaries)
    assert len(data) < 400_000
    files.atomic_write(snapshot(run), data)
    (run / "snapshots.sha256").unlink()
    changed(run, lambda info: info["genome"].update(bytes=1000))
    before = pa.total_allocated_bytes()
    with pytest.raises(ResultsError, match=BOUND):
        open_run(run).population()
    assert pa.total_allocated_bytes() - before < 1_000_000


def test_a_user_may_trust_a_run_that_takes_much(run, monkeypatch):
    files.atomic_write(snapshot(run), tables.encode(of_rows(200_000), {"generation": "6"}))
    (run / "snapshots.sha256").unlink()
    monkeypatch.setattr(limits, "FLOOR", 1 << 20)
    monkeypatch.setattr(limits, "RATIO", 1)
    with pytest.raises(ResultsError, match=r"set the variable EVO_MOST_BYTES=[0-9]+$") as no:
        open_run(run, trust=True).population()
    size = str(no.value).rpartition("=")[2].partition(" ")[0]
    monkeypatch.setenv("EVO_MOST_BYTES", size)
    assert len(open_run(run, trust=True).population()) == 200_000


def varint(number: int) -> bytes:
    number <<= 1  # a positive number's sign
    whole = b""
    while number > 127:
        whole += bytes([number & 127 | 128])
        number >>= 7
    return whole + bytes([number])


def with_header(data: bytes, unpacked: int, values: int) -> bytes:
    """A file of one row whose first page declares another size, and other values.

    It is as long as it was: what follows the header in the page is cut by what it grew.
    """
    meta = pq.ParquetFile(io.BytesIO(data)).metadata.row_group(0).column(0)
    begin, end = meta.data_page_offset, meta.data_page_offset + meta.total_compressed_size
    header = b"\x15\x00\x15" + varint(unpacked) + b"\x15"
    own = b"\x2c\x15" + varint(values) + b"\x15\x00\x15\x06\x15\x06\x00\x00"
    packed = end - begin - len(header) - len(own) - 1
    assert 0 < packed < 64
    page = header + varint(packed) + own
    return data[:begin] + page + data[begin + len(page) :]


@pytest.mark.parametrize(
    ("unpacked", "values", "message"),
    [
        (2**31 - 1, 1, BOUND),
        (8, 2**30, r"column generation hold 1073741824 values of 1"),
        (8, 0, "hold 0 values of 1"),
    ],
)
def test_what_the_header_of_a_page_declares_is_read_before_the_page(unpacked, values, message):
    schema = arrow_schema("generations")
    data = with_header(
        tables.encode(tables.table_of_rows("generations", [row(0)])), unpacked, values
    )
    with pytest.raises(ResultsError, match=message):
        tables.decode(data, schema, "it")


@pytest.mark.parametrize(
    "options",
    [
        {"compression": "brotli"},
        {"use_dictionary": False, "column_encoding": {"population": "DELTA_BYTE_ARRAY"}},
        {"use_dictionary": False, "column_encoding": {"best": "BYTE_STREAM_SPLIT"}},
    ],
)
def test_what_runs_never_hold_is_refused(options):
    table = tables.table_of_rows("generations", [row(0)])
    with pytest.raises(DamagedError, match="has a format that runs never have"):
        tables.decode(parquet(table, **options), table.schema, "it")


def test_a_text_that_stands_in_each_row_is_counted_as_often():
    table = tables.table_of_rows("generations", [row(0, "x" * 100_000)] * 3000)
    with pytest.raises(ResultsError, match=BOUND):
        tables.decode(tables.encode(table), table.schema, "it")


def test_every_flipped_bit_of_a_footer_ends_in_one_line_or_in_the_table():
    """One in a column's name was a UnicodeDecodeError."""
    table = tables.table_of_rows("generations", [row(0), row(1)])
    data = bytearray(tables.encode(table))
    begin = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
    refused = [
        error
        for place in range(begin, len(data))
        for bit in (0x80, 1 << place % 7)
        if (error := refusal_of(data, place, bit, table.schema)) is not None
    ]
    assert len(refused) > len(data) - begin
    assert not [error for error in refused if "\n" in error]


def refusal_of(data: bytearray, place: int, bit: int, schema: pa.Schema) -> str | None:
    """What a reader says of a table with a flipped bit; None: it is read."""
    flipped = bytearray(data)
    flipped[place] ^= bit
    try:
        assert len(tables.decode(bytes(flipped), schema, "it")) == 2
    except ResultsError as error:
        return str(error)
    return None


def test_a_table_cut_anywhere_is_damaged():
    table = tables.table_of_rows("generations", [row(0)])
    data = tables.encode(table)
    for length in range(0, len(data), 7):
        with pytest.raises(DamagedError):
            tables.decode(data[:length], table.schema, "it")


def test_a_file_that_holds_nothing_but_its_length_is_not_read(run):
    with open(snapshot(run), "wb") as file:
        file.truncate(1 << 40)
    for use in (open_run(run).population, lambda: RunWriter.open(run)):
        with pytest.raises(
            ResultsError, match=r"000006.parquet would take 1,099,511,627,776 bytes"
        ):
            use()


# --- run.json ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[" * 100_000, "100000 tables or lists within one another"),
        ('{"seed": ' + "1" * 5000 + "}", "a number of 5000 digits"),
        ('{"schema_version": 3, "low": NaN}', "NaN is no finite number"),
        ('{"schema_version": 3, "low": 1e999}', "1e999 is no finite number"),
        ('{"seed": 1, "seed": 2}', "seed occurs twice"),
        (r'{"name": "\ud800"}', "surrogates not allowed"),
        ('{"seed": 1}'.encode("utf-16").decode("latin-1"), "can't decode"),
    ],
)
@pytest.mark.parametrize("use", [open_run, RunWriter.open])
def test_json_that_readers_could_trip_over_is_refused_in_a_line(run, use, text, message):
    (run / "run.json").write_bytes(text.encode("latin-1"))
    with pytest.raises(ResultsError, match=f"run.json is not readable as JSON .*{message}"):
        use(run)


def test_json_that_python_writes_is_read(tmp_path):
    content = {"a": ['\\u0041 " [[[', "\U0001f600", "\ud7ff"], "b": -(10**300), "c": 1e-300}
    files.write_json(tmp_path / "a.json", content)
    assert files.read_json(tmp_path / "a.json") == content


def test_a_great_json_file_is_not_read(run):
    with open(run / "run.json", "ab") as file:
        file.truncate(17 << 20)
    with pytest.raises(ResultsError, match=r"run.json would take 17,825,792 bytes"):
        open_run(run)


@pytest.mark.parametrize("width", [2**64, 2**31])
def test_a_genome_that_no_column_can_hold_is_refused(run, width):
    changed(run, lambda info: info["genome"].update(bytes=width))
    for use in (open_run, RunWriter.open):
        with pytest.raises(ResultsError, match=f"genome.bytes = {width}; expected is a whole numb"):
            use(run)


@pytest.mark.parametrize(
    "change",
    [
        {"bits": 10**9},
        {"shape": 3},
        {"shape": [-1]},
        {"shape": [10**12]},
        {"numbers": ["weights"]},
        {"bits": None, "dtype": "O"},
    ],
)
def test_a_layout_that_decodes_no_genomes_is_refused(run, change):
    changed(run, lambda info: info["layouts"]["main"].update(change))
    with pytest.raises(ResultsError, match=r"cannot be decoded by|they need|have no weights"):
        open_run(run, trust=True).weights()


# --- what is no file -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name", ["run.json", "snapshots.sha256", "snapshots/generation-000006.parquet"]
)
def test_a_pipe_in_place_of_a_file_is_refused(run, name):
    (run / name).unlink()
    os.mkfifo(run / name)
    with pytest.raises(ResultsError, match=r"no file, but a pipe|does not exist|not a run"):
        open_run(run).population()
