// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/transport/prompter.h>

#include <QObject>
#include <QPointer>
#include <deque>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

class QWidget;

namespace rankscope::gui {

class HostKeyDialog;
class SecretDialog;

/// Brings the questions of connection threads to the person and the answers back. The asking thread waits on
/// a promise; the window's thread never waits for anything. After shut_down() every question, asked or still
/// to come, is answered "no", so that no thread is left waiting for a window that is gone.
class PrompterBridge : public QObject {
    Q_OBJECT

public:
    /// `window`: what the dialogs belong to.
    explicit PrompterBridge(QWidget* window);
    ~PrompterBridge() override;

    /// For connections; may be called and used from any thread, and outlives this object.
    Prompter prompter() const;
    void shut_down();

private:
    struct PendingKey {
        HostKeyQuestion question;
        std::promise<bool> answer;
    };
    struct PendingSecret {
        SecretQuestion question;
        std::promise<std::optional<std::string>> answer;
    };
    /// Shared with the connection threads.
    struct Shared {
        std::mutex mutex;
        PrompterBridge* bridge = nullptr;  ///< null: shut down
        std::deque<std::shared_ptr<PendingKey>> keys;
        std::deque<std::shared_ptr<PendingSecret>> secrets;
    };
    static bool ask_host_key(const std::shared_ptr<Shared>& shared, const HostKeyQuestion& question);
    static std::optional<std::string> ask_secret(const std::shared_ptr<Shared>& shared,
                                                 const SecretQuestion& question);

    void pump();
    void show_keys();
    void show_secret();
    void host_keys_answered(int result);
    void secret_answered(int result);

    std::shared_ptr<Shared> shared_ = std::make_shared<Shared>();
    QWidget* window_;
    QPointer<HostKeyDialog> key_dialog_;
    QPointer<SecretDialog> secret_dialog_;
    std::vector<std::shared_ptr<PendingKey>> shown_keys_;
    std::shared_ptr<PendingSecret> shown_secret_;
};

}  // namespace rankscope::gui
