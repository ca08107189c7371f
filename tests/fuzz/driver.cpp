// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// A fuzzer for builds without libFuzzer: gives the target every file of its corpus, then mutations of them,
// the same ones every time, for about two seconds. `fuzz_X_smoke CORPUS-FOLDER|INPUT-FILE [SECONDS]`

#include "target.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <vector>

namespace {

namespace fs = std::filesystem;

std::string current;  // the current input, for the report of a crash
std::string crash_file;

void on_crash(int signal) {
    const int fd = ::open(crash_file.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    [[maybe_unused]] auto put = ::write(fd, current.data(), current.size());
    constexpr char kNote[] = "the input is in ";
    put = ::write(STDERR_FILENO, kNote, sizeof kNote - 1);
    put = ::write(STDERR_FILENO, crash_file.data(), crash_file.size());
    put = ::write(STDERR_FILENO, "\n", 1);
    ::signal(signal, SIG_DFL);
    ::raise(signal);
}

void run(const std::string& input) {
    current = input;
    LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(current.data()), current.size());
}

std::vector<std::string> read_corpus(const fs::path& path) {
    std::vector<fs::path> files;
    if (fs::is_directory(path)) {
        std::copy(fs::directory_iterator(path), fs::directory_iterator(), std::back_inserter(files));
    } else {
        files.push_back(path);
    }
    std::sort(files.begin(), files.end());
    std::vector<std::string> corpus;
    for (const auto& file : files) {
        std::ifstream in(file, std::ios::binary);
        corpus.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
    }
    return corpus;
}

class Mutator {
public:
    explicit Mutator(const std::vector<std::string>& corpus) : corpus_(corpus) {}

    std::string next() {
        std::string input = any();
        for (auto count = 1 + below(6); count > 0; --count) {
            mutate(input);
        }
        input.resize(std::min<std::size_t>(input.size(), 1U << 16U));
        return input;
    }

private:
    std::size_t below(std::size_t limit) { return limit == 0 ? 0 : random_() % limit; }
    const std::string& any() { return corpus_[below(corpus_.size())]; }
    std::string end_of(const std::string& text) { return text.substr(below(text.size() + 1)); }
    std::string token() {
        static const std::vector<std::string> kTokens{"{",
                                                      "}",
                                                      "[",
                                                      "]",
                                                      "\"",
                                                      ":",
                                                      ",",
                                                      "null",
                                                      "true",
                                                      "NaN",
                                                      "-1",
                                                      "0",
                                                      "1e999",
                                                      "\\u0000",
                                                      "\n",
                                                      "  ",
                                                      "- ",
                                                      "&a ",
                                                      "*a",
                                                      "#",
                                                      "'",
                                                      "\t",
                                                      "\xff\xff\xff\xff",
                                                      "\x00",
                                                      "\x80",
                                                      "!!x",
                                                      "? ",
                                                      "|\n",
                                                      "---\n",
                                                      "\r\n",
                                                      "\xc3",
                                                      "é",
                                                      "<<: ",
                                                      "9223372036854775808"};
        return kTokens[below(kTokens.size())];
    }
    void mutate(std::string& input) {
        const std::size_t at = below(input.size() + 1);
        switch (below(8)) {
            case 0:
                input.insert(at, token());
                break;
            case 1:
                input.insert(at, 1, static_cast<char>(random_()));
                break;
            case 2:
                input.erase(at, 1 + below(16));
                break;
            case 3:
                input.insert(at, input.substr(below(input.size()), below(64)));
                break;
            case 4:
                input = input.substr(0, at) + end_of(any());
                break;
            case 5:
                input.insert(at, 1 + below(300), input.empty() ? '[' : input[below(input.size())]);
                break;
            default:
                if (at < input.size()) {
                    input[at] = static_cast<char>(below(2) == 0 ? random_() : input[at] ^ (1U << below(8)));
                }
        }
    }

    const std::vector<std::string>& corpus_;
    std::mt19937 random_{20240229};
};

}  // namespace

int main(int argc, char** argv) {
    if (argc < 2) {
        std::fprintf(stderr, "usage: %s CORPUS-FOLDER|INPUT-FILE [SECONDS]\n", argv[0]);
        return 2;
    }
    crash_file = "crash-" + fs::path(argv[0]).filename().string();
    for (const int signal : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL}) {
        ::signal(signal, on_crash);
    }
    std::vector<std::string> corpus = read_corpus(argv[1]);
    corpus.emplace_back();
    for (const auto& input : corpus) {
        run(input);
    }
    if (!fs::is_directory(argv[1])) {
        return 0;
    }
    const auto end =
        std::chrono::steady_clock::now() + std::chrono::duration<double>(argc > 2 ? std::atof(argv[2]) : 2);
    Mutator mutator(corpus);
    std::size_t count = 0;
    for (; std::chrono::steady_clock::now() < end && count < 1000000; ++count) {
        run(mutator.next());
    }
    std::printf("%zu files, %zu mutations\n", corpus.size(), count);
    return 0;
}
