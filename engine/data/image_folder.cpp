// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/text.h>
#include <engine/data/data_paths.h>
#include <engine/data/folder_images.h>
#include <engine/data/image_folder.h>
#include <engine/error.h>

#include <algorithm>
#include <filesystem>

namespace rankscope::engine {
namespace {

namespace fs = std::filesystem;

std::string lower_extension(const std::string& name) {
    const std::size_t dot = name.rfind('.');
    return dot == std::string::npos ? "" : lower_case(name.substr(dot));
}

bool is_one_of(const std::string& word, const std::vector<std::string>& words) {
    return std::ranges::find(words, word) != words.end();
}

/// Whether the file is a sample. torchvision's other kinds are refused.
bool is_picture(const fs::path& folder, const std::string& name) {
    static const std::vector<std::string> ours{".jpg", ".jpeg", ".png"};
    static const std::vector<std::string> torchvisions{".ppm", ".bmp", ".pgm", ".tif", ".tiff", ".webp"};
    const std::string extension = lower_extension(name);
    if (is_one_of(extension, torchvisions)) {
        throw Error((folder / name).string() +
                    ": only JPEG and PNG are read here, and left out it would be another set. Convert the "
                    "picture, or take it out of the folder.");
    }
    return is_one_of(extension, ours);
}

/// One folder below a class, as Python's os.walk goes through it.
struct Visited {
    std::string path;  ///< relative to the class
    std::vector<std::string> files;
};

void visit(const fs::path& folder, const std::string& relative, int depth, std::vector<Visited>& visited) {
    constexpr int kDeepest = 32;
    if (depth > kDeepest) {
        throw Error(folder.string() + ": folders are nested too deep; does a link lead back?");
    }
    const std::size_t mine = visited.size();
    visited.push_back({relative, {}});
    std::vector<std::string> below;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
        std::error_code ignored;
        const std::string name = entry.path().filename().string();
        if (entry.is_directory(ignored)) {
            below.push_back(name);
        } else if (is_picture(folder, name)) {
            visited[mine].files.push_back(name);
        }
    }
    std::ranges::sort(visited[mine].files);
    for (const std::string& name : below) {
        visit(folder / name, relative.empty() ? name : relative + "/" + name, depth + 1, visited);
    }
}

/// The pictures of a class, relative to it, in torchvision's order.
std::vector<std::string> pictures_of(const fs::path& folder) {
    std::vector<Visited> visited;
    try {
        visit(folder, "", 0, visited);
    } catch (const fs::filesystem_error& error) {
        throw Error(folder.string() + ": cannot be listed: " + error.code().message());
    }
    std::ranges::sort(visited, {}, &Visited::path);
    std::vector<std::string> names;
    for (const Visited& one : visited) {
        for (const std::string& file : one.files) {
            names.push_back(one.path.empty() ? file : one.path + "/" + file);
        }
    }
    return names;
}

std::vector<std::string> class_folders(const fs::path& folder, const char* key) {
    std::vector<std::string> names;
    std::error_code failed;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, failed)) {
        std::error_code ignored;
        if (entry.is_directory(ignored)) {
            names.push_back(entry.path().filename().string());
        }
    }
    if (failed) {
        throw Error(folder.string() + ": cannot be listed: " + failed.message() +
                    ". An image folder has one folder for training and one for validation, with a folder per "
                    "class in each; dataset.root and dataset." +
                    key + " name them.");
    }
    if (names.empty()) {
        throw Error(folder.string() +
                    ": has no class folders; one folder per class is expected, with the "
                    "pictures in them");
    }
    std::ranges::sort(names);
    return names;
}

fs::path train_folder(const config::DatasetConfig& config) {
    return expand_home(config.root) / config.train_split;
}

/// N of them, spread evenly: the first N would all be of the first classes.
std::vector<std::size_t> chosen(std::size_t count, std::size_t wanted) {
    std::vector<std::size_t> indices;
    const std::size_t size = std::min(count, wanted);
    for (std::size_t i = 0; i < size; ++i) {
        indices.push_back(i * count / size);
    }
    return indices;
}

}  // namespace

std::vector<std::string> image_folder_classes(const config::DatasetConfig& config) {
    return class_folders(train_folder(config), "train_split");
}

ImageSet load_image_folder(const config::DatasetConfig& config, Split split, const DataProgress& progress) {
    const bool train = split == Split::train;
    const std::vector<std::string> classes = image_folder_classes(config);
    const fs::path folder = train ? train_folder(config) : expand_home(config.root) / config.val_split;
    const std::vector<std::string> here = train ? classes : class_folders(folder, "val_split");
    ImageSet set;
    set.classes = config.classes.value_or(static_cast<std::int64_t>(classes.size()));
    if (static_cast<std::size_t>(set.classes) < classes.size()) {
        throw Error(train_folder(config).string() + ": has " + std::to_string(classes.size()) +
                    " class folders, but dataset.classes is " + std::to_string(set.classes));
    }
    std::vector<std::string> names;
    std::vector<std::int32_t> labels;
    std::uint64_t done = 0;
    for (const std::string& name : here) {
        progress("listing " + folder.string(), done++, here.size());
        const auto known = std::ranges::lower_bound(classes, name);
        if (known == classes.end() || *known != name) {
            throw Error((folder / name).string() + ": is not a class of " + train_folder(config).string() +
                        "; both halves must have the same class folders");
        }
        std::vector<std::string> pictures = pictures_of(folder / name);
        if (pictures.empty()) {
            throw Error((folder / name).string() +
                        ": has no picture (.jpg, .jpeg, .png); every class folder needs one. Remove the "
                        "folder if it is no class.");
        }
        for (const std::string& picture : pictures) {
            names.push_back(name + "/" + picture);
            labels.push_back(static_cast<std::int32_t>(known - classes.begin()));
        }
    }
    auto images = std::make_shared<FolderImages>(folder);
    const std::size_t wanted = train && config.limit ? static_cast<std::size_t>(*config.limit) : names.size();
    for (const std::size_t index : chosen(names.size(), wanted)) {
        images->add(names[index]);
        set.labels.push_back(labels[index]);
    }
    set.images = std::move(images);
    return set;
}

}  // namespace rankscope::engine
