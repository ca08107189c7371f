// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/data/metric_format.h>
#include <gui/data/rank_outliers.h>
#include <gui/strings.h>
#include <gui/texts.h>

#include <QCoreApplication>
#include <algorithm>
#include <cmath>
#include <limits>

namespace rankscope::gui {

namespace {

constexpr std::size_t kFewest = 5;     ///< ranks; below that there are no outliers
constexpr double kNormal = 1.4826;     ///< from a median absolute deviation to a standard deviation
constexpr double kSmallest = 1e-7;     ///< spread, as a share of the values: rounding of float
constexpr double kMostShare = 99.995;  ///< above that a percentage is hard to read

struct Words {
    Q_DECLARE_TR_FUNCTIONS(RankOutlier)
};

/// Of each rank, over the view.
struct Sums {
    double distance = 0;
    int count = 0;
};

float median_of(std::vector<float> values) {
    return quantile(values, 0.5);
}

}  // namespace

std::vector<RankOutlier> find_outliers(const RankGrid& grid, const GridView& view, std::size_t most,
                                       double threshold) {
    std::vector<Sums> sums;
    double size = 0;
    int columns = 0;
    const auto& all = grid.columns();
    const auto end = all.lower_bound(view.end);
    for (auto at = all.lower_bound(view.begin); at != end; ++at) {
        const GridColumn& column = at->second;
        if (column.point.ranks < int(kFewest)) {
            continue;
        }
        ++columns;
        size += std::abs(double(column.point.median));
        const std::vector<float>& values = *column.values;
        sums.resize(std::max(sums.size(), values.size()));
        for (std::size_t rank = 0; rank < values.size(); ++rank) {
            if (std::isfinite(values[rank])) {
                sums[rank].distance += double(values[rank]) - double(column.point.median);
                ++sums[rank].count;
            }
        }
    }
    std::vector<float> means;
    std::vector<int> ranks;
    for (std::size_t rank = 0; rank < sums.size(); ++rank) {
        if (sums[rank].count * 4 >= columns && sums[rank].count > 0) {
            means.push_back(float(sums[rank].distance / sums[rank].count));
            ranks.push_back(int(rank));
        }
    }
    std::vector<RankOutlier> outliers;
    if (means.size() < kFewest) {
        return outliers;
    }
    size /= columns;
    const float middle = median_of(means);
    std::vector<float> distances = means;
    for (float& distance : distances) {
        distance = std::abs(distance - middle);
    }
    const double spread = std::max({kNormal * double(median_of(distances)), size * kSmallest,
                                    double(std::numeric_limits<float>::min())});
    for (std::size_t i = 0; i < means.size(); ++i) {
        const double distance = double(means[i]) - double(middle);
        const double score = std::abs(distance) / spread;
        if (score >= threshold) {
            const double share =
                size > spread * 1e-3 ? distance / size : std::numeric_limits<double>::quiet_NaN();
            outliers.push_back({ranks[i], distance, share, score});
        }
    }
    std::stable_sort(outliers.begin(), outliers.end(),
                     [](const RankOutlier& a, const RankOutlier& b) { return a.score > b.score; });
    outliers.resize(std::min(outliers.size(), most));
    return outliers;
}

QString outlier_text(const std::string& metric, const RankOutlier& outlier) {
    const QString sign = outlier.distance < 0 ? u"-"_s : u"+"_s;
    const bool as_share = std::isfinite(outlier.share) && std::abs(outlier.share) < kMostShare;
    const double size = std::abs(outlier.share);
    const QString value = as_share ? percent_text(size, size < 0.0995 ? 1 : 0)
                                   : metric_value_text(metric, std::abs(outlier.distance));
    return Words::tr("rank %1: %2").arg(outlier.rank).arg(QString(sign % value));
}

}  // namespace rankscope::gui
