// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// What a log costs: log_timing [LINES], or log_timing --file PATH for files as the page Logs shows them. Prints CPU time of indexing, ordering, searching, jumping and appending, beside
// QPlainTextEdit, and of grep (and rg, where it is installed) on the same lines. A tool for changes to the log view.

#include <base/paths.h>
#include <gui/app/compact_heap.h>
#include <gui/app/resources.h>
#include <gui/data/log_query.h>
#include <gui/data/log_store.h>
#include <gui/logs/file_lines.h>
#include <gui/logs/merged_lines.h>
#include <gui/logview/log_view.h>
#include <gui/strings.h>
#include <gui/style/theme.h>
#include <remote/desk/runs/run/log_diagnosis.h>

#include <malloc.h>
#include <sys/resource.h>
#include <unistd.h>

#include <QApplication>
#include <QDir>
#include <QElapsedTimer>
#include <QFontDatabase>
#include <QPlainTextEdit>
#include <QProcess>
#include <QScrollBar>
#include <QStorageInfo>
#include <QTemporaryDir>
#include <QTemporaryFile>
#include <QTextBlock>
#include <QThreadPool>
#include <algorithm>
#include <array>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <functional>
#include <future>
#include <random>

namespace {

using namespace rankscope::gui;

constexpr int kRounds = 5;
constexpr int kJumps = 200;
constexpr int kEditLines = 1'000'000;

double cpu_ms() {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return double(now.tv_sec) * 1e3 + double(now.tv_nsec) / 1e6;
}

double children_ms() {
    rusage used{};
    getrusage(RUSAGE_CHILDREN, &used);
    const auto ms = [](const timeval& t) { return double(t.tv_sec) * 1e3 + double(t.tv_usec) / 1e3; };
    return ms(used.ru_utime) + ms(used.ru_stime);
}

/// Resident memory that is no file's, bytes.
/// After what was freed is given back, as the window does (gui/app/compact_heap.h).
double own_memory() {
    ::malloc_trim(0);
    double pages = 0;
    double shared = 0;
    if (std::FILE* file = std::fopen("/proc/self/statm", "r")) {
        if (std::fscanf(file, "%*f %lf %lf", &pages, &shared) != 2) {
            pages = shared = 0;
        }
        std::fclose(file);
    }
    return (pages - shared) * double(sysconf(_SC_PAGESIZE));
}

/// Like NCCL's log of a start, 103 bytes a line.
std::string line_of(std::uint64_t i) {
    char text[200];
    const int size = std::snprintf(
        text, sizeof text,
        "node%03d:%d:%d [%d] NCCL INFO Channel %02d/%d : %d[%d] -> %d[%d] via P2P/CUMEM step %09llu %s",
        int(i % 128), 40000 + int(i % 997), 41000 + int(i % 997), int(i % 8), int(i % 32), 32, int(i % 1024),
        int(i % 8), int((i + 1) % 1024), int((i + 1) % 8), static_cast<unsigned long long>(i),
        i % 100'003 == 0 ? "timeout waiting" : "ready");
    return {text, std::size_t(size)};
}

struct Figures {
    std::vector<double> values;

    void add(double value) { values.push_back(value); }
    double at(double share) {
        std::sort(values.begin(), values.end());
        return values[std::min(std::size_t(share * double(values.size())), values.size() - 1)];
    }
    void print_speed(const char* name) {
        std::printf("%-46s %6.2f GB/s  (%.2f to %.2f, %zu runs)\n", name, at(0.5), at(0), at(1),
                    values.size());
    }
    void print_ms(const char* name) {
        std::printf("%-46s %6.2f ms median, %.2f p99 (%zu runs)\n", name, at(0.5), at(0.99), values.size());
    }
};

double timed(const std::function<void()>& work) {
    const double begin = cpu_ms();
    work();
    return cpu_ms() - begin;
}

void time_index(LogStore& log, const std::string& text, double& seconds) {
    constexpr std::size_t kPiece = std::size_t(64) << 10;
    seconds += timed([&] {
                   for (std::size_t at = 0; at < text.size(); at += kPiece) {
                       log.append(int(at / kPiece % 1024), false, std::string_view(text).substr(at, kPiece),
                                  std::int64_t(at));
                   }
               }) /
               1e3;
}

void time_search(const LineSource& store, double bytes, const char* name, const SearchText& wanted) {
    Figures figures;
    std::uint64_t found = 0;
    for (int round = 0; round < kRounds; ++round) {
        const LinePattern pattern(wanted);
        found = 0;
        const double ms = timed(
            [&] { search_lines(store, pattern, 0, store.size(), {}, [&](std::uint32_t) { ++found; }); });
        figures.add(bytes / ms / 1e6);
    }
    figures.print_speed(name);
    std::printf("    %llu lines\n", static_cast<unsigned long long>(found));
}

void time_command(const QString& program, const QStringList& arguments, double bytes) {
    Figures figures;
    for (int round = 0; round < kRounds; ++round) {
        const double before = children_ms();
        QProcess process;
        process.start(program, arguments);
        if (!process.waitForStarted()) {
            std::printf("%s is not installed\n", qPrintable(program));
            return;
        }
        process.waitForFinished(-1);
        figures.add(bytes / (children_ms() - before) / 1e6);
    }
    figures.print_speed(
        qPrintable(QString(program + u' ' + arguments.mid(0, arguments.size() - 1).join(u' '))));
}

void time_jumps(QAbstractScrollArea& view, const char* name) {
    std::mt19937 random(1);
    Figures figures;
    for (int i = 0; i < kJumps; ++i) {
        figures.add(timed([&] {
            view.verticalScrollBar()->setValue(
                int(random() % std::uint32_t(std::max(view.verticalScrollBar()->maximum(), 1))));
            view.viewport()->repaint();
        }));
    }
    figures.print_ms(name);
}

void time_view(LogStore& log) {
    QThreadPool pool;
    LogRows rows(&pool);
    LogView view(&rows);
    view.set_rank_column(1023, true);
    view.resize(1600, 900);
    view.show();
    const double before = own_memory();
    rows.set_store(log.lines());
    while (rows.count() < log.last_number()) {
        QApplication::processEvents(QEventLoop::AllEvents, 50);
    }
    std::printf("order of all lines: %.0f MB\n", (own_memory() - before) / 1e6);
    QApplication::processEvents();
    time_jumps(view, "log view: random jump");
    view.set_wrapping(true);
    time_jumps(view, "log view: random jump, wrapped");
    view.set_wrapping(false);
    view.set_following(true);
    Figures figures;
    std::uint64_t next = 0;
    for (int i = 0; i < kJumps; ++i) {
        std::string batch;
        for (int line = 0; line < 1000; ++line) {
            batch += line_of(next++) + '\n';
        }
        figures.add(timed([&] {
            log.append(7, false, batch, std::int64_t(1) << 60);
            rows.refresh();
        }));
    }
    figures.print_ms("log view: append 1,000 lines");
}

void time_text_edit() {
    QPlainTextEdit edit;
    edit.setReadOnly(true);
    edit.setUndoRedoEnabled(false);
    edit.setLineWrapMode(QPlainTextEdit::NoWrap);
    edit.setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
    edit.resize(1600, 900);
    edit.show();
    const double before = own_memory();
    QString batch;
    double ms = 0;
    Figures appends;
    for (int i = 0; i < kEditLines; ++i) {
        batch += qs(line_of(std::uint64_t(i))) + (i % 1000 == 999 ? QString() : u"\n"_s);
        if (i % 1000 == 999) {
            appends.add(timed([&] { edit.appendPlainText(batch); }));
            ms += appends.values.back();
            batch.clear();
        }
    }
    std::printf("QPlainTextEdit of %d lines: %.0f ms, %.0f MB\n", kEditLines, ms,
                (own_memory() - before) / 1e6);
    appends.print_ms("QPlainTextEdit: append 1,000 lines");
    time_jumps(edit, "QPlainTextEdit: random jump");
}

/// Works until the condition does not hold. Returns for how long a click would have waited at most, in ms.
int blocked_while(const std::function<bool()>& condition) {
    constexpr int kPulseMs = 20;
    int blocked_ms = 0;
    QElapsedTimer pulse;
    pulse.start();
    while (condition()) {
        QCoreApplication::processEvents(QEventLoop::AllEvents | QEventLoop::WaitForMoreEvents, kPulseMs);
        blocked_ms = std::max(blocked_ms, int(pulse.restart()) - kPulseMs);
    }
    return blocked_ms;
}

/// As many lines of eight ranks in a file each, with times, as the page Logs merges them.
void time_merge(std::uint64_t lines) {
    constexpr std::size_t kFiles = 8;
    const QTemporaryDir folder;
    {
        std::array<std::ofstream, kFiles> files;
        for (std::size_t i = 0; i < kFiles; ++i) {
            files[i].open(ss(folder.filePath(u"rank%1.log"_s.arg(i))));
        }
        for (std::uint64_t i = 0; i < lines; ++i) {
            const std::uint64_t ms = i / 10;
            char time[40];
            std::snprintf(time, sizeof time, "2026-01-02 %02d:%02d:%02d,%03d ", int(ms / 3'600'000 % 24),
                          int(ms / 60'000 % 60), int(ms / 1000 % 60), int(ms % 1000));
            files[i % kFiles] << time << line_of(i) << '\n';
        }
    }
    const double before = own_memory();
    FileLines file;
    (void)rankscope::logs::read_raw_lines({ss(folder.path())}, {}, file.start());
    const double begin = cpu_ms();
    QElapsedTimer clock;
    clock.start();
    MergedLines merged(QThreadPool::globalInstance());
    merged.merge(file.lines(), file.files(), {});
    const int blocked_ms = blocked_while([&] { return merged.merging(); });
    std::printf(
        "Logs merges eight files by time: %.1f s (CPU %.1f s), %u lines, %llu without a time, %.1f bytes of "
        "memory a line, window blocked for at most %d ms\n",
        double(clock.elapsed()) / 1e3, (cpu_ms() - begin) / 1e3, merged.lines()->size(),
        static_cast<unsigned long long>(merged.without_time()), (own_memory() - before) / double(lines),
        blocked_ms);
}

/// The same lines as the page Logs reads them, from a file.
void time_file(const QString& path, std::uint64_t lines, double bytes) {
    const double before = own_memory();
    const double begin = cpu_ms();
    QElapsedTimer clock;
    clock.start();
    FileLines file;
    (void)rankscope::logs::read_raw_lines({ss(path)}, {}, file.start());
    std::printf(
        "Logs reads the file: %.1f s (CPU %.1f s, %.2f GB/s), %u of %llu lines, %.1f bytes of memory a line, "
        "index %.1f MB\n",
        double(clock.elapsed()) / 1e3, (cpu_ms() - begin) / 1e3, bytes / (cpu_ms() - begin) / 1e6,
        file.lines()->size(), static_cast<unsigned long long>(lines), (own_memory() - before) / double(lines),
        double(file.lines()->index_bytes()) / 1e6);
    time_search(*file.lines(), bytes, "in the file: text, any case", {.text = "timeout waiting"});
    time_search(*file.lines(), bytes, "in the file: pattern, 4 alternatives",
                {.text = "timeout waiting|unhandled error|connection refused|Out of memory",
                 .is_pattern = true,
                 .case_matters = true});
}

/// Files of any size: what the page Logs needs for their lines, in their order and by time.
int time_files(const QString& path) {
    const QString cache = qs(rankscope::user_cache_dir().string());
    QDir().mkpath(cache);
    const auto used = [&] {
        QStorageInfo disk(cache);
        return double(disk.bytesTotal() - disk.bytesFree());
    };
    const double disk = used();
    const double memory = own_memory();
    FileLines file;
    const double read_ms =
        timed([&] { (void)rankscope::logs::read_raw_lines({ss(path)}, {}, file.start()); });
    LogQuery query(file.lines(), {});
    const double order_ms = timed([&] { (void)query.advance(nullptr); });
    std::printf(
        "%u lines of %d files: read in CPU %.1f s, in order in %.1f s; index %.1f MB, memory %.1f MB, disk "
        "%.1f MB\n",
        file.lines()->size(), int(file.files().size()), read_ms / 1e3, order_ms / 1e3,
        double(file.lines()->index_bytes()) / 1e6, (own_memory() - memory) / 1e6, (used() - disk) / 1e6);
    const LinePattern pattern({.text = "timeout waiting"});
    std::uint64_t found = 0;
    const double search_ms = timed([&] {
        search_lines(*file.lines(), pattern, 0, file.lines()->size(), {}, [&](std::uint32_t) { ++found; });
    });
    std::printf("a search finds %llu lines in CPU %.1f s\n", static_cast<unsigned long long>(found),
                search_ms / 1e3);
    if (file.files().size() > 1) {
        MergedLines merged(QThreadPool::globalInstance());
        merged.merge(file.lines(), file.files(), {});
        (void)blocked_while([&] { return merged.merging(); });
        std::printf("by time: memory %.1f MB, disk %.1f MB\n", (own_memory() - memory) / 1e6,
                    (used() - disk) / 1e6);
    }
    return 0;
}

/// What ranks print: a start of NCCL, then steps.
rankscope::Event printed(std::uint64_t number, int rank, std::uint64_t lines) {
    std::string text;
    for (std::uint64_t i = 0; i < lines; ++i) {
        const std::uint64_t line = number * lines + i;
        char step[160];
        std::snprintf(step, sizeof step,
                      "[rank%d] epoch 3 step %llu loss %.4f lr 1e-4 grad_norm %.3f tokens/s 12345.6\n", rank,
                      static_cast<unsigned long long>(line), 1.0 / double(line + 1), 0.5);
        text += number < 2 ? line_of(line) + '\n' : step;
    }
    rankscope::Event event;
    event.seq = number * 8 + std::uint64_t(rank) + 1;
    event.t_us = std::int64_t(number) * 1000;
    event.node = "node" + std::to_string(rank);
    event.rank = rank;
    event.body = rankscope::LogEvent{false, std::move(text), 0};
    return event;
}

/// The lines of a run, for its causes and for the NCCL pane: in one reading, and in two.
void time_reading(std::uint64_t lines) {
    constexpr std::uint64_t kLines = 500;
    constexpr int kRanks = 8;
    const auto cost = [&](bool twice) {
        const double before = own_memory();
        std::uint64_t parsed = 0;
        double most = 0;
        const double ms = timed([&] {
            rankscope::LogDiagnosis causes(
                "run", [](const rankscope::Event&) {},
                twice ? rankscope::ReadingDepth::Causes : rankscope::ReadingDepth::All);
            rankscope::RunReading pane("run");
            for (std::uint64_t number = 0; number < lines / kLines / kRanks; ++number) {
                for (int rank = 0; rank < kRanks; ++rank) {
                    const rankscope::Event event = printed(number, rank, kLines);
                    causes.recall(event);
                    if (twice) {
                        pane.take(event);
                    }
                }
            }
            std::promise<void> concluded;
            causes.conclude([&](const rankscope::LogFindings&) { concluded.set_value(); });
            concluded.get_future().wait();
            std::promise<std::uint64_t> looked;
            if (causes.look([&](const auto& snapshot) { looked.set_value(snapshot->lines_read); })) {
                parsed = looked.get_future().get();
            } else {
                parsed = 2 * pane.lines_read();
            }
            most = own_memory() - before;
        });
        std::printf("a run of %llu lines, %s: CPU %.1f s, %.2f parses a line, %.1f MB\n",
                    static_cast<unsigned long long>(lines), twice ? "read twice" : "read once", ms / 1e3,
                    double(parsed) / double(lines), most / 1e6);
        return ms;
    };
    const double writing = timed([&] {
        for (std::uint64_t number = 0; number < lines / kLines; ++number) {
            (void)printed(number, 0, kLines);
        }
    });
    const double once = cost(false) - writing;
    const double twice = cost(true) - writing;
    std::printf("once / twice: %.2f (without the %.1f s that make the lines)\n", once / twice, writing / 1e3);
}

}  // namespace

int main(int argc, char** argv) {
    rankscope::gui::keep_heap_compact();
    QApplication app(argc, argv);
    rankscope::gui::load_resources();
    apply_theme(app, ThemeChoice::Light, false);
    if (argc > 2 && std::string_view(argv[1]) == "--file") {
        return time_files(QString::fromLocal8Bit(argv[2]));
    }
    const std::uint64_t lines = argc > 1 ? QString::fromLatin1(argv[1]).toULongLong() : 10'000'000;
    LogStore log;
    QTemporaryFile file;
    if (!file.open()) {
        std::fprintf(stderr, "no temporary file: %s\n", qPrintable(file.errorString()));
        return 1;
    }
    double seconds = 0;
    double bytes = 0;
    const double before = own_memory();
    std::string block;
    for (std::uint64_t i = 0; i < lines; ++i) {
        block += line_of(i) + '\n';
        if (block.size() > (std::size_t(16) << 20) || i + 1 == lines) {
            time_index(log, block, seconds);
            file.write(block.data(), qint64(block.size()));
            bytes += double(block.size());
            block.clear();
        }
    }
    block.shrink_to_fit();
    file.flush();
    const LineSource& store = *log.lines();
    std::printf(
        "%u lines, %.0f bytes each\nindex, in pieces of 64 KiB: %.2f GB/s, %.1f bytes of memory a line\n",
        store.size(), bytes / double(lines), bytes / seconds / 1e9, (own_memory() - before) / double(lines));
    const double order_ms = timed([&] { LogQuery(log.lines(), {}).advance(nullptr); });
    std::printf("order by time: %.0f ms\n", order_ms);
    time_search(store, bytes, "text, any case", {.text = "timeout waiting"});
    time_search(store, bytes, "text, case matters", {.text = "timeout waiting", .case_matters = true});
    time_search(store, bytes, "text, in no line", {.text = "ready to fail"});
    time_search(store, bytes, "pattern with a text", {.text = "P2P.*timeout \\w+", .is_pattern = true});
    time_search(store, bytes, "pattern, 4 alternatives",
                {.text = "timeout waiting|unhandled error|connection refused|Out of memory",
                 .is_pattern = true,
                 .case_matters = true});
    const QString path = file.fileName();
    time_command(u"grep"_s, {u"-c"_s, u"-F"_s, u"timeout waiting"_s, path}, bytes);
    time_command(
        u"grep"_s,
        {u"-c"_s, u"-E"_s, u"timeout waiting|unhandled error|connection refused|Out of memory"_s, path},
        bytes);
    time_command(u"rg"_s,
                 {u"-c"_s, u"timeout waiting|unhandled error|connection refused|Out of memory"_s, path},
                 bytes);
    time_file(path, lines, bytes);
    time_merge(lines);
    time_reading(lines);
    time_view(log);
    time_text_edit();
    return 0;
}
