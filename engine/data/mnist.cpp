// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/data/data_paths.h>
#include <engine/data/download.h>
#include <engine/data/idx_file.h>
#include <engine/data/label_check.h>
#include <engine/data/memory_images.h>
#include <engine/data/mnist.h>
#include <engine/data/published_file.h>
#include <engine/error.h>

#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace rankscope::engine {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kClasses = 10;
constexpr int kSide = 28;

/// One of the sets that come as MNIST's four files.
struct Family {
    std::string name;                  ///< as in the configuration
    std::vector<std::string> folders;  ///< where the files may be below the root
    RemoteSet remote;
    std::vector<PublishedFile> unpacked;  ///< plain files have no check sum of their own
};

const Family& mnist() {
    static const Family family{
        "mnist",
        {"MNIST/raw", "raw", "mnist"},
        {"MNIST",
         "RANKSCOPE_MNIST_MIRRORS",
         "https://ossci-datasets.s3.amazonaws.com/mnist/ "
         "https://storage.googleapis.com/cvdf-datasets/mnist/ "
         "http://yann.lecun.com/exdb/mnist/",
         {{"train-images-idx3-ubyte.gz", 9912422,
           "440fcabf73cc546fa21475e81ea370265605f56be210a4024d2ca8f203523609"},
          {"train-labels-idx1-ubyte.gz", 28881,
           "3552534a0a558bbed6aed32b30c495cca23d567ec52cac8be1a0730e8010255c"},
          {"t10k-images-idx3-ubyte.gz", 1648877,
           "8d422c7b0a1c1c79245a5bcf07fe86e33eeafee792b84584aec276f5a2dbc4e6"},
          {"t10k-labels-idx1-ubyte.gz", 4542,
           "f7ae60f92e00ec6debd23a6088c31dbd2371eca3ffa0defaefb259924204aec6"}},
         "gzip or unpacked",
         "Or train on digits that the program draws itself, which needs no files: dataset: {name: "
         "synthetic-digits}."},
        {{"train-images-idx3-ubyte", 47040016,
          "ba891046e6505d7aadcbbe25680a0738ad16aec93bde7f9b65e87a2fc25776db"},
         {"train-labels-idx1-ubyte", 60008,
          "65a50cbbf4e906d70832878ad85ccda5333a97f0f4c3dd2ef09a8a9eef7101c5"},
         {"t10k-images-idx3-ubyte", 7840016,
          "0fa7898d509279e482958e8ce81c8e77db3f2f8254e26661ceb7762c4d494ce7"},
         {"t10k-labels-idx1-ubyte", 10008,
          "ff7bcfd416de33731a308c3f266cc351222c34898ecbeaf847f06e48f7ec33f2"}}};
    return family;
}

const Family& fashion_mnist() {
    static const Family family{
        "fashion-mnist",
        {"FashionMNIST/raw", "raw", "fashion-mnist", "fashion"},
        {"Fashion-MNIST",
         "RANKSCOPE_FASHION_MNIST_MIRRORS",
         "http://fashion-mnist.s3-website.eu-central-1.amazonaws.com/ "
         "https://raw.githubusercontent.com/zalandoresearch/fashion-mnist/master/data/fashion/",
         {{"train-images-idx3-ubyte.gz", 26421880,
           "3aede38d61863908ad78613f6a32ed271626dd12800ba2636569512369268a84"},
          {"train-labels-idx1-ubyte.gz", 29515,
           "a04f17134ac03560a47e3764e11b92fc97de4d1bfaf8ba1a3aa29af54cc90845"},
          {"t10k-images-idx3-ubyte.gz", 4422102,
           "346e55b948d973a97e58d2351dde16a484bd415d4595297633bb08f03db6a073"},
          {"t10k-labels-idx1-ubyte.gz", 5148,
           "67da17c76eaffca5446c3361aaab5c3cd6d1c2608764d35dfb1850b086bf8dd5"}},
         "gzip or unpacked",
         "Or train on digits that the program draws itself, which needs no files: dataset: {name: "
         "synthetic-digits}."},
        {}};
    return family;
}

struct FilePair {
    std::string images;
    std::string labels;
};

FilePair names_of(Split split) {
    const std::string prefix = split == Split::train ? "train" : "t10k";
    return {prefix + "-images-idx3-ubyte", prefix + "-labels-idx1-ubyte"};
}

/// The file itself, a packed form, or the spelling with a dot that some archives have.
std::optional<fs::path> find_file(const std::vector<fs::path>& folders, const std::string& name) {
    std::string dotted = name;
    dotted[dotted.find("-idx")] = '.';
    std::error_code ignored;
    for (const fs::path& folder : folders) {
        for (const std::string& candidate : {name, name + ".gz", name + ".xz", dotted, dotted + ".gz"}) {
            if (fs::is_regular_file(folder / candidate, ignored)) {
                return folder / candidate;
            }
        }
    }
    return std::nullopt;
}

std::vector<fs::path> search_folders(const Family& family, const std::string& given) {
    std::vector<fs::path> folders;
    if (!given.empty()) {
        const fs::path root = expand_home(given);
        folders.push_back(root);
        for (const std::string& below : family.folders) {
            folders.push_back(root / below);
        }
    }
    folders.push_back(dataset_cache_folder(family.name));
    return folders;
}

ImageSet read_pair(const Family& family, const fs::path& images, const fs::path& labels, std::size_t limit) {
    refuse_damaged(images, family.unpacked);
    refuse_damaged(labels, family.unpacked);
    IdxArray pixels = read_idx(images, 3, limit);
    const IdxArray classes = read_idx(labels, 1, limit);
    if (pixels.dims[0] != classes.dims[0]) {
        throw Error(images.string() + " has " + std::to_string(pixels.dims[0]) + " images, but " +
                    labels.string() + " has " + std::to_string(classes.dims[0]) + " labels");
    }
    if (pixels.dims[1] != kSide || pixels.dims[2] != kSide) {
        throw Error(images.string() + ": images of " + std::to_string(pixels.dims[1]) + "×" +
                    std::to_string(pixels.dims[2]) + "; those of " + family.remote.title + " are 28×28");
    }
    ImageSet set;
    set.classes = kClasses;
    set.labels = checked_labels(labels.string(), classes.data, kClasses);
    set.images = std::make_shared<MemoryImages>(1, ImageSize{kSide, kSide}, std::move(pixels.data));
    return set;
}

}  // namespace

ImageSet load_mnist(const config::DatasetConfig& config, Split split, const DataProgress& progress) {
    const Family& family = config.name == "fashion-mnist" ? fashion_mnist() : mnist();
    const std::vector<fs::path> folders = search_folders(family, config.root);
    const FilePair names = names_of(split);
    std::optional<fs::path> images = find_file(folders, names.images);
    std::optional<fs::path> labels = find_file(folders, names.labels);
    if (!images || !labels) {
        const fs::path cache = dataset_cache_folder(family.name);
        download(family.remote, cache, config.root, progress);
        images = find_file(folders, names.images);
        labels = find_file(folders, names.labels);
        if (!images || !labels) {
            throw Error(family.remote.title + " was downloaded to " + cache.string() +
                        ", but is not there now");
        }
    }
    const bool limited = split == Split::train && config.limit;
    return read_pair(
        family, *images, *labels,
        limited ? static_cast<std::size_t>(*config.limit) : std::numeric_limits<std::size_t>::max());
}

}  // namespace rankscope::engine
