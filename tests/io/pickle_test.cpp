#include "io/numpy/pickle.hpp"

#include <limits>

#include <gtest/gtest.h>

#include "io/expect_input_error.hpp"
#include "io/numpy/pickle_numpy.hpp"
#include "io/pickle_writer.hpp"
#include "io/python_pickles.hpp"

namespace hwgcn::pickle_test {
namespace {

using namespace std::string_literals;
using namespace testing::pickled;
using testing::expect_input_error;
using testing::from_hex;

void expect_refused(const std::string& bytes, std::initializer_list<std::string_view> parts) {
    expect_input_error([&] { decode_pickle(bytes, "f.pkl"); }, parts);
}

template <typename T>
T decoded(const std::string& bytes) {
    const PickleDocument document = decode_pickle(bytes, "f.pkl");
    return std::get<T>(document.root->content);
}

NumpyArray decoded_array(const std::string& bytes) {
    const PickleDocument document = decode_pickle(bytes, "f.pkl");
    return pickled_array(*document.root, "f.pkl");
}

CsrMatrix<float> decoded_csr(const std::string& bytes) {
    const PickleDocument document = decode_pickle(bytes, "f.pkl");
    return pickled_csr_matrix(*document.root, "f.pkl");
}

TEST(Pickle, DecodesIntegersOfEveryInstruction) {
    EXPECT_EQ(decoded<std::int64_t>("I-12\n."), -12);
    EXPECT_EQ(decoded<std::int64_t>("L123456789012L\n."), 123456789012);
    EXPECT_EQ(decoded<std::int64_t>("J\xfe\xff\xff\xff."), -2);
    EXPECT_EQ(decoded<std::int64_t>("K\xff."), 255);
    EXPECT_EQ(decoded<std::int64_t>("M\x01\x02."), 513);
    EXPECT_EQ(decoded<std::int64_t>("\x8a\0."s), 0);
    EXPECT_EQ(decoded<std::int64_t>("\x8a\x01\xff."), -1);
    EXPECT_EQ(decoded<std::int64_t>("\x8a\x02\xff\0."s), 255);
    EXPECT_EQ(decoded<std::int64_t>("\x8b\x08\0\0\0\0\0\0\0\0\0\0\x80."s),
              std::numeric_limits<std::int64_t>::min());
}

TEST(Pickle, DecodesBooleansAndFloats) {
    EXPECT_TRUE(decoded<bool>("I01\n."));
    EXPECT_FALSE(decoded<bool>("I00\n."));
    EXPECT_TRUE(decoded<bool>("\x88."));
    EXPECT_FALSE(decoded<bool>("\x89."));
    EXPECT_EQ(decoded<double>("F-2.5e3\n."), -2500.0);
    EXPECT_EQ(decoded<double>("G\x3f\xf8\0\0\0\0\0\0."s), 1.5);
}

TEST(Pickle, DecodesTextOfEveryInstruction) {
    const auto text_in = [](const std::string& bytes) {
        const PickleDocument document = decode_pickle(bytes, "f.pkl");
        return std::string(std::get<PickleText>(document.root->content).bytes);
    };
    EXPECT_EQ(text_in("S'a\\x00\\n\\\\\\'b'\n."), "a\0\n\\'b"s);
    EXPECT_EQ(text_in("S\"it's\"\n."), "it's");
    EXPECT_EQ(text_in("Vz\\u20ac\\U0001F600\xe9\n."), "z€😀é");
    EXPECT_EQ(text_in("U\x02hi."), "hi");
    EXPECT_EQ(text_in("C\x02hi."), "hi");
    EXPECT_EQ(text_in("\x8c\x02hi."), "hi");
    for (const char code : "TBX"s)
        EXPECT_EQ(text_in(code + "\x02\0\0\0hi."s), "hi");
    for (const char code : "\x8d\x8e"s)
        EXPECT_EQ(text_in(code + "\x02\0\0\0\0\0\0\0hi."s), "hi");
}

TEST(Pickle, ContainersKeepTheirOrderAndShareThroughTheMemo) {
    // x = [1]; (x, x, {2: 3})
    const PickleDocument document = decode_pickle(
        "(](K\x01"
        "eq\x01h\x01}K\x02K\x03st.",
        "f.pkl");
    const auto& items = std::get<PickleTuple>(document.root->content).items;
    ASSERT_EQ(items.size(), 3U);
    EXPECT_EQ(items[0], items[1]);
    EXPECT_EQ(std::get<PickleList>(items[0]->content).items.size(), 1U);
    const auto& entries = std::get<PickleDict>(items[2]->content).entries;
    ASSERT_EQ(entries.size(), 1U);
    EXPECT_EQ(pickled_integer(*entries[0].second, "f.pkl"), 3);
}

TEST(Pickle, AListThatHoldsItselfIsDecodedAndFreed) {
    const PickleDocument document = decode_pickle("]q\x01h\x01"s + "a.", "f.pkl");
    EXPECT_EQ(std::get<PickleList>(document.root->content).items[0], document.root);
}

TEST(Pickle, DeepNestingNeedsNoRecursion) {
    std::string bytes(1'000'000, ']');
    bytes += std::string(999'999, 'a') + ".";
    EXPECT_EQ(decoded<PickleList>(bytes).items.size(), 1U);
}

TEST(Pickle, ArraysOfEveryProtocolOfPythonAreTheSame) {
    for (const std::string_view hex : testing::array_by_protocol) {
        const NumpyArray array = decoded_array(from_hex(hex));
        EXPECT_EQ(array.dtype, "<i2");
        EXPECT_EQ(array.shape, (std::vector<std::int64_t>{2, 2}));
        EXPECT_EQ(to_vector<std::int64_t>(array, "f"), (std::vector<std::int64_t>{1, 2, 3, -4}));
    }
}

TEST(Pickle, CsrMatricesOfEveryProtocolOfPythonAreTheSame) {
    for (const std::string_view hex : testing::csr_by_protocol) {
        const CsrMatrix<float> matrix = decoded_csr(from_hex(hex));
        EXPECT_EQ(matrix.rows, 2);
        EXPECT_EQ(matrix.columns, 2);
        EXPECT_EQ(matrix.offsets, (std::vector<std::int64_t>{0, 1, 2}));
        EXPECT_EQ(matrix.indices, (std::vector<Index>{1, 0}));
        EXPECT_EQ(matrix.values, (std::vector<float>{1.5F, 2.0F}));
    }
}

TEST(Pickle, IntegersMayBeNumpyScalars) {
    const std::string bytes = from_hex(testing::dict_with_numpy_key);
    const PickleDocument document = decode_pickle(bytes, "f.pkl");
    const auto& entries = std::get<PickleDict>(document.root->content).entries;
    ASSERT_EQ(entries.size(), 1U);
    EXPECT_EQ(pickled_integer(*entries[0].first, "f.pkl"), 3);
}

TEST(Pickle, ByteOrderAndFortranOrderAreHonoured) {
    const std::string big_endian = "\0\1\0\2\0\3\0\4\0\5\0\6"s;
    const auto values = [&](bool fortran_order) {
        return to_vector<std::int64_t>(
            decoded_array(file(array(dtype(">", "i2"), {2, 3}, big_endian, fortran_order))), "f");
    };
    EXPECT_EQ(values(false), (std::vector<std::int64_t>{1, 2, 3, 4, 5, 6}));
    EXPECT_EQ(values(true), (std::vector<std::int64_t>{1, 3, 5, 2, 4, 6}));
}

TEST(Pickle, CsrEntriesAreSortedAddedUpAndFreedOfZeros) {
    const CsrMatrix<float> matrix =
        decoded_csr(file(csr({{2, 4}, {0, 4, 5}, {3, 1, 3, 2, 0}, {1, 2, 4, 0, 8}})));
    EXPECT_EQ(matrix.offsets, (std::vector<std::int64_t>{0, 2, 3}));
    EXPECT_EQ(matrix.indices, (std::vector<Index>{1, 3, 0}));
    EXPECT_EQ(matrix.values, (std::vector<float>{2, 5, 8}));
}

TEST(Pickle, RefusesEveryOtherClassByName) {
    expect_refused("cos\nsystem\n(S'true'\ntR.", {"f.pkl: byte 0: refuses to load class os.system",
                                                  "a Planetoid file needs only numpy and scipy arrays"});
    expect_refused("\x80\x02" + global("__builtin__", "eval") + ".", {"byte 2", "__builtin__.eval"});
    expect_refused("\x80\x04\x8c\x08" + "builtins\x8c\x04"s + "exec\x93.", {"builtins.exec"});
    expect_refused(global("numpy", "load") + ".", {"numpy.load"});
    expect_refused(global("numpy.core.multiarray", "fromfile") + ".", {"fromfile"});
    expect_refused(global("", "") + ".", {"refuses to load class"});
}

TEST(Pickle, RefusesInstructionsThatArraysDoNotNeed) {
    expect_refused("Pid\n.", {"byte 0: instruction 0x50"});          // persistent id
    expect_refused("(i__builtin__\neval\n.", {"instruction 0x69"});  // INST
    expect_refused("\x82\x01.", {"instruction 0x82"});               // extension registry
    expect_refused("\x80\x05N.", {"pickle protocol 5, expected 0 to 4"});
}

TEST(Pickle, RefusesCallsThatWouldMakeAnythingElse) {
    expect_refused(call(global("__builtin__", "list"), {integer(1)}) + ".", {"a call with 1 argument"});
    expect_refused(call(global("numpy", "ndarray"), {}) + ".", {"a call with 0 arguments"});
    expect_refused(call(global("copy_reg", "_reconstructor"), {global("__builtin__", "object"), "N"}) + ".",
                   {"neither a NumPy array nor a SciPy CSR matrix"});
    expect_refused(call(global("copy_reg", "_reconstructor"), {}) + ".", {"a call with 0 arguments"});
    expect_refused(integer(1) + tuple({}) + "R.", {"expected a class, found an integer"});
    expect_refused(global("numpy", "dtype") + "NR.", {"expected a tuple, found None"});
    expect_refused(global("numpy", "dtype") + ")\x81.", {"neither a NumPy array"});
}

TEST(Pickle, RefusesAStackThatIsNotThere) {
    expect_refused(".", {"byte 0: needs a value, but the stack is empty"});
    expect_refused("t.", {"needs a mark, but none was set"});
    expect_refused("N(\x85.", {"byte 2: needs a value"});  // reaches below the mark
    expect_refused("N\x86.", {"byte 1: needs a value"});
    expect_refused("K\x01K\x02"s + "a.", {"appends to an integer, expected a list"});
    expect_refused("](K\x01u.", {"sets items of a list, expected a dict"});
    expect_refused("}(K\x01u.", {"a dict with a key but no value"});
    expect_refused("NNb.", {"sets the state of None"});
}

TEST(Pickle, RefusesAMemoThatIsNotThere) {
    expect_refused("h\x01.", {"memo slot 1 is empty"});
    expect_refused("Nr\xff\xff\xff\xff.", {"memo slot 4294967295"});
    expect_refused("Nq\x01h\0."s, {"memo slot 0 is empty"});
    expect_refused("q\0."s, {"needs a value"});
    expect_refused("Np-1\n.", {"'-1' is not a number"});
}

TEST(Pickle, RefusesSizesThatTheFileDoesNotHave) {
    expect_refused("", {"byte 0: needs 1 more bytes, but the file ends after 0"});
    expect_refused("T\xff\xff\xff\xffhi.", {"needs 4294967295 more bytes, but the file ends after 3"});
    expect_refused("\x8e\xff\xff\xff\xff\xff\xff\xff\xffhi.", {"needs 18446744073709551615 more bytes"});
    expect_refused("\x8b\xff\xff\xff\xff.", {"needs 4294967295 more bytes"});
    expect_refused("J\x01", {"needs 4 more bytes"});
    expect_refused("I12", {"ends within a line"});
    expect_refused("\x8a\x09"s + "123456789.", {"an integer of 9 bytes"});
}

TEST(Pickle, RefusesMalformedNumbersAndStrings) {
    expect_refused("Ix\n.", {"'x' is not a number"});
    expect_refused("L99999999999999999999L\n.", {"is not a number of 64 bits"});
    expect_refused("F1.5.2\n.", {"'1.5.2' is not a number"});
    for (const std::string literal :
         {"S\n.", "S'\n.", "Sab\n.", "S'a\"\n.", "S'\\\n.", "S'\\x1'\n.", "S'\\q'\n."})
        expect_refused(literal, {"a malformed string"});
    for (const std::string literal : {"V\\u12\n.", "V\\ud800\n.", "V\\U00110000\n."})
        expect_refused(literal, {"a malformed string"});
}

TEST(Pickle, EveryTruncationOfAFileIsRefused) {
    const std::string whole = file(csr({{2, 3}, {0, 1, 2}, {0, 2}, {1, 1}}));
    for (std::size_t length = 0; length < whole.size(); ++length)
        expect_refused(whole.substr(0, length), {"f.pkl: byte"});
}

void expect_array_refused(const std::string& value, std::initializer_list<std::string_view> parts) {
    expect_input_error([&] { decoded_array(file(value)); }, parts);
}

TEST(PickledArray, RefusesWhatIsNotAnArray) {
    expect_array_refused("N", {"expected a numpy array, found None"});
    expect_array_refused(dtype("<", "i4"), {"expected a numpy array, found an object"});
    const std::string shell = call(global("numpy.core.multiarray", "_reconstruct"), {});
    expect_array_refused(shell, {"an object without content"});
    expect_array_refused(with_state(shell, "N"), {"expected a tuple, found None"});
    expect_array_refused(with_state(shell, integers({1, 2})), {"a tuple of 2, expected 5"});
    expect_array_refused(array_with_payload("N", {1}, text("x")), {"expected a numpy dtype, found None"});
    expect_array_refused(array_with_payload(dtype("<", "i4"), {1}, list({})),
                         {"expected a string, found a list"});
}

TEST(PickledArray, RefusesShapesThatTheBytesDoNotFill) {
    const std::string type = dtype("<", "i4");
    expect_array_refused(array(type, {3}, "1234"), {"4 bytes for the shape (3) of '<i4'"});
    expect_array_refused(array(type, {-1}, "1234"), {"4 bytes for the shape (-1)"});
    const std::int32_t huge = std::numeric_limits<std::int32_t>::max();
    expect_array_refused(array(type, {huge, huge, huge}, "1234"), {"4 bytes for the shape"});
    expect_array_refused(array(type, {}, "12345"), {"5 bytes for the shape ()"});
}

TEST(PickledArray, RefusesElementTypesItDoesNotKnow) {
    for (const std::string kind : {"c8", "V4", "", "i", "i4x", "i-4", "i0", "i99999999999", "M8[ns]"})
        expect_array_refused(array(dtype("<", kind), {1}, "1234"), {"expected plain numbers or text"});
    expect_array_refused(array(dtype("|", "O8"), {1}, "12345678"), {"holds pickled Python objects"});
    expect_input_error([] { to_vector<float>(decoded_array(file(array(dtype("<", "f2"), {1}, "12"))), "f"); },
                       {"elements of type '<f2'", "4 or 8"});
}

TEST(PickledArray, RefusesTextThatIsNotLatin1) {
    const auto payload = [](const std::string& utf8) {
        return call(global("_codecs", "encode"), {text(utf8), text("latin1")});
    };
    const std::string type = dtype("|", "u1");
    EXPECT_EQ(decoded_array(file(array_with_payload(type, {2},
                                                    payload("\xc3\xbf"
                                                            "a"))))
                  .bytes,
              "\xff"
              "a");
    for (const std::string bad : {"\xe2\x82\xac", "\xc3", "\xc3z", "\xff"}) {
        expect_array_refused(array_with_payload(type, {1}, payload(bad)), {"not the Latin-1 form of bytes"});
    }
}

TEST(PickledCsr, RefusesMatricesThatDoNotFitTogether) {
    const auto expect_csr_refused = [](const std::string& value,
                                       std::initializer_list<std::string_view> parts) {
        expect_input_error([&] { decoded_csr(file(value)); }, parts);
    };
    expect_csr_refused(csr({{2, 3}, {0, 1}, {0}, {1}}), {"indptr has 2 elements, expected 3"});
    expect_csr_refused(csr({{1, 3}, {0, 2}, {0}, {1}}), {"indptr runs from 0 to 2, expected 0 to 1"});
    expect_csr_refused(csr({{1, 3}, {1, 1}, {0}, {1}}), {"indptr runs from 1"});
    expect_csr_refused(csr({{3, 3}, {0, 2, 1, 1}, {0}, {1}}), {"indptr descends at element 2"});
    expect_csr_refused(csr({{1, 3}, {0, 1}, {3}, {1}}), {"entry 0 has the index 3, outside 0..2"});
    expect_csr_refused(csr({{1, 3}, {0, 1}, {-1}, {1}}), {"has the index -1"});
    expect_csr_refused(csr({{1, 3}, {0, 1}, {0}, {1, 2}}), {"2 values for 1 indices"});
    expect_csr_refused(csr({{3}, {0, 1}, {0}, {1}}), {"a shape of 1 numbers, expected 2"});
    expect_csr_refused(csr({{-1, 3}, {0, 1}, {0}, {1}}), {"a size of -1"});
    expect_csr_refused(with_state(global("scipy.sparse.csr", "csr_matrix") + ")\x81", dict({})),
                       {"a csr_matrix without '_shape'"});
    expect_csr_refused(int_array({1}, {1}), {"expected a scipy csr_matrix, found an object"});
}

}  // namespace
}  // namespace hwgcn::pickle_test
