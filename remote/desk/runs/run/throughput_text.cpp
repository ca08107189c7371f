// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/number_text.h>
#include <remote/desk/runs/run/throughput.h>
#include <remote/desk/shared/text.h>

#include <nlohmann/json.hpp>

namespace rankscope::inline runs {
namespace {

constexpr const char* kContext = "Throughput";

std::string rate_text(double value) {
    return value >= 1000 ? fixed_text(value, 0) : short_number_text(value, 3);
}

std::string steps_sentence(const std::string& reason) {
    if (reason == "no-steps") {
        return text(kContext, "Steps per second: no rank reports steps.");
    }
    if (reason == "few-steps") {
        return text(kContext, "Steps per second: too few steps are reported, or all at once.");
    }
    if (reason == "validation-between") {
        return text(kContext, "Steps per second: a validation lies between any two reported steps.");
    }
    return text(kContext, "Steps per second: the program reports epochs, no steps.");
}

std::string samples_sentence(const std::string& reason, const std::string& what) {
    if (reason == "batch-of-whom") {
        return text(kContext,
                    "Samples per second: \"%1\" does not say whether it is for one rank or for all. Add "
                    "throughput.batch_per_rank or throughput.batch to the job.",
                    {what});
    }
    if (reason == "shared-batch") {
        return text(kContext,
                    "Samples per second: ranks share a batch (\"%1\"). Add throughput.batch to the job.",
                    {what});
    }
    if (reason == "passes-or-steps") {
        return text(kContext,
                    "Samples per second: with \"%1\", a reported step may be one pass or all of them. Add "
                    "throughput.batch to the job.",
                    {what});
    }
    if (reason == "no-accumulation") {
        return text(kContext,
                    "Samples per second: \"%1\" may be a part of a step. Add throughput.batch to the job.",
                    {what});
    }
    if (reason == "rounds") {
        return text(
            kContext,
            "Samples per second: a reported step may be a round with many batches. Add throughput.batch to "
            "the job.");
    }
    return text(
        kContext,
        "Samples per second: neither output nor command says the batch size. Add throughput.batch to the "
        "job.");
}

std::string mfu_sentence(const std::string& reason, const std::string& what) {
    if (reason == "no-rate") {
        return text(kContext, "MFU: samples or tokens per second are unknown.");
    }
    if (reason == "experts") {
        return text(
            kContext,
            "MFU: a token passes only a part of the model (\"%1\"). Add throughput.parameters to the job.",
            {what});
    }
    if (reason == "trained-part") {
        return text(kContext, "MFU: \"%1\" may be a part of the model. Add throughput.parameters to the job.",
                    {what});
    }
    if (reason == "gpus-unclear") {
        return text(kContext, "MFU: how many GPUs each rank uses is unknown.");
    }
    if (reason == "no-peak") {
        return what.empty()
                   ? text(kContext, "MFU: the GPU is unknown. Add throughput.peak_tflops to the job.")
                   : text(kContext, "MFU: the peak of %1 is unknown. Add throughput.peak_tflops to the job.",
                          {what});
    }
    if (reason == "impossible") {
        return text(kContext,
                    "MFU: the figures give more than the GPUs can compute. Check throughput in the job.");
    }
    return text(
        kContext,
        "MFU: the FLOPs of the model are unknown. Add throughput.flops_per_sample or throughput.parameters "
        "to the job.");
}

void add_part(std::string& line, const std::optional<ThroughputFigure>& figure, const char* unit) {
    if (figure) {
        line += (line.empty() ? "" : " · ") + rate_text(figure->value) + ' ' + unit;
    }
}

nlohmann::ordered_json figure_json(const ThroughputFigure& figure) {
    nlohmann::ordered_json inputs = nlohmann::ordered_json::array();
    for (const auto& input : figure.inputs) {
        inputs.push_back({{"name", input.name}, {"value", input.value}, {"from", input.from}});
    }
    return {{"value", figure.value}, {"printed", figure.printed}, {"inputs", std::move(inputs)}};
}

}  // namespace

std::string to_sentence(const MissingThroughput& missing) {
    const auto arg = [&](std::size_t i) { return i < missing.args.size() ? missing.args[i] : std::string(); };
    if (missing.reason == "contradiction") {
        return text(kContext, "\"%1\" and \"%2\" contradict each other.", {arg(0), arg(1)});
    }
    return missing.figure == "steps_per_s" ? steps_sentence(missing.reason)
           : missing.figure == "mfu"       ? mfu_sentence(missing.reason, arg(0))
                                           : samples_sentence(missing.reason, arg(0));
}

std::string derivation(const ThroughputFigure& figure) {
    if (figure.printed) {
        return figure.inputs.empty()
                   ? std::string()
                   : text(kContext, "printed by the program (%1)", {figure.inputs.front().from});
    }
    std::string out;
    for (const auto& input : figure.inputs) {
        if (input.name == "seconds") {
            out += (out.empty() ? "" : ", ") +
                   text(kContext, "measured over %1 s", {fixed_text(input.value, 0)});
            continue;
        }
        out += out.empty() ? "" : input.name == "peak_tflops" ? " / " : " × ";
        out += short_number_text(input.value, 5) + ' ' + input.name;
        out += input.from.empty() ? "" : " (" + input.from + ')';
    }
    return out;
}

std::string throughput_line(const ThroughputReport& report) {
    std::string line;
    add_part(line, report.images_per_s, "images/s");
    add_part(line, report.samples_per_s, "samples/s");
    add_part(line, report.tokens_per_s, "tokens/s");
    add_part(line, report.steps_per_s, "steps/s");
    if (report.mfu) {
        line += (line.empty() ? "" : " · ") + ("MFU " + short_number_text(report.mfu->value * 100, 3)) + " %";
    }
    return line;
}

nlohmann::ordered_json to_json(const ThroughputReport& report) {
    auto json = nlohmann::ordered_json::object();
    const auto add = [&](const char* name, const std::optional<ThroughputFigure>& figure) {
        if (figure) {
            json[name] = figure_json(*figure);
        }
    };
    add("steps_per_s", report.steps_per_s);
    add("samples_per_s", report.samples_per_s);
    add("images_per_s", report.images_per_s);
    add("tokens_per_s", report.tokens_per_s);
    add("mfu", report.mfu);
    json["missing"] = nlohmann::ordered_json::array();
    for (const auto& missing : report.missing) {
        json["missing"].push_back(
            {{"figure", missing.figure}, {"reason", missing.reason}, {"text", to_sentence(missing)}});
    }
    return json;
}

}  // namespace rankscope::inline runs
