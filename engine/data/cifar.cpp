// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/data/cifar.h>
#include <engine/data/cifar_records.h>
#include <engine/data/data_paths.h>
#include <engine/data/download.h>
#include <engine/data/memory_images.h>
#include <engine/data/tar_reader.h>
#include <engine/error.h>

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace rankscope::engine {
namespace {

namespace fs = std::filesystem;

/// CIFAR-10 or CIFAR-100.
struct Family {
    std::string name;  ///< as in the configuration
    CifarFormat format;
    std::vector<std::string> train;  ///< files of the python version; the binary ones end in .bin
    std::vector<std::string> test;
    std::int64_t train_images = 50000;
    std::string binary_folder;
    std::string python_folder;
    std::string python_archive;
    std::string label_key;  ///< in the python version
    RemoteSet remote;
    std::vector<PublishedFile> unpacked;
};

const Family& cifar10() {
    static const Family family{
        "cifar10",
        {1, 0, 10},
        {"data_batch_1", "data_batch_2", "data_batch_3", "data_batch_4", "data_batch_5"},
        {"test_batch"},
        50000,
        "cifar-10-batches-bin",
        "cifar-10-batches-py",
        "cifar-10-python.tar.gz",
        "labels",
        {"CIFAR-10",
         "RANKSCOPE_CIFAR10_MIRRORS",
         "https://www.cs.toronto.edu/~kriz/",
         {{"cifar-10-binary.tar.gz", 170052171,
           "c4a38c50a1bc5f3a1c5537f2155ab9d68f9f25eb1ed8d9ddda3db29a59bca1dd"}},
         "packed, or unpacked the folder cifar-10-batches-bin or cifar-10-batches-py",
         "Or train on noise of the same shape, which needs no files: dataset: {name: random}."},
        {{"data_batch_1.bin", 30730000, "cee916563c9f80d84e3cc88e17fdc0941787f1244f00a67874d45b261883ada5"},
         {"data_batch_2.bin", 30730000, "a591ca11fa1708a91ee40f54b3da4784ccd871ecf2137de63f51ada8b3fa57ed"},
         {"data_batch_3.bin", 30730000, "bbe8596564c0f86427f876058170b84dac6670ddf06d79402899d93ceea26f67"},
         {"data_batch_4.bin", 30730000, "014e562d6e23c72197cc727519169a60359f5eccd8945ad5a09d710285ff4e48"},
         {"data_batch_5.bin", 30730000, "755304fc0b379caeae8c14f0dac912fbc7d6cd469eb67a1029a08a39453a9add"},
         {"test_batch.bin", 30730000, "8e2eb146ae340b09e24670f29cabc6326dba54da8789dab6768acf480273f65b"}}};
    return family;
}

const Family& cifar100() {
    static const Family family{
        "cifar100",
        {2, 1, 100},
        {"train"},
        {"test"},
        50000,
        "cifar-100-binary",
        "cifar-100-python",
        "cifar-100-python.tar.gz",
        "fine_labels",
        {"CIFAR-100",
         "RANKSCOPE_CIFAR100_MIRRORS",
         "https://www.cs.toronto.edu/~kriz/",
         {{"cifar-100-binary.tar.gz", 168513733,
           "58a81ae192c23a4be8b1804d68e518ed807d710a4eb253b1f2a199162a40d8ec"}},
         "packed, or unpacked the folder cifar-100-binary or cifar-100-python",
         "Or train on noise of the same shape, which needs no files: dataset: {name: random, classes: 100}."},
        {{"train.bin", 153700000, "f31298fc616915fa142368359df1c4ca2ae984d6915ca468b998a5ec6aeebf29"},
         {"test.bin", 30740000, "d8b1e6b7b3bee4020055f0699b111f60b1af1e262aeb93a0b659061746f8224a"}}};
    return family;
}

/// Where a half of the set is: files of one folder, or members of one archive.
struct Source {
    std::vector<fs::path> files;  ///< in the order of the set
    fs::path archive;             ///< instead of files
    bool pickled = false;
    std::vector<std::string> missing;
};

std::vector<fs::path> search_folders(const Family& family, const std::string& given) {
    std::vector<fs::path> folders;
    const auto with_parts = [&](const fs::path& folder) {
        for (const std::string& below :
             {std::string(), family.binary_folder, family.python_folder, family.name}) {
            folders.push_back(below.empty() ? folder : folder / below);
        }
    };
    if (!given.empty()) {
        with_parts(expand_home(given));
    }
    with_parts(dataset_cache_folder(family.name));
    return folders;
}

/// The files of one folder with these endings, or nothing when none is there.
std::optional<Source> source_in(const fs::path& folder, const std::vector<std::string>& names,
                                const std::vector<std::string>& endings) {
    Source source;
    std::error_code ignored;
    for (const std::string& name : names) {
        const auto ending = std::ranges::find_if(endings, [&](const std::string& candidate) {
            return fs::is_regular_file(folder / (name + candidate), ignored);
        });
        if (ending == endings.end()) {
            source.missing.push_back(name + endings.front());
        } else {
            source.files.push_back(folder / (name + *ending));
        }
    }
    return source.files.empty() ? std::nullopt : std::optional(source);
}

std::optional<Source> find_source(const Family& family, const std::string& root,
                                  const std::vector<std::string>& names) {
    const std::vector<fs::path> folders = search_folders(family, root);
    for (const fs::path& folder : folders) {
        if (auto found = source_in(folder, names, {".bin", ".bin.xz", ".bin.gz"})) {
            return found;
        }
    }
    for (const fs::path& folder : folders) {
        // A folder with files of these bare names alone could be anything's.
        if (folder.filename() == family.python_folder) {
            if (auto found = source_in(folder, names, {""})) {
                found->pickled = true;
                return found;
            }
        }
    }
    std::error_code ignored;
    for (const fs::path& folder : folders) {
        for (const bool pickled : {false, true}) {
            const fs::path archive = folder / (pickled ? family.python_archive : family.remote.files[0].name);
            if (fs::is_regular_file(archive, ignored)) {
                return Source{.files = {}, .archive = archive, .pickled = pickled, .missing = {}};
            }
        }
    }
    return std::nullopt;
}

/// Reads the pieces of a half of the set one after the other.
class Reader {
public:
    Reader(const Family& family, std::size_t most) : family_(family), most_(most) {}

    void add(const std::string& file, const std::vector<std::uint8_t>& content, bool pickled) {
        if (pickled) {
            append_cifar_pickle(file, content, family_.label_key, family_.format, most_, samples_);
        } else {
            append_cifar_records(file, content, family_.format, most_, samples_);
        }
    }
    bool full() const { return samples_.labels.size() >= most_; }
    CifarSamples take() { return std::move(samples_); }

private:
    const Family& family_;
    std::size_t most_;
    CifarSamples samples_;
};

void read_files(const Family& family, const Source& source, Reader& reader) {
    constexpr std::size_t kLargest = std::size_t{1} << 30U;
    for (const fs::path& file : source.files) {
        if (reader.full()) {
            return;
        }
        refuse_damaged(file, family.unpacked);
        ByteSource in(file);
        std::vector<std::uint8_t> content;
        in.append(content, kLargest);
        reader.add(file.string(), content, source.pickled);
    }
}

void read_archive(const Source& source, const std::vector<std::string>& names, Reader& reader) {
    ByteSource in(source.archive);
    TarReader tar(in);
    // The members may come in any order; the set's order is that of the names.
    std::map<std::string, std::vector<std::uint8_t>> contents;
    while (contents.size() < names.size()) {
        const auto member = tar.next();
        if (!member) {
            break;
        }
        std::string name = fs::path(member->name).filename().string();
        if (!source.pickled && name.ends_with(".bin")) {
            name.resize(name.size() - 4);
        }
        if (std::ranges::find(names, name) != names.end()) {
            tar.append(contents[name], member->size);
        }
    }
    for (const std::string& name : names) {
        const auto found = contents.find(name);
        if (found == contents.end()) {
            throw Error(source.archive.string() + ": the file " + name + " is not in the archive");
        }
        if (!reader.full()) {
            reader.add(source.archive.string() + ": " + name, found->second, source.pickled);
        }
    }
}

/// Takes the data files out of the downloaded archive, which is then no longer needed.
void unpack(const Family& family, const fs::path& folder) {
    const fs::path archive = folder / family.remote.files[0].name;
    {
        ByteSource in(archive);
        TarReader tar(in);
        fs::create_directories(folder / family.binary_folder);
        while (const auto member = tar.next()) {
            const fs::path target = folder / family.binary_folder / fs::path(member->name).filename();
            if (target.extension() != ".bin") {
                continue;
            }
            std::vector<std::uint8_t> content;
            tar.append(content, member->size);
            const fs::path part = target.string() + ".part." + std::to_string(getpid());
            std::ofstream out(part, std::ios::binary);
            out.write(static_cast<const char*>(static_cast<const void*>(content.data())),
                      static_cast<std::streamsize>(content.size()));
            out.close();
            if (!out) {
                fs::remove(part);
                throw Error(target.string() + ": cannot be written: is the disk full?");
            }
            fs::rename(part, target);
        }
    }
    fs::remove(archive);
}

Source found_or_downloaded(const Family& family, const std::string& root,
                           const std::vector<std::string>& names, const DataProgress& progress) {
    std::optional<Source> source = find_source(family, root, names);
    if (!source) {
        const fs::path cache = dataset_cache_folder(family.name);
        RemoteSet remote = family.remote;
        remote.is_there = [&] { return find_source(family, "", names).has_value(); };
        remote.unpack = [&] { unpack(family, cache); };
        download(remote, cache, root, progress);
        source = find_source(family, "", names);
        if (!source) {
            throw Error(family.remote.title + " was downloaded to " + cache.string() +
                        ", but is not there now");
        }
    }
    return *source;
}

}  // namespace

ImageSet load_cifar(const config::DatasetConfig& config, Split split, const DataProgress& progress) {
    const Family& family = config.name == "cifar100" ? cifar100() : cifar10();
    const bool train = split == Split::train;
    const std::vector<std::string>& names = train ? family.train : family.test;
    const Source source = found_or_downloaded(family, config.root, names, progress);
    const bool limited = train && config.limit;
    Reader reader(
        family, limited ? static_cast<std::size_t>(*config.limit) : std::numeric_limits<std::size_t>::max());
    if (source.archive.empty()) {
        read_files(family, source, reader);
    } else {
        read_archive(source, names, reader);
    }
    CifarSamples samples = reader.take();
    ImageSet set;
    set.classes = family.format.classes;
    set.labels = std::move(samples.labels);
    if (!source.missing.empty()) {
        set.remark = std::to_string(set.size()) + " of " + std::to_string(family.train_images) +
                     " images: not in " + source.files[0].parent_path().string() + ":";
        for (const std::string& name : source.missing) {
            set.remark += " " + name;
        }
    }
    set.images = std::make_shared<MemoryImages>(kCifarChannels, ImageSize{kCifarSide, kCifarSide},
                                                std::move(samples.pixels));
    return set;
}

}  // namespace rankscope::engine
