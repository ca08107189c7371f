// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/sha256.h>
#include <engine/data/data_paths.h>
#include <engine/data/sample_random.h>
#include <engine/data/synthetic_text.h>
#include <engine/data/token_set.h>
#include <engine/error.h>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <numeric>
#include <string_view>

namespace rankscope::engine {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLlmcHeader = 256 * sizeof(std::int32_t);
constexpr std::int32_t kLlmcMagic = 20240520;  // llm.c/dev/data/data_common.py

/// A file in memory for as long as it is used; the kernel reads what is touched.
class MappedFile {
public:
    explicit MappedFile(const fs::path& path) {
        const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
        struct stat found {};
        if (file < 0 || fstat(file, &found) != 0) {
            const std::string why = std::strerror(errno);
            if (file >= 0) {
                close(file);
            }
            throw Error(path.string() + ": cannot be read: " + why);
        }
        size_ = static_cast<std::size_t>(found.st_size);
        memory_ = size_ == 0 ? MAP_FAILED : mmap(nullptr, size_, PROT_READ, MAP_SHARED, file, 0);
        const std::string why = size_ == 0 ? "is empty" : std::strerror(errno);
        close(file);
        if (memory_ == MAP_FAILED) {
            throw Error(path.string() + ": " + why);
        }
    }
    MappedFile(const MappedFile&) = delete;
    MappedFile& operator=(const MappedFile&) = delete;
    ~MappedFile() { munmap(memory_, size_); }

    std::span<const std::byte> bytes() const { return {static_cast<const std::byte*>(memory_), size_}; }

private:
    void* memory_ = nullptr;
    std::size_t size_ = 0;
};

std::int32_t number_at(std::span<const std::byte> bytes, std::size_t index) {
    std::int32_t number = 0;
    std::memcpy(&number, bytes.data() + index * sizeof(number), sizeof(number));
    return number;
}

TokenRun token_file(const fs::path& path) {
    const auto file = std::make_shared<const MappedFile>(path);
    TokenRun run{path.filename().string(), file, file->bytes(), 2};
    if (run.bytes.size() >= kLlmcHeader && number_at(run.bytes, 0) == kLlmcMagic) {
        const std::int32_t version = number_at(run.bytes, 1);
        const std::int64_t stated = number_at(run.bytes, 2);
        run.bytes = run.bytes.subspan(kLlmcHeader);
        if (version != 1 || stated != run.size()) {
            throw Error(path.string() + ": its header says version " + std::to_string(version) + " and " +
                        std::to_string(stated) + " tokens; " + std::to_string(run.size()) +
                        " 16-bit tokens are there. Write the file again.");
        }
    }
    if (run.bytes.size() % run.width != 0) {
        throw Error(path.string() +
                    ": has an odd number of bytes, so that it is not a file of 16-bit tokens");
    }
    return run;
}

/// Whether `word` is one of the words of a file's name: "val" in fineweb_val_000000.
bool has_word(std::string_view name, std::string_view word) {
    for (std::size_t at = name.find(word); at != std::string_view::npos; at = name.find(word, at + 1)) {
        const auto divides = [&](std::size_t place) {
            return place >= name.size() || !std::isalnum(static_cast<unsigned char>(name[place]));
        };
        if ((at == 0 || divides(at - 1)) && divides(at + word.size())) {
            return true;
        }
    }
    return false;
}

/// The files of a folder with this ending, in the order of their names.
std::vector<fs::path> files_in(const fs::path& folder, std::string_view ending) {
    std::vector<fs::path> files;
    std::error_code error;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
        if (entry.is_regular_file(error) && entry.path().extension() == ending) {
            files.push_back(entry.path());
        }
    }
    std::sort(files.begin(), files.end());
    return files;
}

std::vector<TokenRun> token_files(const config::DatasetConfig& config, Split split) {
    const fs::path root = expand_home(config.root);
    const std::string& word = split == Split::train ? config.train_split : config.val_split;
    std::vector<TokenRun> runs;
    for (const fs::path& file : files_in(root, ".bin")) {
        if (has_word(file.stem().string(), word)) {
            runs.push_back(token_file(file));
        }
    }
    if (runs.empty()) {
        throw Error(
            root.string() + ": has no token file for \"" + word + "\", such as " + word +
            ".bin. nanoGPT's prepare.py writes train.bin and val.bin; llm.c's scripts write files such as "
            "tiny_shakespeare_train.bin.");
    }
    return runs;
}

std::string text_of(const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    if (!in) {
        throw Error(path.string() + ": cannot be read");
    }
    return text;
}

/// The split's part of a text whose first nine tenths are for training.
TokenRun part_of(std::string name, const std::shared_ptr<const std::string>& text, Split split) {
    const std::size_t border = text->size() / 10 * 9;
    const auto bytes = std::as_bytes(std::span(*text));
    return {std::move(name), text, split == Split::train ? bytes.first(border) : bytes.subspan(border), 1};
}

TokenRun text_files(const config::DatasetConfig& config, Split split) {
    const fs::path root = expand_home(config.root);
    std::error_code error;
    const std::vector<fs::path> files =
        fs::is_directory(root, error) ? files_in(root, ".txt") : std::vector<fs::path>{root};
    if (files.empty() || !fs::exists(files.front(), error)) {
        throw Error(root.string() + ": has no text. Name a text file, or a folder with *.txt files.");
    }
    std::string text;
    for (const fs::path& file : files) {
        text += text_of(file);
    }
    return part_of(files.size() == 1 ? files.front().filename().string() : root.string(),
                   std::make_shared<const std::string>(std::move(text)), split);
}

/// As many windows as the set is given, and one token for the last label.
TokenRun drawn_text(const config::DatasetConfig& config, Split split) {
    constexpr std::int64_t kTraining = 20000;
    constexpr std::int64_t kValidation = 2000;
    const bool training = split == Split::train;
    const std::int64_t windows =
        training ? config.train_size.value_or(kTraining) + 1 : config.test_size.value_or(kValidation);
    const auto length = static_cast<std::size_t>(config::sample_kind(config).shape[0]);
    auto text = std::make_shared<const std::string>(
        synthetic_text(static_cast<std::size_t>(windows) * length + 1,
                       static_cast<std::uint64_t>(config.seed), training ? 0 : 1));
    const auto bytes = std::as_bytes(std::span(*text));
    return {config.name, std::move(text), bytes, 1};
}

}  // namespace

std::int32_t TokenRun::token(std::int64_t at) const {
    const auto place = static_cast<std::size_t>(at) * width;
    const auto low = std::to_integer<std::int32_t>(bytes[place]);
    return width == 1 ? low : low | (std::to_integer<std::int32_t>(bytes[place + 1]) << 8);
}

TokenSet::TokenSet(std::vector<TokenRun> runs, std::int64_t length, std::int64_t vocabulary, Split split,
                   std::optional<std::int64_t> limit)
    : runs_(std::move(runs)), length_(length), vocabulary_(vocabulary), shifts_(split == Split::train) {
    for (const TokenRun& run : runs_) {
        size_ += windows_of(run);
    }
    size_ = std::min(size_, limit.value_or(size_));
    if (size_ == 0) {
        throw Error(runs_.front().name + ": has " + std::to_string(tokens()) +
                    " tokens: too few for a sequence of " + std::to_string(length_) +
                    ". Give more text, or a smaller dataset.sequence.");
    }
}

std::int64_t TokenSet::tokens() const {
    return std::accumulate(runs_.begin(), runs_.end(), std::int64_t{0},
                           [](std::int64_t sum, const TokenRun& run) { return sum + run.size(); });
}

// Every shift must leave as many windows, and the last token of a window needs the one behind it.
std::int64_t TokenSet::windows_of(const TokenRun& run) const {
    return std::max<std::int64_t>((run.size() - (shifts_ ? length_ : 1)) / length_, 0);
}

std::int64_t TokenSet::shift(std::int64_t epoch) const {
    return shifts_ && epoch > 0 ? SampleRandom(0, epoch, 0).below(length_) : 0;
}

void TokenSet::read(std::int64_t epoch, std::int64_t index, std::span<float> inputs,
                    std::span<std::int32_t> labels) const {
    const TokenRun* run = runs_.data();
    for (; index >= windows_of(*run); ++run) {
        index -= windows_of(*run);
    }
    const std::int64_t first = shift(epoch) + index * length_;
    for (std::int64_t i = 0; i <= length_; ++i) {
        const std::int32_t token = run->token(first + i);
        if (token >= vocabulary_) {
            throw Error(run->name + ": token " + std::to_string(token) + " at place " +
                        std::to_string(first + i) + ", but the vocabulary has " +
                        std::to_string(vocabulary_) +
                        " tokens. Set dataset.classes to the vocabulary of the file.");
        }
        if (i < length_) {
            inputs[static_cast<std::size_t>(i)] = static_cast<float>(token);
        }
        if (i > 0) {
            labels[static_cast<std::size_t>(i - 1)] = token;
        }
    }
}

std::string TokenSet::identity() const {
    constexpr std::size_t kEnd = std::size_t{64} << 10U;
    std::string text = std::to_string(length_);
    for (const TokenRun& run : runs_) {
        const std::size_t part = std::min(kEnd, run.bytes.size());
        text += " " + std::to_string(run.size()) + " " + sha256_hex(run.bytes.first(part)) +
                sha256_hex(run.bytes.last(part));
    }
    return text;
}

std::shared_ptr<const TokenSet> load_tokens(const config::DatasetConfig& config, Split split) {
    const config::SampleKind kind = config::sample_kind(config);
    std::vector<TokenRun> runs;
    if (config.name == "tokens") {
        runs = token_files(config, split);
    } else {
        runs.push_back(config.name == "text" ? text_files(config, split) : drawn_text(config, split));
    }
    return std::make_shared<const TokenSet>(std::move(runs), kind.shape[0], kind.classes.value(), split,
                                            split == Split::train ? config.limit : std::nullopt);
}

}  // namespace rankscope::engine
