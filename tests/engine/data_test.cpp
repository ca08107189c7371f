// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/data/dataset.h>
#include <engine/data/idx_file.h>
#include <engine/data/memory_images.h>
#include <engine/data/mnist.h>
#include <engine/error.h>

#include <gtest/gtest.h>
#include <tests/engine/temporary_folder.h>
#include <zlib.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <string>

namespace rankscope::engine::test {
namespace {

namespace fs = std::filesystem;
using namespace std::string_literals;

const std::string kGood =
    "\0\0\x08\x02\0\0\0\x03\0\0\0\x02"
    "abcdef"s;

void write_gzip(const fs::path& file, const std::string& data) {
    gzFile out = gzopen(file.c_str(), "wb");
    gzwrite(out, data.data(), static_cast<unsigned>(data.size()));
    gzclose(out);
}

std::string message_of(const fs::path& file, std::size_t dimensions = 2) {
    try {
        read_idx(file, dimensions);
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

TEST(Idx, PlainAndGzip) {
    const TemporaryFolder folder;
    write_file(folder / "plain", kGood);
    write_gzip(folder / "zipped", kGood);
    for (const char* name : {"plain", "zipped"}) {
        const IdxArray array = read_idx(folder / name, 2);
        EXPECT_EQ(array.dims, (std::vector<std::size_t>{3, 2}));
        EXPECT_EQ(std::string(array.data.begin(), array.data.end()), "abcdef");
        EXPECT_EQ(read_idx(folder / name, 2, 2).data.size(), 4U);
    }
}

TEST(Idx, EveryFaultIsNamed) {
    const TemporaryFolder folder;
    struct Fault {
        std::string content;
        const char* says;
    };
    const std::vector<Fault> faults{
        {"", "not an IDX file"},
        {"\0"s, "not an IDX file"},
        {"PK\x03\x04 a zip"s, "not an IDX file"},
        {"\0\0\x0D\x02\0\0\0\x03\0\0\0\x02"s, "element type 13"},
        {"\0\0\x08\x03\0\0\0\x03\0\0\0\x02"s, "3 dimensions"},
        {kGood.substr(0, 10), "header is cut short"},
        {kGood.substr(0, 15), "cut short"},
        {kGood + "x", "more data"},
        {"\0\0\x08\x02\0\0\0\0\0\0\0\x02"s, "is 0"},
        {"\0\0\x08\x02\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF"s, "4 GiB"},
        {"\0\0\x08\x02\x3F\xFF\xFF\xFF\0\0\0\x02xx"s, "cut short"},
    };
    for (const Fault& fault : faults) {
        write_file(folder / "f", fault.content);
        const std::string message = message_of(folder / "f");
        EXPECT_NE(message.find(fault.says), std::string::npos) << "got: " << message << " for " << fault.says;
        EXPECT_NE(message.find((folder / "f").string()), std::string::npos) << message;
    }
    EXPECT_NE(message_of(folder / "absent").find("cannot be opened"), std::string::npos);
    EXPECT_NE(message_of(folder.path()), "");
}

TEST(Idx, DamagedCompressionIsNamed) {
    const TemporaryFolder folder;
    const std::string body = kGood.substr(0, 4) + "\0\0\x10\0\0\0\0\x02"s + std::string(8192, 'x');
    write_gzip(folder / "good.gz", body);
    const std::string zipped = read_file(folder / "good.gz");
    write_file(folder / "short.gz", zipped.substr(0, zipped.size() - 10));
    EXPECT_NE(message_of(folder / "short.gz").find("cut short"), std::string::npos)
        << message_of(folder / "short.gz");
    std::string flipped = zipped;
    flipped[flipped.size() - 6] = static_cast<char>(flipped[flipped.size() - 6] ^ 0x55);  // the check sum
    write_file(folder / "crc.gz", flipped);
    EXPECT_NE(message_of(folder / "crc.gz"), "");
}

std::string idx_images(std::uint8_t count) {
    return "\0\0\x08\x03\0\0\0"s + static_cast<char>(count) + "\0\0\0\x1C\0\0\0\x1C"s +
           std::string(std::size_t{count} * 784, '\x7F');
}
std::string idx_labels(const std::string& labels) {
    return "\0\0\x08\x01\0\0\0"s + static_cast<char>(labels.size()) + labels;
}

TEST(Mnist, FoundBelowTheRootAndCheckedAgainstItsLabels) {
    const TemporaryFolder folder;
    const fs::path raw = folder / "MNIST/raw";
    fs::create_directories(raw);
    write_file(raw / "t10k-images-idx3-ubyte", idx_images(3));
    write_file(raw / "t10k-labels-idx1-ubyte", idx_labels("\1\2\3"s));
    const config::DatasetConfig config{.name = "mnist", .root = folder.path().string()};
    const ImageSet set = load_mnist(config, Split::test, {});
    EXPECT_EQ(set.size(), 3);
    EXPECT_EQ(set.labels[2], 3);
    write_file(raw / "t10k-labels-idx1-ubyte", idx_labels("\1\2"s));
    EXPECT_THROW(load_mnist(config, Split::test, {}), Error);
    write_file(raw / "t10k-labels-idx1-ubyte", idx_labels("\1\2\x0B"s));
    EXPECT_THROW(load_mnist(config, Split::test, {}), Error);
}

TEST(Mnist, WithoutFilesAndMirrorTheMessageSaysWhatToDo) {
    const TemporaryFolder folder;
    setenv("XDG_CACHE_HOME", folder.path().c_str(), 1);
    setenv("RANKSCOPE_MNIST_MIRRORS", "file:///nowhere/", 1);
    std::string message;
    try {
        load_mnist({.name = "mnist", .root = "/data/none"}, Split::train, [](auto&&...) {});
    } catch (const Error& error) {
        message = error.what();
    }
    for (const char* part : {"train-images-idx3-ubyte.gz", "t10k-labels-idx1-ubyte.gz", "synthetic-digits",
                             "rankscope/datasets/mnist", "/data/none"}) {
        EXPECT_NE(message.find(part), std::string::npos) << part << " is not in: " << message;
    }
    unsetenv("RANKSCOPE_MNIST_MIRRORS");
    unsetenv("XDG_CACHE_HOME");
}

TEST(Mnist, DownloadedFromAMirrorWithProgressOnce) {
    const fs::path source = shared_folder() / "datasets/mnist";
    if (!fs::exists(source) || std::system("command -v curl > /dev/null 2>&1") != 0) {
        GTEST_SKIP() << "needs curl and MNIST's files in $RANKSCOPE_SHARED/datasets/mnist or ../shared";
    }
    const TemporaryFolder folder;
    setenv("XDG_CACHE_HOME", folder.path().c_str(), 1);
    setenv("RANKSCOPE_MNIST_MIRRORS", ("file:///nowhere/ file://" + fs::canonical(source).string()).c_str(),
           1);
    std::uint64_t last = 0;
    const auto progress = [&](const std::string&, std::uint64_t done, std::uint64_t total) {
        last = done;
        EXPECT_LE(done, total);
    };
    EXPECT_EQ(load_mnist({.name = "mnist"}, Split::train, progress).size(), 60000);
    EXPECT_EQ(last, 11594722U);
    setenv("RANKSCOPE_MNIST_MIRRORS", "", 1);
    EXPECT_EQ(load_mnist({.name = "mnist"}, Split::test, progress).size(), 10000);
    unsetenv("RANKSCOPE_MNIST_MIRRORS");
    unsetenv("XDG_CACHE_HOME");
}

const MemoryImages& in_memory(const ImageSet& set) {
    return dynamic_cast<const MemoryImages&>(*set.images);
}

TEST(SyntheticDigits, SameSeedSameImagesAndAllClasses) {
    const config::DatasetConfig config{
        .name = "synthetic-digits", .seed = 4, .train_size = 500, .test_size = 100};
    const ImageSet a = load_dataset(config, Split::train, {});
    const ImageSet b = load_dataset(config, Split::train, {});
    const auto pixels = in_memory(a).pixels();
    EXPECT_TRUE(std::ranges::equal(pixels, in_memory(b).pixels()));
    EXPECT_EQ(a.labels, b.labels);
    EXPECT_EQ(a.size(), 500);
    EXPECT_EQ(fingerprint(a), fingerprint(b));
    const ImageSet test = load_dataset(config, Split::test, {});
    EXPECT_FALSE(std::ranges::equal(in_memory(test).pixels(), pixels.first(100 * 784)));
    EXPECT_NE(fingerprint(test), fingerprint(a));
    for (int digit = 0; digit < 10; ++digit) {
        EXPECT_GT(std::count(a.labels.begin(), a.labels.end(), digit), 20);
    }
    EXPECT_GT(*std::ranges::max_element(pixels), 200);
}

}  // namespace
}  // namespace rankscope::engine::test
