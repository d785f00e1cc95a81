#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hwgcn/tensor/csr_matrix.hpp"

#include "base/files/atomic_file.hpp"
#include "base/files/input_file.hpp"
#include "io/expect_input_error.hpp"
#include "io/numpy/npy_format.hpp"
#include "io/numpy/npz_archive.hpp"
#include "test_data.hpp"
#include "zip_writer.hpp"

namespace hwgcn::npz_test {
namespace {

using namespace std::string_literals;
using testing::expect_input_error;
using testing::make_zip;

template <typename T>
std::string bytes_of(const std::vector<T>& values) {
    return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

std::string npy(const std::string& dtype, const std::vector<std::int64_t>& shape, const std::string& bytes) {
    return format_npy_header(dtype, shape) + bytes;
}

// A .npy file with the given header text, well-formed or not.
std::string npy_with_header(const std::string& header, const std::string& bytes = "") {
    return "\x93NUMPY\x01\x00"s + static_cast<char>(header.size() & 0xFF) +
           static_cast<char>(header.size() >> 8) + header + bytes;
}

void expect_member_refused(const std::string& member, std::initializer_list<std::string_view> parts) {
    const std::string zip = make_zip({{"a.npy", member}});
    expect_input_error([&] { read_npz_memory(zip, "f.npz").array("a"); }, parts);
}

TEST(NpyHeader, IsWhatNumpyWrites) {
    // numpy.save of a 2 x 3 array of float32, byte for byte.
    const std::string header = format_npy_header("<f4", {2, 3});
    EXPECT_EQ(header.size() % 64, 0U);
    EXPECT_EQ(header.substr(0, 10), "\x93NUMPY\x01\x00\x76\x00"s);
    EXPECT_EQ(header.substr(10, 60), "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), } ");
    EXPECT_EQ(header.back(), '\n');
    EXPECT_THAT(format_npy_header("<i8", {5}), ::testing::HasSubstr("'shape': (5,), }"));
    EXPECT_THAT(format_npy_header("|S3", {}), ::testing::HasSubstr("'shape': (), }"));
}

TEST(NpyHeader, KeysMayComeInAnyOrderAndSpacing) {
    const std::string text = "{ \"shape\":(2L , 3) ,'fortran_order' : True,'descr':'>i2'}   \n";
    const NpyHeader header = parse_npy_header(npy_with_header(text, "bytes"), "f");
    EXPECT_EQ(header.array.dtype, ">i2");
    EXPECT_TRUE(header.array.fortran_order);
    EXPECT_EQ(header.array.shape, (std::vector<std::int64_t>{2, 3}));
    EXPECT_EQ(header.size, 10 + text.size());
}

TEST(NpyHeader, RefusesDamagedOnes) {
    expect_member_refused("", {"f.npz: array 'a': is not a .npy array"});
    expect_member_refused("\x93NUMPY", {"is not a .npy array"});
    expect_member_refused("\x93NUMPY\x04\x00\x00\x00"s, {"version 4, expected 1, 2 or 3"});
    expect_member_refused("\x93NUMPY\x01\x00\x10"s, {"it ends too early"});
    expect_member_refused("\x93NUMPY\x02\x00\xff\xff\xff\xff{}"s, {"a length of 4294967295 bytes"});
    for (const std::string text :
         {"", "{", "[", "{'descr'", "{'descr': 4}", "{'descr': '<f4",
          "{'descr': '<f4', 'fortran_order': Maybe, 'shape': ()}",
          "{'descr': '<f4', 'fortran_order': False, 'shape': (x)}",
          "{'descr': '<f4', 'fortran_order': False, 'shape': (1",
          "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,)}",
          "{'descr': '<f4', 'fortran_order': False}", "{'evil': 1}", "{}"}) {
        expect_member_refused(npy_with_header(text), {"f.npz: array 'a': damaged .npy header"});
    }
    std::string axes;
    for (int i = 0; i < 40; ++i)
        axes += "1,";
    expect_member_refused(
        npy_with_header("{'descr': '<f4', 'fortran_order': False, 'shape': (" + axes + ")}"),
        {"more than 32 axes"});
    expect_member_refused(npy_with_header("{'descr': [('x', '<f4')], 'fortran_order': False, 'shape': ()}"),
                          {"records with named fields"});
}

TEST(NpzArchive, ConvertsEveryNumericTypeAndByteOrder) {
    const auto values = [](const std::string& dtype, const std::string& bytes) {
        return to_vector<std::int64_t>({dtype, {2}, false, bytes}, "f");
    };
    const std::vector<std::int64_t> expected = {1, 2};
    EXPECT_EQ(values("|b1", "\1\2"), expected);
    EXPECT_EQ(values("|i1", "\1\2"), expected);
    EXPECT_EQ(values("|u1", "\1\2"), expected);
    EXPECT_EQ(values("<i2", bytes_of<std::int16_t>({1, 2})), expected);
    EXPECT_EQ(values("<u2", bytes_of<std::uint16_t>({1, 2})), expected);
    EXPECT_EQ(values("<i4", bytes_of<std::int32_t>({1, 2})), expected);
    EXPECT_EQ(values("<u4", bytes_of<std::uint32_t>({1, 2})), expected);
    EXPECT_EQ(values("<i8", bytes_of<std::int64_t>({1, 2})), expected);
    EXPECT_EQ(values("<u8", bytes_of<std::uint64_t>({1, 2})), expected);
    EXPECT_EQ(values("<f4", bytes_of<float>({1, 2})), expected);
    EXPECT_EQ(values("<f8", bytes_of<double>({1, 2})), expected);
    EXPECT_EQ(values(">u4", "\0\0\0\1\0\0\0\2"s), expected);
    EXPECT_EQ(values(">f4", "\x3f\x80\0\0\x40\0\0\0"s), expected);
}

TEST(NpzArchive, RefusesNumbersThatDoNotFit) {
    const auto expect_unfit = [](const std::string& dtype, const std::string& bytes,
                                 std::string_view number) {
        expect_input_error(
            [&] {
                to_vector<Index>({dtype, {1}, false, bytes}, "f");
            },
            {"f: element 0 is ", number, "expected a whole number of at most 32 bits"});
    };
    expect_unfit("<i8", bytes_of<std::int64_t>({std::int64_t{1} << 31}), "2147483648");
    expect_unfit("<u4", bytes_of<std::uint32_t>({4294967295U}), "4294967295");
    expect_unfit("<f8", bytes_of<double>({1.5}), "1.5");
    expect_unfit("<f8", bytes_of<double>({-1e300}), "-1e+300");
    expect_unfit("<f4", bytes_of<float>({std::numeric_limits<float>::quiet_NaN()}), "nan");
    EXPECT_EQ(to_vector<Index>({"<f8", {1}, false, bytes_of<double>({-2147483648.0})}, "f").front(),
              std::numeric_limits<Index>::min());
}

TEST(NpzArchive, ReadsTextInUtf32AndInBytes) {
    const NumpyArray unicode{"<U3", {2}, false, bytes_of<char32_t>({U'a', 0, 0, U'é', U'€', U'😀'})};
    EXPECT_EQ(to_strings(unicode, "f"), (std::vector<std::string>{"a", "é€😀"}));
    EXPECT_EQ(to_strings({">U1", {1}, false, "\0\0\0A"s}, "f"), std::vector<std::string>{"A"});
    EXPECT_EQ(to_strings({"|S3", {2}, false, "ab\0\0\0\0"s}, "f"), (std::vector<std::string>{"ab", ""}));
    expect_input_error(
        [] {
            to_strings({"<U1", {1}, false, "\0\xd8\0\0"s}, "f");
        },
        {"0xd800", "not a character"});
    expect_input_error([] { to_strings({"<U1", {1}, false, "\0\0\x11\0"s}, "f"); }, {"0x110000"});
    expect_input_error([] { to_strings({"<i4", {1}, false, "abcd"}, "f"); }, {"expected text"});
    // Elements without bytes would make any count plausible.
    expect_input_error([] { to_strings({"<U0", {1'000'000'000'000}, false, ""}, "f"); }, {"'<U0'"});
}

TEST(NpzArchive, ReadsStoredAndDeflatedMembers) {
    const std::vector<std::int32_t> numbers = {3, 1, 4, 1, 5};
    for (const bool deflated : {false, true}) {
        const std::string zip = make_zip({{"readme.txt", "not an array"},
                                          {"pi.npy", npy("<i4", {5}, bytes_of(numbers))},
                                          {"empty.npy", npy("<f8", {0, 7}, "")}},
                                         deflated);
        const NpzArchive archive = read_npz_memory(zip, "f.npz");
        EXPECT_EQ(archive.names(), (std::vector<std::string>{"pi", "empty"}));
        EXPECT_TRUE(archive.has("pi"));
        EXPECT_FALSE(archive.has("readme"));
        EXPECT_EQ(archive.kind("empty"), 'f');
        EXPECT_EQ(archive.values<std::int32_t>("pi"), numbers);
        EXPECT_EQ(archive.array("empty").shape, (std::vector<std::int64_t>{0, 7}));
    }
}

TEST(NpzArchive, RefusesPythonObjectsAndWrongSizes) {
    expect_member_refused(npy("|O", {1}, "cos\nsystem\n."), {"array 'a': holds pickled Python objects"});
    expect_member_refused(npy("<f4", {2}, "1234"), {"4 bytes for the shape (2) of '<f4'"});
    expect_member_refused(npy("<f4", {1}, "12345"), {"5 bytes for the shape (1)"});
    const std::int64_t huge = std::numeric_limits<std::int64_t>::max();
    expect_member_refused(npy("<f4", {huge, huge}, "1234"), {"4 bytes for the shape"});
    expect_member_refused(npy("<f4", {-1}, ""), {"0 bytes for the shape (-1)"});
    const std::string zip = make_zip({{"a.npy", npy("|O", {1}, "x")}});
    EXPECT_EQ(read_npz_memory(zip, "f.npz").kind("a"), 'O');
    expect_input_error([&] { read_npz_memory(zip, "f.npz").array("b"); }, {"f.npz: has no array 'b'"});
}

TEST(NpzArchive, RefusesFilesThatAreNoArchive) {
    const testing::TemporaryDirectory folder;
    expect_input_error([&] { read_npz(folder / "absent.npz"); }, {"absent.npz: cannot open: No such file"});
    expect_input_error([&] { read_npz(folder.path()); }, {"cannot open"});
    write_text_atomically(folder / "text.npz", "hello");
    expect_input_error([&] { read_npz(folder / "text.npz"); }, {"text.npz: cannot be read as a .npz (zip)"});
    expect_input_error([] { read_npz_memory("PK\x03\x04 nonsense", "f.npz"); }, {"f.npz: cannot be read"});
}

TEST(NpzArchive, ADamagedByteNeverChangesAnArray) {
    const std::vector<std::int32_t> numbers = {1, 2, 3, 4};
    const std::string whole = make_zip({{"a.npy", npy("<i4", {4}, bytes_of(numbers))}}, true);
    const std::size_t content_begin = whole.find("a.npy") + 5;
    const std::size_t content_end = whole.find("PK\x01\x02");
    int noticed = 0;
    for (std::size_t i = content_begin; i < content_end; ++i) {
        std::string damaged = whole;
        damaged[i] = static_cast<char>(damaged[i] ^ 0x10);
        try {
            EXPECT_EQ(read_npz_memory(damaged, "f.npz").values<std::int32_t>("a"), numbers);
        } catch (const InputError& error) {
            EXPECT_THAT(error.what(), ::testing::HasSubstr("f.npz: array 'a': "));
            ++noticed;
        }
    }
    // The bits that fill up the last byte of a deflated stream mean nothing.
    EXPECT_GE(noticed, static_cast<int>(content_end - content_begin) - 1);
}

TEST(NpzArchive, EveryTruncationIsRefused) {
    const std::string whole = make_zip({{"a.npy", npy("<i4", {1}, "1234")}});
    for (std::size_t length = 1; length < whole.size(); ++length) {
        expect_input_error([&] { read_npz_memory(whole.substr(0, length), "f.npz").array("a"); }, {"f.npz:"});
    }
}

TEST(NpzArchive, RefusesSizesThatCannotBe) {
    const std::string whole = make_zip({{"a.npy", npy("<i4", {1}, "1234")}});
    const std::size_t directory = whole.find("PK\x01\x02");
    const auto with_sizes = [&](std::uint32_t compressed, std::uint32_t size) {
        std::string changed = whole;
        for (const auto& [header, field] : {std::pair(std::size_t{0}, 18), std::pair(directory, 20)}) {
            std::memcpy(changed.data() + header + field, &compressed, 4);
            std::memcpy(changed.data() + header + field + 4, &size, 4);
        }
        return changed;
    };
    for (const std::string& zip : {with_sizes(132, 0xFFFFFFF0), with_sizes(0xFFFFFF00, 0xFFFFFF00)}) {
        expect_input_error([&] { read_npz_memory(zip, "f.npz").array("a"); }, {"f.npz"});
    }
    expect_input_error([&] { read_npz_memory(with_sizes(132, 0xFFFFFFF0), "f.npz").array("a"); },
                       {"claims 4294967280 bytes in 132 compressed ones"});
}

TEST(NpzArchive, WritesWhatItReads) {
    const testing::TemporaryDirectory folder;
    const std::vector<float> matrix = {1, 2, 3, 4, 5, 6};
    const std::vector<std::int64_t> none;
    const std::string text = "csr";
    const std::vector<NpyEntry> entries = {npy_entry("matrix", matrix, {2, 3}),
                                           npy_entry("none", none),
                                           {"text", "|S3", {}, std::as_bytes(std::span(text))}};
    write_npz(folder / "new folder" / "f.npz", entries);
    const NpzArchive archive = read_npz(folder / "new folder" / "f.npz");
    EXPECT_EQ(archive.names(), (std::vector<std::string>{"matrix", "none", "text"}));
    EXPECT_EQ(archive.array("matrix").shape, (std::vector<std::int64_t>{2, 3}));
    EXPECT_EQ(archive.values<float>("matrix"), matrix);
    EXPECT_EQ(archive.array("none").shape, std::vector<std::int64_t>{0});
    EXPECT_TRUE(archive.array("text").shape.empty());
    EXPECT_EQ(to_strings(archive.array("text"), "f"), std::vector<std::string>{"csr"});
}

TEST(NpzArchive, TheSameArraysGiveTheSameBytes) {
    const testing::TemporaryDirectory folder;
    const std::vector<double> numbers = {0.5, 0.25};
    const std::vector<NpyEntry> entries = {npy_entry("numbers", numbers)};
    write_npz(folder / "a.npz", entries);
    ::setenv("TZ", "Asia/Tokyo", 1);
    write_npz(folder / "b.npz", entries);
    ::unsetenv("TZ");
    EXPECT_EQ(read_file(folder / "a.npz"), read_file(folder / "b.npz"));
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 2);
}

TEST(NpzArchive, AFailedWriteIsARunErrorAndLeavesNothing) {
    const testing::TemporaryDirectory folder;
    const std::vector<double> numbers = {1};
    const std::vector<NpyEntry> twice = {npy_entry("same", numbers), npy_entry("same", numbers)};
    EXPECT_THROW(write_npz(folder / "f.npz", twice), ExecutionError);
    EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
    write_text_atomically(folder / "file", "");
    EXPECT_THROW(write_npz(folder / "file" / "f.npz", {}), ExecutionError);
}

}  // namespace
}  // namespace hwgcn::npz_test
