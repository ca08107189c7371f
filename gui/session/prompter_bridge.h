// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/nodes/transport/prompter.h>

#include <QObject>
#include <QPointer>
#include <QTimer>
#include <deque>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

class QDialog;
class QWidget;

namespace rankscope::gui {

class HostKeyDialog;
class SecretDialog;

/// Brings the questions of connection threads to the user and the answers back: one dialog at a time, host keys
/// before secrets. Host keys that arrive together share one dialog. An open dialog is never covered by another
/// question. The asking thread waits on a promise; the window's thread never waits. After shut_down() every
/// question, present or future, is answered "no", so that no thread waits for a window that is gone.
class PrompterBridge : public QObject {
    Q_OBJECT

public:
    /// `window`: the dialogs are over it, and over what is open over it.
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

    void question_arrived();
    void show_next();
    /// The window, or the dialog that is open over it: what it blocks could not have the keys.
    QWidget* asker() const;
    /// The keys go to it from now on.
    static void show_in_front(QDialog* dialog);
    void add_host_keys();
    void show_secret(std::shared_ptr<PendingSecret> secret);
    void host_keys_answered(int result);
    void secret_answered(int result);

    std::shared_ptr<Shared> shared_ = std::make_shared<Shared>();
    QWidget* window_;
    QTimer gather_;  ///< questions that arrive together are sorted before the first one is shown
    QPointer<HostKeyDialog> key_dialog_;
    QPointer<SecretDialog> secret_dialog_;
    std::vector<std::shared_ptr<PendingKey>> shown_keys_;
    std::shared_ptr<PendingSecret> shown_secret_;
};

}  // namespace rankscope::gui
