// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/data/batch_loader.h>
#include <engine/data/dataset.h>
#include <engine/data/folder_images.h>
#include <engine/error.h>

#include <gtest/gtest.h>
#include <tests/engine/temporary_folder.h>
#include <tests/engine/test_pictures.h>

#include <algorithm>
#include <string>
#include <vector>

namespace rankscope::engine::test {
namespace {

namespace fs = std::filesystem;

void put(const fs::path& file, const std::string& content = "x") {
    fs::create_directories(file.parent_path());
    write_file(file, content);
}

config::DatasetConfig folder_config(const TemporaryFolder& folder) {
    return {.name = "image-folder", .root = folder.path().string()};
}

std::string folder_message_of(const config::DatasetConfig& config, Split split = Split::train) {
    try {
        load_dataset(config, split, [](auto&&...) {});
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

std::vector<std::string> names_of(const ImageSet& set, const fs::path& folder) {
    std::vector<std::string> names;
    for (std::int64_t i = 0; i < set.size(); ++i) {
        names.push_back(
            dynamic_cast<const FolderImages&>(*set.images).file(i).substr(folder.string().size() + 1));
    }
    return names;
}

TEST(ImageFolder, OrderAndClassesAreTorchvisions) {
    const TemporaryFolder folder;
    // Bytes decide, not letters; files of a folder come before those of the folders below it.
    for (const char* name : {"b/2.PNG", "b/10.jpg", "b/a/1.jpeg", "b/a-b/1.jpg", "b/Z.JPG", "B/only.png",
                             "b/notes.txt", "b/noending", "a/1.jpg"}) {
        put(folder / ("train/" + std::string(name)));
    }
    put(folder / "train/README.jpg");  // no class
    put(folder / "val/b/v.png");
    put(folder / "val/a/v.png");
    const auto config = folder_config(folder);
    const ImageSet train = load_dataset(config, Split::train, [](auto&&...) {});
    EXPECT_EQ(train.classes, 3);
    EXPECT_EQ(dataset_classes(config), 3);
    EXPECT_EQ(dataset_sample_shape(config), (Shape{3, 224, 224}));
    EXPECT_EQ(names_of(train, folder / "train"),
              (std::vector<std::string>{"B/only.png", "a/1.jpg", "b/10.jpg", "b/2.PNG", "b/Z.JPG",
                                        "b/a/1.jpeg", "b/a-b/1.jpg"}));
    EXPECT_EQ(train.labels, (std::vector<std::int32_t>{0, 1, 2, 2, 2, 2, 2}));
    // Validation lacks a class: the others keep their numbers.
    const ImageSet val = load_dataset(config, Split::test, [](auto&&...) {});
    EXPECT_EQ(val.labels, (std::vector<std::int32_t>{1, 2}));
    EXPECT_NE(fingerprint(train), fingerprint(val));
    put(folder / "train/b/11.jpg");
    EXPECT_NE(fingerprint(train), fingerprint(load_dataset(config, Split::train, [](auto&&...) {})));
}

TEST(ImageFolder, ALimitIsSpreadOverTheClasses) {
    const TemporaryFolder folder;
    for (const char* label : {"a", "b", "c", "d"}) {
        for (int i = 0; i < 25; ++i) {
            put(folder / ("train/" + std::string(label) + "/" + std::to_string(i) + ".jpg"));
        }
    }
    auto config = folder_config(folder);
    config.limit = 8;
    config.classes = 10;
    const ImageSet set = load_dataset(config, Split::train, [](auto&&...) {});
    EXPECT_EQ(set.labels, (std::vector<std::int32_t>{0, 0, 1, 1, 2, 2, 3, 3}));
    EXPECT_EQ(set.classes, 10);
}

TEST(ImageFolder, EveryFaultSaysWhereAndWhatToDo) {
    const TemporaryFolder folder;
    auto config = folder_config(folder);
    EXPECT_NE(folder_message_of(config).find("dataset.train_split"), std::string::npos)
        << folder_message_of(config);
    EXPECT_THROW(dataset_classes(config), Error);
    fs::create_directories(folder / "train");
    EXPECT_NE(folder_message_of(config).find("has no class folders"), std::string::npos)
        << folder_message_of(config);
    fs::create_directories(folder / "train/cat");
    put(folder / "train/dog/1.png");
    EXPECT_NE(folder_message_of(config).find("train/cat: has no picture"), std::string::npos)
        << folder_message_of(config);
    put(folder / "train/cat/1.webp");
    EXPECT_NE(folder_message_of(config).find("1.webp: only JPEG and PNG"), std::string::npos)
        << folder_message_of(config);
    fs::remove(folder / "train/cat/1.webp");
    put(folder / "train/cat/1.jpg");
    EXPECT_EQ(folder_message_of(config), "");
    EXPECT_NE(folder_message_of(config, Split::test).find("dataset.val_split"), std::string::npos);
    put(folder / "val/bird/1.jpg");
    EXPECT_NE(folder_message_of(config, Split::test).find("val/bird: is not a class of"), std::string::npos)
        << folder_message_of(config, Split::test);
    config.classes = 1;
    EXPECT_NE(folder_message_of(config).find("2 class folders, but dataset.classes is 1"), std::string::npos);
    config.classes.reset();
    fs::create_directory_symlink(folder / "train/cat", folder / "train/cat/again");
    EXPECT_NE(folder_message_of(config).find("nested too deep"), std::string::npos)
        << folder_message_of(config);
}

TEST(ImageFolder, APictureThatCannotBeReadStopsTheReadingAtItsBatch) {
    const TemporaryFolder folder;
    const std::string good = encode_jpeg(smooth(40, 50));
    for (int i = 0; i < 12; ++i) {
        put(folder / ("train/a/" + std::string(1, static_cast<char>('a' + i)) + ".jpg"),
            i == 7 || i == 9 ? good.substr(0, 300) : good);
    }
    auto config = folder_config(folder);
    config.image_size = 32;
    const ImageSet set = load_dataset(config, Split::train, [](auto&&...) {});
    std::vector<std::int64_t> indices{0, 1, 2, 3, 4, 5, 6, 8, 10, 9, 7, 11};
    for (const int workers : {1, 4}) {
        BatchLoader loader(set, Transform(config, Split::train), {.batch_size = 4, .workers = workers});
        loader.start(0, indices);
        EXPECT_TRUE(loader.next().has_value());
        EXPECT_TRUE(loader.next().has_value());
        try {
            loader.next();
            FAIL() << "the damaged picture was taken";
        } catch (const Error& error) {
            const std::string message = error.what();
            // The first of the two, whichever thread was quicker.
            EXPECT_NE(message.find((folder / "train/a/j.jpg").string()), std::string::npos) << message;
            EXPECT_NE(message.find("cut short"), std::string::npos) << message;
        }
    }
}

}  // namespace
}  // namespace rankscope::engine::test
