// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/data/idx_file.h>
#include <engine/data/mnist.h>
#include <engine/data/mnist_download.h>
#include <engine/error.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>

namespace rankscope::engine {
namespace {

namespace fs = std::filesystem;

struct FilePair {
    std::string images;
    std::string labels;
};

FilePair names_of(Split split) {
    const std::string prefix = split == Split::train ? "train" : "t10k";
    return {prefix + "-images-idx3-ubyte", prefix + "-labels-idx1-ubyte"};
}

/// The file itself, its gzip form, or the spelling with a dot that some archives have.
std::optional<fs::path> find_file(const std::vector<fs::path>& folders, const std::string& name) {
    std::string dotted = name;
    dotted[dotted.find("-idx")] = '.';
    std::error_code ignored;
    for (const fs::path& folder : folders) {
        for (const std::string& candidate : {name, name + ".gz", dotted, dotted + ".gz"}) {
            if (fs::is_regular_file(folder / candidate, ignored)) {
                return folder / candidate;
            }
        }
    }
    return std::nullopt;
}

std::vector<fs::path> search_folders(const protocol::DatasetConfig& config) {
    std::vector<fs::path> folders;
    if (!config.root.empty()) {
        const fs::path root = expand_home(config.root);
        for (const char* below : {"", "MNIST/raw", "raw", "mnist"}) {
            folders.push_back(*below == '\0' ? root : root / below);
        }
    }
    folders.push_back(mnist_cache_folder());
    return folders;
}

ImageSet read_pair(const fs::path& images, const fs::path& labels, std::size_t limit) {
    IdxArray pixels = read_idx(images, 3, limit);
    IdxArray classes = read_idx(labels, 1, limit);
    if (pixels.dims[0] != classes.dims[0]) {
        throw Error(images.string() + " has " + std::to_string(pixels.dims[0]) + " images, but " +
                    labels.string() + " has " + std::to_string(classes.dims[0]) + " labels");
    }
    if (pixels.dims[1] != 28 || pixels.dims[2] != 28) {
        throw Error(images.string() + ": images of " + std::to_string(pixels.dims[1]) + "×" +
                    std::to_string(pixels.dims[2]) + "; MNIST's are 28×28");
    }
    const auto wrong =
        std::find_if(classes.data.begin(), classes.data.end(), [](std::uint8_t c) { return c > 9; });
    if (wrong != classes.data.end()) {
        throw Error(labels.string() + ": label " + std::to_string(*wrong) + " at item " +
                    std::to_string(wrong - classes.data.begin()) + "; MNIST's are 0 to 9");
    }
    return {{1, 28, 28}, 10, std::move(pixels.data), std::move(classes.data)};
}

}  // namespace

fs::path expand_home(const std::string& path) {
    const char* home = std::getenv("HOME");
    if (home == nullptr || path.empty() || path[0] != '~' || (path.size() > 1 && path[1] != '/')) {
        return path;
    }
    return fs::path(home) / fs::path(path.size() > 2 ? path.substr(2) : "");
}

fs::path mnist_cache_folder() {
    const char* cache = std::getenv("XDG_CACHE_HOME");
    const fs::path base = cache != nullptr && *cache == '/' ? fs::path(cache) : expand_home("~/.cache");
    return base / "rankscope" / "datasets" / "mnist";
}

ImageSet load_mnist(const protocol::DatasetConfig& config, Split split, const DataProgress& progress) {
    const std::vector<fs::path> folders = search_folders(config);
    const FilePair names = names_of(split);
    std::optional<fs::path> images = find_file(folders, names.images);
    std::optional<fs::path> labels = find_file(folders, names.labels);
    if (!images || !labels) {
        download_mnist(mnist_cache_folder(), config.root, progress);
        images = find_file(folders, names.images);
        labels = find_file(folders, names.labels);
        if (!images || !labels) {
            throw Error("MNIST was downloaded to " + mnist_cache_folder().string() +
                        ", but is not there now");
        }
    }
    const bool limited = split == Split::train && config.limit;
    return read_pair(
        *images, *labels,
        limited ? static_cast<std::size_t>(*config.limit) : std::numeric_limits<std::size_t>::max());
}

}  // namespace rankscope::engine
