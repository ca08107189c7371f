// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/memory_metrics.h>
#include <gui/data/metric_format.h>
#include <gui/strings.h>
#include <gui/texts.h>

#include <QCoreApplication>
#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

namespace rankscope::gui {

namespace {

struct Words {
    Q_DECLARE_TR_FUNCTIONS(Metric)
};

struct Title {
    std::string_view name;
    const char* title;
};

// base/metrics_line.h names them.
constexpr std::array kTitles{
    Title{"loss", QT_TRANSLATE_NOOP("Metric", "Loss")},
    Title{"acc1", QT_TRANSLATE_NOOP("Metric", "Accuracy")},
    Title{"images_per_s", QT_TRANSLATE_NOOP("Metric", "Images/s per rank")},
    Title{"tokens_per_s", QT_TRANSLATE_NOOP("Metric", "Tokens/s")},
    Title{"lr", QT_TRANSLATE_NOOP("Metric", "Learning rate")},
    Title{"grad_norm", QT_TRANSLATE_NOOP("Metric", "Gradient norm")},
    Title{"samples", QT_TRANSLATE_NOOP("Metric", "Samples")},
    Title{"skipped_update", QT_TRANSLATE_NOOP("Metric", "Skipped updates")},
    Title{"loss_all", QT_TRANSLATE_NOOP("Metric", "Loss, all ranks")},
    Title{"acc1_all", QT_TRANSLATE_NOOP("Metric", "Accuracy, all ranks")},
    Title{"val_loss", QT_TRANSLATE_NOOP("Metric", "Validation loss")},
    Title{"val_acc1", QT_TRANSLATE_NOOP("Metric", "Validation accuracy")},
    Title{"val_samples", QT_TRANSLATE_NOOP("Metric", "Validation samples")},
    Title{"t_data_ms", QT_TRANSLATE_NOOP("Metric", "Time: data")},
    Title{"t_forward_ms", QT_TRANSLATE_NOOP("Metric", "Time: forward")},
    Title{"t_backward_ms", QT_TRANSLATE_NOOP("Metric", "Time: backward")},
    Title{"t_comm_ms", QT_TRANSLATE_NOOP("Metric", "Time: communication")},
    Title{"t_optimizer_ms", QT_TRANSLATE_NOOP("Metric", "Time: optimizer")},
    Title{"t_step_ms", QT_TRANSLATE_NOOP("Metric", "Time: step")},
    Title{"t_bubble_ms", QT_TRANSLATE_NOOP("Metric", "Time: waiting for other stages")},
    Title{"sent_mb", QT_TRANSLATE_NOOP("Metric", "Sent to other ranks, MB")},
    Title{"peak_rss_mb", QT_TRANSLATE_NOOP("Metric", "Peak memory, MiB")},
    Title{kWeightsMemory, QT_TRANSLATE_NOOP("Metric", "Memory of weights, MiB")},
    Title{kGradientsMemory, QT_TRANSLATE_NOOP("Metric", "Memory of gradients, MiB")},
    Title{kOptimizerMemory, QT_TRANSLATE_NOOP("Metric", "Memory of the optimizer, MiB")},
    Title{kActivationsMemory, QT_TRANSLATE_NOOP("Metric", "Memory of activations, MiB")},
};

/// 5 of "acc5", "val_acc5", "acc5_all"; 0: another name.
int top_k(std::string_view name) {
    if (name.starts_with("val_")) {
        name.remove_prefix(4);
    }
    if (name.ends_with("_all")) {
        name.remove_suffix(4);
    }
    if (!name.starts_with("acc") || name.size() < 4 || name.size() > 6) {
        return 0;
    }
    int k = 0;
    for (const char digit : name.substr(3)) {
        if (digit < '0' || digit > '9') {
            return 0;
        }
        k = k * 10 + (digit - '0');
    }
    return k;
}

/// 2.5e-05 → 2.5e-5
QString exponent_text(double value, int digits) {
    QString text = QString::number(value, 'e', digits);
    const qsizetype e = text.indexOf(u'e');
    QString mantissa = text.left(e);
    if (mantissa.contains(u'.')) {
        while (mantissa.endsWith(u'0')) {
            mantissa.chop(1);
        }
        if (mantissa.endsWith(u'.')) {
            mantissa.chop(1);
        }
    }
    return QString(mantissa % u'e' % QString::number(text.mid(e + 1).toInt()));
}

QString not_finite_text(double value) {
    return std::isnan(value) ? u"NaN"_s : value > 0 ? u"∞"_s : u"-∞"_s;
}

}  // namespace

MetricUnit metric_unit(const std::string& name) {
    if (top_k(name) > 0) {
        return MetricUnit::Share;
    }
    if (name.ends_with("_ms")) {
        return MetricUnit::Milliseconds;
    }
    return name.ends_with("_per_s") ? MetricUnit::Rate : MetricUnit::Number;
}

bool is_known_metric(const std::string& name) {
    return top_k(name) > 0 || std::any_of(kTitles.begin(), kTitles.end(),
                                          [&](const Title& known) { return known.name == name; });
}

QString metric_title(const std::string& name) {
    for (const Title& known : kTitles) {
        if (known.name == name) {
            return Words::tr(known.title);
        }
    }
    if (const int k = top_k(name); k > 0) {
        const QString k_text = QString::number(k);
        return name.starts_with("val_") ? Words::tr("Validation top-%1 accuracy").arg(k_text)
               : name.ends_with("_all") ? Words::tr("Top-%1 accuracy, all ranks").arg(k_text)
                                        : Words::tr("Top-%1 accuracy").arg(k_text);
    }
    return qs(name);
}

QString metric_header(const std::string& name) {
    if (name == "acc1") {
        return Words::tr("Acc.");
    }
    if (name == "images_per_s") {
        return Words::tr("Images/s");
    }
    if (name == "tokens_per_s") {
        return metric_title(name);
    }
    return is_known_metric(name) && name != "loss" ? qs(name) : metric_title(name);
}

QString short_number_text(double value) {
    if (!std::isfinite(value)) {
        return not_finite_text(value);
    }
    const double size = std::abs(value);
    if (size >= 1e9) {
        return exponent_text(value, 3);
    }
    if (size >= 1e6) {
        return QString(QString::number(value / 1e6, 'g', 4) % u'M');
    }
    if (size >= 1e4) {
        return QString(QString::number(value / 1e3, 'g', 4) % u'k');
    }
    return size > 0 && size < 1e-3 ? exponent_text(value, 3) : QString::number(value, 'g', 5);
}

QString axis_text(MetricUnit unit, double value, int most_percent_digits) {
    if (unit == MetricUnit::Share) {
        const double percent = value * 100;
        int digits = 0;
        for (double scaled = percent;
             digits < most_percent_digits && std::abs(scaled - std::round(scaled)) > 1e-6; scaled *= 10) {
            ++digits;
        }
        return QString(QString::number(percent, 'f', digits) % u" %"_s);
    }
    const QString text = short_number_text(value);
    return unit == MetricUnit::Milliseconds ? QString(text % u" ms"_s) : text;
}

int percent_digits(double tick_step) {
    constexpr int kMost = 6;
    int digits = 0;
    for (double scaled = tick_step * 100;
         digits < kMost && std::abs(scaled - std::round(scaled)) > 1e-6 * std::abs(scaled); scaled *= 10) {
        ++digits;
    }
    return digits;
}

QString percent_axis_text(double value, int digits) {
    return QString(QString::number(value * 100, 'f', digits) % u" %"_s);
}

QString metric_value_text(const std::string& name, double value) {
    return metric_value_text(metric_unit(name), value);
}

QString metric_value_text(MetricUnit unit, double value) {
    if (!std::isfinite(value)) {
        return not_finite_text(value);
    }
    switch (unit) {
        case MetricUnit::Share:
            return percent_text(value);
        case MetricUnit::Milliseconds:
            return Words::tr("%1 ms").arg(short_number_text(std::round(value * 1000) / 1000));
        case MetricUnit::Rate:
            return std::abs(value) < 100 ? QString::number(value, 'g', 3) : count_text(std::llround(value));
        case MetricUnit::Number:
            break;
    }
    const double size = std::abs(value);
    if (size >= 1e5 && size < 1e15 && value == std::round(value)) {
        return count_text(std::llround(value));
    }
    if (size >= 1e-3 && size < 1e5) {
        return value == std::round(value) ? QString::number(value, 'f', 0) : QString::number(value, 'f', 4);
    }
    return size == 0 ? u"0"_s : exponent_text(value, 4);
}

}  // namespace rankscope::gui
