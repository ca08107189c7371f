// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/sha256.h>
#include <engine/data/cifar.h>
#include <engine/data/cifar_records.h>
#include <engine/data/dataset.h>
#include <engine/data/memory_images.h>
#include <engine/data/pickled_batch.h>
#include <engine/data/published_file.h>
#include <engine/error.h>

#include <gtest/gtest.h>
#include <tests/engine/temporary_folder.h>
#include <zlib.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string>

namespace rankscope::engine::test {
namespace {

namespace fs = std::filesystem;
using namespace std::string_literals;

/// Records whose pixels are all their number.
std::string records(int count, std::size_t label_bytes, const std::string& labels) {
    std::string text;
    for (int i = 0; i < count; ++i) {
        text += std::string(label_bytes - 1, '\x13') + labels[static_cast<std::size_t>(i)] +
                std::string(kCifarPixels, static_cast<char>(i));
    }
    return text;
}

std::string message_of(const config::DatasetConfig& config, Split split = Split::train) {
    try {
        load_cifar(config, split, [](auto&&...) {});
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

config::DatasetConfig cifar(const TemporaryFolder& folder, const std::string& name = "cifar10") {
    return {.name = name, .root = folder.path().string()};
}

/// Keeps the user's own cache out of a test, and the test out of it.
class PrivateCache {
public:
    PrivateCache() {
        setenv("XDG_CACHE_HOME", folder_.path().c_str(), 1);
        setenv("RANKSCOPE_CIFAR10_MIRRORS", "", 1);
        setenv("RANKSCOPE_CIFAR100_MIRRORS", "", 1);
    }
    ~PrivateCache() {
        unsetenv("XDG_CACHE_HOME");
        unsetenv("RANKSCOPE_CIFAR10_MIRRORS");
        unsetenv("RANKSCOPE_CIFAR100_MIRRORS");
    }
    PrivateCache(const PrivateCache&) = delete;
    PrivateCache& operator=(const PrivateCache&) = delete;

private:
    TemporaryFolder folder_;
};

TEST(Cifar, BatchesInTheirOrderAndWhatIsMissingIsSaid) {
    const PrivateCache cache;
    const TemporaryFolder folder;
    const fs::path below = folder / "cifar-10-batches-bin";
    fs::create_directories(below);
    write_file(below / "data_batch_3.bin", records(1, 1, "\x09"s));
    write_file(below / "data_batch_1.bin", records(2, 1, "\x07\x00"s));
    const ImageSet set = load_cifar(cifar(folder), Split::train, {});
    EXPECT_EQ(set.labels, (std::vector<std::int32_t>{7, 0, 9}));
    EXPECT_EQ(set.classes, 10);
    EXPECT_NE(set.remark.find("3 of 50000"), std::string::npos) << set.remark;
    EXPECT_NE(set.remark.find("data_batch_2.bin data_batch_4.bin"), std::string::npos) << set.remark;
    const auto pixels = dynamic_cast<const MemoryImages&>(*set.images).pixels();
    EXPECT_EQ(pixels[kCifarPixels], 1);
    EXPECT_EQ(pixels[2 * kCifarPixels], 0);

    config::DatasetConfig limited = cifar(folder);
    limited.limit = 1;
    EXPECT_EQ(load_cifar(limited, Split::train, {}).size(), 1);
}

TEST(Cifar, TheFineLabelOfCifar100Counts) {
    const PrivateCache cache;
    const TemporaryFolder folder;
    write_file(folder / "train.bin", records(2, 2, "\x00\x63"s));
    const ImageSet set = load_cifar(cifar(folder, "cifar100"), Split::train, {});
    EXPECT_EQ(set.labels, (std::vector<std::int32_t>{0, 99}));
    EXPECT_EQ(set.classes, 100);
}

TEST(Cifar, EveryFaultNamesTheFileAndWhatIsWrong) {
    const PrivateCache cache;
    const TemporaryFolder folder;
    EXPECT_NE(message_of(cifar(folder)).find("cifar-10-binary.tar.gz"), std::string::npos)
        << message_of(cifar(folder));
    const fs::path file = folder / "test_batch.bin";
    struct Fault {
        std::string content;
        const char* says;
    };
    const std::vector<Fault> faults{
        {"", "not a whole number of records"},
        {records(2, 1, "\1\2"s).substr(1), "6145 bytes are not a whole number of records of 3073"},
        {records(3, 1, "\1\2\x0A"s), "label 10 at item 2; the set has 10 classes"}};
    for (const Fault& fault : faults) {
        write_file(file, fault.content);
        const std::string message = message_of(cifar(folder), Split::test);
        EXPECT_NE(message.find(fault.says), std::string::npos) << message;
        EXPECT_NE(message.find(file.string()), std::string::npos) << message;
    }
    // Of the published size, but not the published content.
    write_file(file, records(10000, 1, std::string(10000, '\1')));
    EXPECT_NE(message_of(cifar(folder), Split::test).find("is damaged"), std::string::npos)
        << message_of(cifar(folder), Split::test);
}

/// One member of a tar archive.
std::string tar_member(const std::string& name, const std::string& content) {
    std::string header(512, '\0');
    header.replace(0, name.size(), name);
    std::array<char, 13> octal{};
    std::snprintf(octal.data(), octal.size(), "%011o", static_cast<unsigned>(content.size()));
    header.replace(124, 11, octal.data());
    header[156] = '0';
    header.replace(148, 8, "        ");
    unsigned sum = 0;
    for (const char c : header) {
        sum += static_cast<unsigned char>(c);
    }
    std::snprintf(octal.data(), octal.size(), "%06o", sum);
    header.replace(148, 7, std::string(octal.data()) + '\0');
    return header + content + std::string((512 - content.size() % 512) % 512, '\0');
}

void write_gzip_file(const fs::path& file, const std::string& data) {
    gzFile out = gzopen(file.c_str(), "wb1");
    gzwrite(out, data.data(), static_cast<unsigned>(data.size()));
    gzclose(out);
}

TEST(Cifar, TheArchiveAsItIsDownloaded) {
    const PrivateCache cache;
    const TemporaryFolder folder;
    // Out of order, and with something else between.
    std::string archive = tar_member("cifar-10-batches-bin/batches.meta.txt", "airplane\n");
    for (const int i : {2, 1, 3, 5, 4}) {
        archive += tar_member("cifar-10-batches-bin/data_batch_" + std::to_string(i) + ".bin",
                              records(1, 1, std::string(1, static_cast<char>(i))));
    }
    write_gzip_file(folder / "cifar-10-binary.tar.gz", archive + std::string(1024, '\0'));
    const ImageSet set = load_cifar(cifar(folder), Split::train, {});
    EXPECT_EQ(set.labels, (std::vector<std::int32_t>{1, 2, 3, 4, 5}));
    EXPECT_TRUE(set.remark.empty());
    EXPECT_NE(message_of(cifar(folder), Split::test).find("test_batch is not in the archive"),
              std::string::npos);

    write_gzip_file(folder / "cifar-10-binary.tar.gz", archive.substr(0, archive.size() - 2000));
    EXPECT_NE(message_of(cifar(folder)).find("cut short"), std::string::npos) << message_of(cifar(folder));
    archive[10] = 'X';
    write_gzip_file(folder / "cifar-10-binary.tar.gz", archive);
    EXPECT_NE(message_of(cifar(folder)).find("not a tar archive"), std::string::npos);
}

std::string little(std::uint32_t value) {
    std::string text;
    for (int i = 0; i < 4; ++i, value >>= 8U) {
        text += static_cast<char>(value & 0xFFU);
    }
    return text;
}

/// What Python 2 wrote for {"batch_label": …, "labels": […], "data": array}.
std::string python_batch(const std::string& key, const std::string& labels, const std::string& data) {
    std::string list;
    for (const char label : labels) {
        list += "K"s + label;
    }
    return "\x80\x02}q\x01(U\x0B"s + "batch_labelq\x02U\x04" + "testq\x03U" + static_cast<char>(key.size()) +
           key + "q\x04]q\x05(" + list + "eU\x04" + "dataq\x06" +
           "cnumpy.core.multiarray\n_reconstruct\nq\x07" + "cnumpy\nndarray\nq\x08K\0\x85q\x09U\x01"s +
           "bq\x0A\x87Rq\x0B(K\x01J"s + little(static_cast<std::uint32_t>(labels.size())) + "M\x00\x0C\x86"s +
           "cnumpy\ndtype\nq\x0CU\x02u1K\0K\x01\x87Rq\x0D(K\x03U\x01|NNNJ"s + little(0xFFFFFFFFU) + "J" +
           little(0xFFFFFFFFU) + "K\0tb\x89T"s + little(static_cast<std::uint32_t>(data.size())) + data +
           "tbu.";
}

TEST(Cifar, ThePythonVersionAsTorchvisionLeavesIt) {
    const PrivateCache cache;
    const TemporaryFolder folder;
    const fs::path below = folder / "cifar-10-batches-py";
    fs::create_directories(below);
    const std::string data = std::string(kCifarPixels, 'a') + std::string(kCifarPixels, 'b');
    write_file(below / "test_batch", python_batch("labels", "\3\x09"s, data));
    const ImageSet set = load_cifar(cifar(folder), Split::test, {});
    EXPECT_EQ(set.labels, (std::vector<std::int32_t>{3, 9}));
    EXPECT_EQ(dynamic_cast<const MemoryImages&>(*set.images).pixels()[kCifarPixels], 'b');

    write_file(below / "test_batch", python_batch("labels", "\3\x0A"s, data));
    EXPECT_NE(message_of(cifar(folder), Split::test).find("label 10 at item 1"), std::string::npos);
    write_file(below / "test_batch", python_batch("labels", "\3"s, data));
    EXPECT_NE(message_of(cifar(folder), Split::test).find("not of one length"), std::string::npos);
    const std::string whole = python_batch("labels", "\3\4"s, data);
    write_file(below / "test_batch", whole.substr(0, 200));
    EXPECT_NE(message_of(cifar(folder), Split::test).find("ends too early"), std::string::npos);
    write_file(below / "test_batch",
               "\x80\x02"
               "cos\nsystem\n(U\x04"s +
                   "truetR.");
    EXPECT_NE(message_of(cifar(folder), Split::test).find("os.system"), std::string::npos)
        << message_of(cifar(folder), Split::test);
}

TEST(Cifar, TheRealBatches) {
    const fs::path source = shared_folder() / "datasets/cifar10";
    if (!fs::exists(source)) {
        GTEST_SKIP() << "CIFAR-10's files are not in $RANKSCOPE_SHARED/datasets/cifar10 nor in ../shared";
    }
    const PrivateCache cache;
    const config::DatasetConfig config{.name = "cifar10", .root = source.string()};
    for (const Split split : {Split::train, Split::test}) {
        const ImageSet set = load_cifar(config, split, {});
        EXPECT_EQ(set.size(), 10000);
        // The labels' order is the published one: 6 9 9 4 1 for the first training batch, 3 8 8 0 6.
        const std::vector<std::int32_t> first(set.labels.begin(), set.labels.begin() + 5);
        EXPECT_EQ(first, split == Split::train ? (std::vector<std::int32_t>{6, 9, 9, 4, 1})
                                               : (std::vector<std::int32_t>{3, 8, 8, 0, 6}));
        EXPECT_EQ(set.remark.empty(), split == Split::test);
    }
    EXPECT_EQ(dataset_sample_shape(config), (Shape{3, 32, 32}));
    EXPECT_EQ(dataset_classes(config), 10);
}

TEST(PublishedFiles, AFileIsHashedOnceAndAgainWhenItChanges) {
    const PrivateCache cache;
    const TemporaryFolder folder;
    const fs::path file = folder / "f.bin";
    write_file(file, "abc");
    const std::vector<PublishedFile> published{{"f.bin", 3, to_hex(*sha256_of_file(file))}};
    refuse_damaged(file, published);
    write_file(file, "abd");
    fs::last_write_time(file, fs::last_write_time(file) + std::chrono::seconds(2));
    EXPECT_THROW(refuse_damaged(file, published), Error);
    write_file(file, "longer");  // another file altogether
    refuse_damaged(file, published);
}

}  // namespace
}  // namespace rankscope::engine::test
