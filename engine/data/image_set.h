// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/data/image.h>
#include <engine/data/token_set.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace rankscope::engine {

/// Reads one picture after the other, for one thread. Methods throw Error naming the file.
class ImageReader {
public:
    ImageReader() = default;
    ImageReader(const ImageReader&) = delete;
    ImageReader& operator=(const ImageReader&) = delete;
    virtual ~ImageReader() = default;

    /// Finds out how large picture `index` is.
    virtual ImageSize open(std::int64_t index) = 0;
    /// Picture `index` will be opened soon.
    virtual void prefetch(std::int64_t /*index*/) {}
    /// The opened picture, at least its part `needed`; valid until the next call.
    virtual ImageView read(const Box& needed) = 0;
};

/// Where the pictures of a set are: in memory, in a folder, nowhere (drawn on request).
class ImageStore {
public:
    ImageStore() = default;
    ImageStore(const ImageStore&) = delete;
    ImageStore& operator=(const ImageStore&) = delete;
    virtual ~ImageStore() = default;

    /// For one thread; must not outlive the store.
    virtual std::unique_ptr<ImageReader> reader() const = 0;
    /// Differs when the pictures differ, as far as can be found quickly.
    virtual std::string identity() const = 0;
    /// Whether a picture costs milliseconds (decoding), not microseconds.
    virtual bool slow() const { return false; }
};

/// Pictures with one label each, or sequences of tokens. Copies share the pictures or tokens.
struct ImageSet {
    std::int64_t classes = 0;
    std::vector<std::int32_t> labels;  ///< each in [0, classes)
    std::shared_ptr<const ImageStore> images;
    std::string remark;  ///< what the user should know about this set, e.g. that it is not complete
    std::shared_ptr<const TokenSet> tokens{};  ///< there: labels and images are empty

    std::int64_t size() const { return tokens ? tokens->size() : static_cast<std::int64_t>(labels.size()); }
    const char* samples_word() const { return tokens ? "sequences" : "images"; }
};

/// "<samples> images, <classes> classes, sha256:…" over labels and pictures' identity. Ranks that train
/// together must have the same one, or their samplers deal out different pictures.
std::string fingerprint(const ImageSet& set);

}  // namespace rankscope::engine
