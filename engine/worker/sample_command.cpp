// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/config/train_config.h>
#include <base/files.h>
#include <base/json_text.h>
#include <engine/backend/cpu/cpu_backend.h>
#include <engine/checkpoint/model_state.h>
#include <engine/checkpoint/weights.h>
#include <engine/data/data_paths.h>
#include <engine/data/sample_random.h>
#include <engine/error.h>
#include <engine/models/model_registry.h>
#include <engine/train/run_worker.h>
#include <engine/worker/sample_command.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <iterator>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace rankscope::engine {
namespace {

constexpr std::int64_t kBytes = 256;

struct SampleArguments {
    std::string weights;
    std::string prompt = "\n";
    std::vector<std::int32_t> prompt_tokens;
    std::string vocabulary;
    std::int64_t tokens = 400;
    double temperature = 0.8;
    std::int64_t top_k = 0;  ///< 0: all
    std::uint64_t seed = 0;
    int threads = 1;
};

/// GPT-2 names a byte by a printable character: itself, or one from U+0100 on (gpt-2/src/encoder.py).
std::map<std::uint32_t, char> named_bytes() {
    std::map<std::uint32_t, char> bytes;
    std::uint32_t next = 256;
    for (std::uint32_t byte = 0; byte < 256; ++byte) {
        const bool printable = (byte >= '!' && byte <= '~') || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
        bytes[printable ? byte : next++] = static_cast<char>(byte);
    }
    return bytes;
}

/// The text of each token, from a vocab.json: {"Ġthe": 262, …}.
std::vector<std::string> read_vocabulary(const std::string& path, std::int64_t size) {
    const auto text = read_file(expand_home(path));
    if (!text) {
        throw ConfigError("--vocabulary " + path + ": cannot be read");
    }
    std::string why;
    const nlohmann::json entries = read_json(*text, {}, &why);
    if (!entries.is_object()) {
        throw ConfigError("--vocabulary " + path +
                          ": is not a vocab.json: " + (why.empty() ? "no object" : why));
    }
    const std::map<std::uint32_t, char> bytes = named_bytes();
    std::vector<std::string> words(static_cast<std::size_t>(size));
    for (const auto& [word, number] : entries.items()) {
        if (!number.is_number_unsigned() || number.get<std::uint64_t>() >= words.size()) {
            throw ConfigError("--vocabulary " + path + ": \"" + word + "\" has no number from 0 to " +
                              std::to_string(size - 1) + ", the model's tokens");
        }
        std::string& to = words[number.get<std::size_t>()];
        for (std::size_t i = 0; i < word.size(); ++i) {
            auto code = static_cast<std::uint32_t>(static_cast<unsigned char>(word[i]));
            if (code >= 0xC0 && i + 1 < word.size()) {  // all names are of one or two bytes of UTF-8
                code = ((code & 0x1FU) << 6U) | (static_cast<unsigned char>(word[++i]) & 0x3FU);
            }
            const auto found = bytes.find(code);
            to += found == bytes.end() ? '?' : found->second;
        }
    }
    return words;
}

/// Which of the engine's models these weights are of.
std::string model_of(std::span<const TensorRecord> tensors) {
    const TensorRecord* const table = find_tensor(tensors, "transformer.wte.weight");
    const auto layers = [](const auto& all) {
        return std::count_if(all.begin(), all.end(),
                             [](const auto& one) { return one.name.ends_with(".attn.c_attn.weight"); });
    };
    for (const std::string& name : model_names()) {
        if (table == nullptr || table->shape.size() != 2 || !config::is_language_model(name)) {
            continue;
        }
        const Graph graph = build_model(name, {1}, 1);
        if (table->shape[1] == graph.parameters[ParameterId{}].shape[1] &&
            layers(tensors) == layers(graph.parameters)) {
            return name;
        }
    }
    throw ConfigError("these weights are not of a language model of this program (gpt2, gpt2-mini)");
}

/// A GPT that is asked for one token after the other.
class Writer {
public:
    Writer(std::vector<TensorRecord> tensors, const SampleArguments& arguments, std::int64_t wanted)
        : arguments_(arguments), random_(arguments.seed) {
        const std::string name = model_of(tensors);
        const TensorRecord* const positions = find_tensor(tensors, "transformer.wpe.weight");
        const TensorRecord* const table = find_tensor(tensors, "transformer.wte.weight");
        if (positions == nullptr || positions->shape.size() != 2) {
            throw ConfigError("these weights lack transformer.wpe.weight");
        }
        vocabulary_ = table->shape[0];
        const std::int64_t most = positions->shape[0];
        // The small model has as many positions as its samples had tokens, the other one takes fewer, which costs less.
        length_ = name == "gpt2" ? std::min(most, wanted) : most;
        graph_ = build_model(name, {length_}, vocabulary_);
        backend_ = make_cpu_backend(arguments.threads);
        model_ = backend_->compile(graph_, {});
        restore_model(tensors, *model_, graph_);
        step_ = &model_->executable(1);
    }

    std::int64_t vocabulary() const { return vocabulary_; }

    std::int32_t next(const std::vector<std::int32_t>& text) {
        const std::size_t length = std::min(text.size(), static_cast<std::size_t>(length_));
        const auto begin = text.end() - static_cast<std::ptrdiff_t>(length);
        const std::span<float> input = step_->input();
        std::fill(input.begin(), input.end(), 0.0F);
        std::transform(begin, text.end(), input.begin(),
                       [](std::int32_t token) { return static_cast<float>(token); });
        std::fill(step_->labels().begin(), step_->labels().end(), 0);
        step_->forward(ForwardMode::evaluate);
        const std::vector<float> logits = step_->logits();
        const auto width = static_cast<std::size_t>(vocabulary_);
        return choose(std::span(logits).subspan((length - 1) * width, width));
    }

private:
    std::int32_t choose(std::span<const float> logits) {
        std::vector<std::int32_t> order(logits.size());
        for (std::size_t i = 0; i < order.size(); ++i) {
            order[i] = static_cast<std::int32_t>(i);
        }
        const auto at = [&](std::int32_t token) {
            return static_cast<double>(logits[static_cast<std::size_t>(token)]);
        };
        const std::size_t wanted = arguments_.temperature == 0 ? 1
                                   : arguments_.top_k > 0
                                       ? std::min(order.size(), static_cast<std::size_t>(arguments_.top_k))
                                       : order.size();
        std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(wanted), order.end(),
                          [&](std::int32_t a, std::int32_t b) { return at(a) > at(b); });
        order.resize(wanted);
        std::vector<double> shares;
        double sum = 0;
        for (const std::int32_t token : order) {
            shares.push_back(wanted == 1 ? 1.0
                                         : std::exp((at(token) - at(order[0])) / arguments_.temperature));
            sum += shares.back();
        }
        double left = random_.uniform() * sum;
        for (std::size_t i = 0; i < order.size(); ++i) {
            left -= shares[i];
            if (left < 0) {
                return order[i];
            }
        }
        return order.front();
    }

    const SampleArguments& arguments_;
    SampleRandom random_;
    std::int64_t vocabulary_ = 0;
    std::int64_t length_ = 0;
    Graph graph_;
    std::unique_ptr<Backend> backend_;
    std::unique_ptr<CompiledModel> model_;
    Executable* step_ = nullptr;
};

void print_token(std::int32_t token, std::int64_t vocabulary, const std::vector<std::string>& words) {
    if (vocabulary == kBytes) {
        std::putchar(token);
    } else if (words.empty()) {
        std::printf("%d ", token);
    } else {
        std::fputs(words[static_cast<std::size_t>(token)].c_str(), stdout);
    }
    std::fflush(stdout);
}

int parse(int argc, char** argv, SampleArguments& arguments) {
    CLI::App app(
        "rankscope-worker sample: continues a prompt with the weights of a GPT, on the CPU. Models of bytes "
        "(data set "
        "text) read and write text.");
    app.add_option(
           "WEIGHTS", arguments.weights,
           "a checkpoint (step_00001234), a folder of checkpoints (its newest), or a file with weights")
        ->required();
    app.add_option("--prompt", arguments.prompt,
                   "text to continue; for models of bytes (default: a new line)");
    app.add_option("--prompt-tokens", arguments.prompt_tokens,
                   "tokens to continue, for other vocabularies: 15496,11")
        ->delimiter(',');
    app.add_option("--vocabulary", arguments.vocabulary,
                   "the vocab.json of the tokens, to write text, not numbers");
    app.add_option("--tokens", arguments.tokens, "how many to write (default 400)")
        ->check(CLI::Range(1, 1000000));
    app.add_option("--temperature", arguments.temperature,
                   "0: always the likeliest token; 1: as the model says (default 0.8)")
        ->check(CLI::Range(0.0, 100.0));
    app.add_option("--top-k", arguments.top_k, "only among the k likeliest (default: all)")
        ->check(CLI::Range(1, 1000000));
    app.add_option("--seed", arguments.seed, "another sample for each (default 0)");
    app.add_option("--threads", arguments.threads, "compute threads (default 1)")->check(CLI::Range(1, 1024));
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? 0 : kExitWrongUse;
    }
    return -1;
}

}  // namespace

int sample_command(int argc, char** argv) {
    SampleArguments arguments;
    if (const int code = parse(argc, argv, arguments); code >= 0) {
        return code;
    }
    const auto given =
        static_cast<std::int64_t>(std::max(arguments.prompt.size(), arguments.prompt_tokens.size()));
    Writer writer(read_weights(expand_home(arguments.weights)), arguments, given + arguments.tokens);
    std::vector<std::int32_t> text = arguments.prompt_tokens;
    if (writer.vocabulary() == kBytes && text.empty()) {
        std::transform(arguments.prompt.begin(), arguments.prompt.end(), std::back_inserter(text),
                       [](char byte) { return static_cast<std::int32_t>(static_cast<unsigned char>(byte)); });
    }
    if (text.empty()) {
        throw ConfigError("the model has " + std::to_string(writer.vocabulary()) +
                          " tokens that are no bytes: give the prompt as numbers, --prompt-tokens 15496,11");
    }
    for (const std::int32_t token : text) {
        if (token < 0 || token >= writer.vocabulary()) {
            throw ConfigError("--prompt-tokens: " + std::to_string(token) +
                              " is no token; the model has 0 to " + std::to_string(writer.vocabulary() - 1));
        }
    }
    const std::vector<std::string> words = arguments.vocabulary.empty()
                                               ? std::vector<std::string>()
                                               : read_vocabulary(arguments.vocabulary, writer.vocabulary());
    for (const std::int32_t token : text) {
        print_token(token, writer.vocabulary(), words);
    }
    for (std::int64_t i = 0; i < arguments.tokens; ++i) {
        text.push_back(writer.next(text));
        print_token(text.back(), writer.vocabulary(), words);
    }
    std::putchar('\n');
    return 0;
}

}  // namespace rankscope::engine
