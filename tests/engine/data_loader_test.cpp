// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/data/batch_loader.h>
#include <engine/data/dataset.h>
#include <engine/data/memory_images.h>

#include <gtest/gtest.h>
#include <tests/engine/temporary_folder.h>
#include <tests/engine/test_pictures.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory_resource>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

namespace rankscope::engine::test {
namespace {

namespace fs = std::filesystem;
using config::DatasetConfig;

/// `count` grey pictures of 1×2 pixels: {i, 255}, label i mod 10.
ImageSet counted(int count) {
    std::vector<std::uint8_t> pixels;
    ImageSet set;
    set.classes = 10;
    for (int i = 0; i < count; ++i) {
        set.labels.push_back(i % 10);
        pixels.push_back(static_cast<std::uint8_t>(i));
        pixels.push_back(255);
    }
    set.images = std::make_shared<MemoryImages>(1, ImageSize{1, 2}, std::move(pixels));
    return set;
}

std::vector<std::int64_t> numbers(std::int64_t count) {
    std::vector<std::int64_t> indices(static_cast<std::size_t>(count));
    std::iota(indices.begin(), indices.end(), 0);
    return indices;
}

TEST(BatchLoader, EveryIndexOnceInOrderWithAShortLastBatch) {
    const ImageSet set = counted(20);
    const Transform transform({.name = "random", .shape = {2}}, Split::train);
    std::vector<std::int64_t> indices(17);
    std::iota(indices.rbegin(), indices.rend(), 2);
    for (const bool drop : {false, true}) {
        for (const int workers : {1, 3}) {
            BatchLoader loader(set, transform, {.batch_size = 5, .drop_short = drop, .workers = workers});
            loader.start(0, indices);
            EXPECT_EQ(loader.batch_count(), drop ? 3 : 4);
            std::size_t seen = 0;
            std::optional<Batch> batch;
            while ((batch = loader.next(std::move(batch)))) {
                EXPECT_EQ(batch->number, static_cast<std::int64_t>(seen / 5));
                for (std::size_t i = 0; i < batch->labels.size(); ++i, ++seen) {
                    const auto index = static_cast<std::size_t>(indices[seen]);
                    EXPECT_EQ(batch->indices[i], indices[seen]);
                    EXPECT_EQ(batch->labels[i], set.labels[index]);
                    EXPECT_EQ(batch->pixels[2 * i], transform.table().channel(0)[index]);
                    EXPECT_EQ(batch->pixels[2 * i + 1], transform.table().channel(0)[255]);
                }
            }
            EXPECT_EQ(seen, drop ? 15U : 17U);
            EXPECT_FALSE(loader.next().has_value());
        }
    }
}

/// All batches of an epoch, one after the other.
std::vector<float> everything(BatchLoader& loader) {
    std::vector<float> values;
    std::optional<Batch> batch;
    while ((batch = loader.next(std::move(batch)))) {
        values.insert(values.end(), batch->pixels.begin(), batch->pixels.end());
        values.insert(values.end(), batch->labels.begin(), batch->labels.end());
    }
    return values;
}

DatasetConfig augmented_noise() {
    DatasetConfig config{.name = "random", .train_size = 300, .shape = {3, 16, 16}};
    config.augment.random_crop.emplace();
    config.augment.horizontal_flip = 0.5;
    return config;
}

TEST(BatchLoader, TheNumberOfThreadsChangesNothingTheEpochAndTheSeedDo) {
    const DatasetConfig config = augmented_noise();
    const ImageSet set = load_dataset(config, Split::train, {});
    const Transform transform(config, Split::train);
    const auto run = [&](int workers, std::uint64_t seed, std::int64_t epoch) {
        BatchLoader loader(set, transform, {.batch_size = 7, .workers = workers, .seed = seed});
        loader.start(epoch, numbers(set.size()));
        return everything(loader);
    };
    const std::vector<float> alone = run(1, 4, 2);
    EXPECT_EQ(alone.size(), 300U * (3 * 16 * 16 + 1));
    EXPECT_EQ(run(2, 4, 2), alone);
    EXPECT_EQ(run(5, 4, 2), alone);
    EXPECT_NE(run(1, 4, 3), alone);
    EXPECT_NE(run(1, 5, 2), alone);
}

TEST(BatchLoader, BegunWithinAnEpochItContinuesExactly) {
    const DatasetConfig config = augmented_noise();
    const ImageSet set = load_dataset(config, Split::train, {});
    const Transform transform(config, Split::train);
    BatchLoader whole(set, transform, {.batch_size = 7, .workers = 2});
    whole.start(1, numbers(set.size()));
    for (int i = 0; i < 13; ++i) {
        whole.next();
    }
    BatchLoader resumed(set, transform, {.batch_size = 7, .workers = 3});
    resumed.start(1, numbers(set.size()), 13);
    EXPECT_EQ(resumed.batch_count(), whole.batch_count());
    EXPECT_EQ(everything(resumed), everything(whole));
    resumed.start(1, numbers(set.size()), whole.batch_count());
    EXPECT_FALSE(resumed.next().has_value());
}

TEST(BatchLoader, EpochsFollowOneAnotherAlsoWhenOneIsAbandoned) {
    const ImageSet set = counted(200);
    const Transform transform({.name = "random", .shape = {2}}, Split::train);
    BatchLoader loader(set, transform, {.batch_size = 3, .workers = 2});
    for (int epoch = 0; epoch < 30; ++epoch) {
        loader.start(epoch, numbers(200 - epoch));
        const int take = epoch % 3 == 0 ? 1000 : epoch;
        std::int64_t samples = 0;
        std::optional<Batch> batch;
        for (int i = 0; i < take && (batch = loader.next(std::move(batch))); ++i) {
            EXPECT_EQ(batch->indices[0], 3 * i);
            samples += batch->size();
        }
        EXPECT_EQ(samples, std::min(3 * take, 200 - epoch));
    }
    loader.start(99, {});
    EXPECT_FALSE(loader.next().has_value());
    // Abandoned half-way: the threads must end.
}

TEST(BatchLoader, BytesAreWhatTheFloatsAreMadeOf) {
    const DatasetConfig config = augmented_noise();
    const ImageSet set = load_dataset(config, Split::train, {});
    const Transform transform(config, Split::train);
    BatchLoader floats(set, transform, {.batch_size = 64});
    BatchLoader bytes(set, transform, {.batch_size = 64, .form = SampleForm::bytes});
    floats.start(0, numbers(64));
    bytes.start(0, numbers(64));
    const auto a = floats.next();
    const auto b = bytes.next();
    EXPECT_TRUE(b->pixels.empty());
    EXPECT_TRUE(a->bytes.empty());
    ASSERT_EQ(a->pixels.size(), b->bytes.size());
    for (std::size_t i = 0; i < a->pixels.size(); ++i) {
        ASSERT_EQ(a->pixels[i], transform.table().channel(0)[b->bytes[i]]);
    }
}

TEST(BatchLoader, WindowsSayWhereADeviceFindsTheSamePictures) {
    DatasetConfig config{.name = "synthetic-digits", .train_size = 40};
    config.augment.random_crop.emplace();
    config.augment.horizontal_flip = 0.5;
    const ImageSet set = load_dataset(config, Split::train, {});
    const Transform transform(config, Split::train);
    EXPECT_TRUE(transform.only_moves({28, 28}));
    BatchLoader bytes(set, transform, {.batch_size = 40, .form = SampleForm::bytes});
    BatchLoader windows(set, transform, {.batch_size = 40, .form = SampleForm::windows});
    bytes.start(3, numbers(40));
    windows.start(3, numbers(40));
    const auto a = bytes.next();
    const auto b = windows.next();
    EXPECT_TRUE(b->pixels.empty() && b->bytes.empty());
    ASSERT_EQ(b->windows.size(), 40U);
    const auto pixels = dynamic_cast<const MemoryImages&>(*set.images).pixels();
    for (std::size_t i = 0; i < 40; ++i) {
        const ImageWindow& window = b->windows[i];
        EXPECT_EQ(b->labels[i], a->labels[i]);
        for (int y = 0; y < 28; ++y) {
            for (int x = 0; x < 28; ++x) {
                const int row = window.top + y;
                const int column = window.left + (window.flip != 0 ? 27 - x : x);
                const bool inside = row >= 0 && row < 28 && column >= 0 && column < 28;
                const auto at = static_cast<std::size_t>(window.image * 784 + row * 28 + column);
                ASSERT_EQ(a->bytes[i * 784 + static_cast<std::size_t>(y * 28 + x)], inside ? pixels[at] : 0);
            }
        }
    }
    config.image_size = 32;
    EXPECT_FALSE(Transform(config, Split::train).only_moves({28, 28}));
}

/// Stands for page-locked memory: counts what is taken and given back.
class CountedMemory final : public std::pmr::memory_resource {
public:
    int taken() const { return taken_; }
    int held() const { return held_; }

private:
    void* do_allocate(std::size_t bytes, std::size_t alignment) override {
        ++taken_;
        ++held_;
        return std::pmr::new_delete_resource()->allocate(bytes, alignment);
    }
    void do_deallocate(void* memory, std::size_t bytes, std::size_t alignment) override {
        --held_;
        std::pmr::new_delete_resource()->deallocate(memory, bytes, alignment);
    }
    bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }

    std::atomic<int> taken_ = 0;
    std::atomic<int> held_ = 0;
};

TEST(BatchLoader, MemoryComesFromTheResourceIsAlignedAndUsedAgain) {
    const ImageSet set = counted(200);
    const Transform transform({.name = "random", .shape = {2}}, Split::train);
    CountedMemory memory;
    {
        BatchLoader loader(set, transform, {.batch_size = 2, .workers = 2, .memory = &memory});
        std::optional<Batch> batch;
        int after_first = 0;
        for (int epoch = 0; epoch < 6; ++epoch) {
            loader.start(epoch, numbers(200));
            while ((batch = loader.next(std::move(batch)))) {
                EXPECT_EQ(std::bit_cast<std::uintptr_t>(batch->pixels.data()) % 64, 0U);
            }
            after_first = epoch == 0 ? memory.taken() : after_first;
        }
        // A few more than in the first epoch, as its last batches were still out; not a new one each time.
        EXPECT_LE(memory.taken(), 2 * (64 + 2));
        EXPECT_GE(after_first, 2);
    }
    EXPECT_EQ(memory.held(), 0);
}

TEST(BatchLoader, PicturesOfAFolderAreThoseThatTheDecoderGives) {
    const TemporaryFolder folder;
    for (int i = 0; i < 9; ++i) {
        const fs::path file =
            folder / ("train/" + std::string(i < 4 ? "a" : "b") + "/" + std::to_string(i) + ".jpg");
        fs::create_directories(file.parent_path());
        const Picture picture = smooth(40 + i, 60 - i);
        write_file(file, i % 2 == 0 ? encode_jpeg(picture) : encode_png(picture));
    }
    DatasetConfig config{.name = "image-folder", .root = folder.path().string(), .image_size = 24};
    config.augment.random_resized_crop.emplace();
    config.augment.horizontal_flip = 0.5;
    config.normalize = config::NormalizeConfig{{0.485, 0.456, 0.406}, {0.229, 0.224, 0.225}};
    const ImageSet set = load_dataset(config, Split::train, [](auto&&...) {});
    EXPECT_TRUE(set.images->slow());
    const Transform transform(config, Split::train);
    const auto run = [&](int workers) {
        BatchLoader loader(set, transform, {.batch_size = 4, .workers = workers, .seed = 5});
        loader.start(0, numbers(set.size()));
        return everything(loader);
    };
    const std::vector<float> alone = run(1);
    EXPECT_EQ(run(4), alone);
    // By hand: picture 5 is a PNG, so its pixels are known.
    const Picture original = smooth(45, 55);
    const Placement placement = transform.place(original.size, SampleRandom(5, 0, 5));
    ResampleScratch scratch;
    std::vector<std::uint8_t> planes(std::size_t{3} * 24 * 24);
    render(original.view(), placement, {24, 24}, scratch, planes.data());
    std::vector<float> expected(planes.size());
    transform.table().convert(planes.data(), std::size_t{24} * 24, expected.data());
    const auto begin = alone.begin() + 4 * 3 * 24 * 24 + 4 + 3 * 24 * 24;  // second of the second batch
    EXPECT_TRUE(std::equal(expected.begin(), expected.end(), begin));
}

TEST(DefaultWorkers, OneWherePicturesAreCheap) {
    EXPECT_EQ(default_workers(counted(3), 1), 1);
    const ImageSet set = counted(3);
    EXPECT_EQ(default_workers(set, 1000), 1);
}

TEST(RandomImages, AFunctionOfSeedHalfAndIndexWithTheNormalsMoments) {
    const DatasetConfig config{.name = "random", .seed = 3, .train_size = 2000, .shape = {25}};
    const ImageSet set = load_dataset(config, Split::train, {});
    const ImageSet test = load_dataset(config, Split::test, {});
    EXPECT_EQ(set.classes, 10);
    EXPECT_EQ(set.size(), 2000);
    EXPECT_EQ(test.size(), 4000);
    EXPECT_NE(fingerprint(set), fingerprint(test));
    const auto read = [&](const ImageSet& from) {
        BatchLoader loader(from, Transform(config, Split::train), {.batch_size = 500, .workers = 2});
        loader.start(0, numbers(2000));
        std::vector<float> values;
        std::optional<Batch> batch;
        while ((batch = loader.next(std::move(batch)))) {
            values.insert(values.end(), batch->pixels.begin(), batch->pixels.end());
        }
        return values;
    };
    const std::vector<float> values = read(set);
    EXPECT_EQ(read(set), values);
    EXPECT_NE(read(test), values);
    double mean = 0;
    double square = 0;
    for (const float value : values) {
        mean += value / static_cast<double>(values.size());
        square += static_cast<double>(value) * value / static_cast<double>(values.size());
    }
    EXPECT_NEAR(mean, 0.0, 0.02);
    EXPECT_NEAR(square, 1.0, 0.03);
    for (int label = 0; label < 10; ++label) {
        EXPECT_NEAR(std::count(set.labels.begin(), set.labels.end(), label), 200, 70);
    }
    // Distribuuuu's dummy input.
    const DatasetConfig dummy{.name = "dummy"};
    EXPECT_EQ(dataset_sample_shape(dummy), (Shape{3, 224, 224}));
    EXPECT_EQ(dataset_classes(dummy), 1000);
    const ImageSet zeros = load_dataset(dummy, Split::train, {});
    EXPECT_EQ(zeros.labels, std::vector<std::int32_t>(1000, 0));
}

}  // namespace
}  // namespace rankscope::engine::test
