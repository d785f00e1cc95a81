#!/usr/bin/env python3
"""Writes the small inputs that the fuzzers start from: make_corpus.py FOLDER.

Everything is made here, with nothing but the standard library; FOLDER/fuzz_NAME/* are the seeds of fuzz_NAME.
"""

import gzip
import io
import struct
import sys
import zipfile
from pathlib import Path


# --- pickles, written instruction by instruction ---

def text(value):
    return b"U" + bytes([len(value)]) + value


def integer(value):
    return b"J" + struct.pack("<i", value)


def tuple_of(*items):
    return b"(" + b"".join(items) + b"t"


def dict_of(*keys_and_values):
    return b"}(" + b"".join(keys_and_values) + b"u"


def list_of(*items):
    return b"](" + b"".join(items) + b"e"


def global_name(module, name):
    return b"c" + module + b"\n" + name + b"\n"


def call(function, *arguments):
    return function + tuple_of(*arguments) + b"R"


def dtype(order, kind):
    state = tuple_of(integer(3), text(order), b"N", b"N", b"N", integer(-1), integer(-1), integer(0))
    return call(global_name(b"numpy", b"dtype"), text(kind), integer(0), integer(1)) + state + b"b"


def array(kind, shape, payload, order=b"<", fortran=b"\x89"):
    shell = call(global_name(b"numpy.core.multiarray", b"_reconstruct"),
                 global_name(b"numpy", b"ndarray"), tuple_of(integer(0)), text(b"b"))
    state = tuple_of(integer(1), tuple_of(*map(integer, shape)), dtype(order, kind), fortran, payload)
    return shell + state + b"b"


def integers(shape, *values):
    return array(b"i4", shape, text(struct.pack(f"<{len(values)}i", *values)))


def csr(shape, indptr, indices, data):
    state = dict_of(text(b"_shape"), tuple_of(*map(integer, shape)),
                    text(b"indptr"), integers([len(indptr)], *indptr),
                    text(b"indices"), integers([len(indices)], *indices),
                    text(b"data"), array(b"f4", [len(data)], text(struct.pack(f"<{len(data)}f", *data))))
    return global_name(b"scipy.sparse.csr", b"csr_matrix") + b")\x81" + state + b"b"


def graph(*neighbors):
    entries = [integer(node) + list_of(*map(integer, ends)) for node, ends in enumerate(neighbors)]
    empty = call(global_name(b"collections", b"defaultdict"), global_name(b"__builtin__", b"list"))
    return empty + b"(" + b"".join(entries) + b"u"


def pickle_file(value):
    return b"\x80\x02" + value + b"."


def pickles():
    encoded = call(global_name(b"_codecs", b"encode"), b"X\x02\x00\x00\x00\xc3\xbf", text(b"latin1"))
    scalar = call(global_name(b"numpy.core.multiarray", b"scalar"), dtype(b"<", b"i8"), text(b"\3" + bytes(7)))
    old_style = call(global_name(b"copy_reg", b"_reconstructor"),
                     global_name(b"scipy.sparse.csr", b"csr_matrix"), global_name(b"__builtin__", b"object"), b"N")
    return {
        "array": pickle_file(integers([2, 2], 1, 0, 0, 1)),
        "big_endian": pickle_file(array(b"f8", [1, 2], text(struct.pack(">2d", 1, 2)), b">", b"\x88")),
        "bytes_as_text": pickle_file(array(b"u1", [1], encoded)),
        "csr": pickle_file(csr([2, 3], [0, 1, 2], [0, 2], [1, 0.5])),
        "csr_old_style": pickle_file(old_style + dict_of() + b"b"),
        "graph": pickle_file(graph([1, 2], [0], [0])),
        "scalar": pickle_file(scalar),
        "protocol_0": b"(dp0\nS'a\\x00b'\np1\n(lp2\nI1\naL2L\naF1.5\nasVx\\u20ac\nNs.",
        "protocol_4": b"\x80\x04\x95\x0b\0\0\0\0\0\0\0}\x94\x8c\x01a\x94\x88\x8a\x01\xff\x87\x94C\x01bs.",
        "stack_global": b"\x80\x04\x8c\x05numpy\x8c\x05dtype\x93\x8c\x02i4\x85R.",
        "executes": b"cos\nsystem\n(S'true'\ntR.",
        "holds_itself": b"]q\0h\0a.",
        "deep": b"]" * 500 + b"a" * 499 + b".",
        "claims_too_much": b"T\xff\xff\xff\x7fhi.",
        "memo_far_away": b"Nr\xff\xff\xff\xffj\xff\xff\xff\xff.",
        "absurd_shape": pickle_file(array(b"i4", [2**31 - 1, 2**31 - 1, 4], text(b"1234"))),
    }


# --- several files in one input: a byte for the file, two for the length, the content ---

def sections(contents):
    return b"".join(struct.pack("<BH", file, len(content)) + content for file, content in contents)


def planetoid():
    files = [pickle_file(csr([2, 3], [0, 1, 2], [0, 1], [1, 1])),                       # x
             pickle_file(integers([2, 2], 1, 0, 0, 1)),                                 # y
             pickle_file(csr([2, 3], [0, 2, 3], [2, 0, 1], [6, 5, 4])),                 # tx
             pickle_file(integers([2, 2], 0, 1, 1, 0)),                                 # ty
             pickle_file(csr([4, 3], [0, 1, 2, 3, 4], [0, 1, 2, 0], [1, 1, 2, 3])),     # allx
             pickle_file(integers([4, 2], 1, 0, 0, 1, 0, 0, 1, 0)),                     # ally
             pickle_file(graph([1, 1], [0], [2], [6], [], [], [3])),                    # graph
             b"6\n4\n"]                                                                 # test.index
    return {"small": sections(enumerate(files)), "empty": sections((i, b"") for i in range(8)),
            "far_test_node": sections(enumerate(files[:7] + [b"2147483646\n4\n"]))}


# --- .npy arrays and .npz archives ---

ARRAY_NAMES = ["adj_data", "adj_indices", "adj_indptr", "adj_shape", "attr_data", "attr_indices", "attr_indptr",
               "attr_shape", "labels", "attr_matrix", "class_names", "node_names", "attr_names", "split_name",
               "split_train", "split_validation", "split_test", "format", "shape", "data", "indices", "indptr",
               "row", "col"]


def npy(descr, shape, content):
    header = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape!r}, }}\n".encode()
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + content


def npy_integers(*values):
    return npy("<i4", (len(values),), struct.pack(f"<{len(values)}i", *values))


def npy_floats(*values):
    return npy("<f4", (len(values),), struct.pack(f"<{len(values)}f", *values))


def archive(arrays, compression=zipfile.ZIP_STORED):
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", compression) as members:
        for name, content in arrays.items():
            members.writestr(zipfile.ZipInfo(name + ".npy"), content, compression)
    return target.getvalue()


def npz():
    dataset = {"adj_data": npy_floats(1, 1, 1, 1), "adj_indices": npy_integers(1, 0, 2, 1),
               "adj_indptr": npy_integers(0, 1, 3, 4), "adj_shape": npy_integers(3, 3),
               "attr_data": npy_floats(2, 0, 3), "attr_indices": npy_integers(0, 1, 1),
               "attr_indptr": npy_integers(0, 1, 2, 3), "attr_shape": npy_integers(3, 2),
               "labels": npy_integers(1, 0, -1)}
    named = dataset | {"class_names": npy("|S1", (2,), b"ab"),
                       "node_names": npy("<U1", (3,), "xyz".encode("utf-32-le")),
                       "split_name": npy("<U1", (1,), "p".encode("utf-32-le")), "split_train": npy_integers(0),
                       "split_validation": npy_integers(), "split_test": npy_integers(1)}
    dense = {name: dataset[name] for name in dataset if name.startswith("adj_")} | {
        "attr_matrix": npy("|b1", (3, 2), b"\1\0\0\1\1\1"), "labels": npy_floats(1, float("nan"), 2)}
    coordinates = {"format": npy("|S3", (), b"coo"), "shape": npy_integers(2, 2), "data": npy_floats(1),
                   "row": npy_integers(0), "col": npy_integers(1)}
    columns = {"format": npy("|S3", (), b"csc"), "shape": npy_integers(1, 1), "data": npy_floats(1),
               "indptr": npy_integers(0, 1), "indices": npy_integers(0)}
    objects = dataset | {"class_names": npy("|O", (1,), b"cos\nsystem\n(S'true'\ntR.")}
    absurd = dataset | {"labels": npy("<i8", (2**62, 2**62), b"")}
    by_name = {"dataset": dataset, "named": named, "dense": dense, "coordinates": coordinates,
               "columns": columns, "objects": objects, "absurd": absurd}
    seeds = {}
    for name, arrays in by_name.items():
        seeds[name] = sections((ARRAY_NAMES.index(array_name), arrays[array_name]) for array_name in arrays)
        seeds[name + "_stored"] = archive(arrays)
    seeds["deflated"] = archive(dataset, zipfile.ZIP_DEFLATED)
    seeds["bomb"] = archive({"adj_indices": npy("|u1", (100_000,), bytes(100_000))}, zipfile.ZIP_DEFLATED)
    return seeds


# --- CSV: an edge table, a node table, features in long form; record separators between them ---

def csv():
    edges = b"source,target\na,b\nb,c\n"
    nodes = b"id,label,x,y\na,red,1,0\nb,blue,0,2.5\nc,,1e-3,0\n"
    return {
        "both": edges + b"\x1e" + nodes,
        "edges_only": b"0 1\n1 2\n",
        "tabs": edges.replace(b",", b"\t") + b"\x1e" + nodes.replace(b",", b"\t"),
        "quoted": b'"a","b"\r\n"b","c ""x"""\r\n' + b"\x1e" + b'id,"x"\r\n"a",1\r\n"b",2\r\n"c ""x""",3\r\n',
        "compressed": gzip.compress(edges, mtime=0) + b"\x1e" + gzip.compress(nodes, mtime=0),
        "unfinished_quote": b'"a,b\n',
        "ragged": b"a\nb,c,d\n\x1eid,x\na\n",
        "strange_numbers": b"a,a\n\x1eid,x,y,z\na,nan,-1,1e999\n",
        "unknown_node": b"a,z\n\x1eid,x\na,1\n",
        "words": edges + b"\x1eid,city,n,m\na,Rome,-1,5000\nb,,2,\nc,Oslo,,1\n",
        "long_features": edges + b"\x1e" + nodes + b"\x1eid,word,n\na,red,2\nb,blue,0.5\na,red,1\n",
        "long_features_alone": edges + b"\x1e\x1ea,red\nc,blue\n",
        "weights": b"# directed, weighted\nsource,target,weight,kind\na,b,0.5,x\nb,a,1e38,y\na,b,0,z\n",
        "no_weights": b"from,to,Weight\na,b,2020-01-01\nb,c,-1\n",
        "several_labels": edges + b"\x1eid,label\na,x;y\nb,;x\nc,y; x\n",
        "numbers_as_labels": edges + b"\x1eid,label\na,1.5\nb,-1\nc,1e300\n",
        "other_ids": b"a,a\n\x1etown,mail,x\na,m1,1\na,m2,2\n",
        "repeated_node": b"a,a\n\x1eid,x\na,1\na,2\n",
    }


def main():
    folder = Path(sys.argv[1])
    for fuzzer, seeds in {"pickle": pickles(), "planetoid": planetoid(), "npz": npz(), "csv": csv()}.items():
        target = folder / f"fuzz_{fuzzer}"
        target.mkdir(parents=True, exist_ok=True)
        for name, content in seeds.items():
            (target / name).write_bytes(content)


if __name__ == "__main__":
    main()
