// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/archive/failure_bundle/command_secrets.h>
#include <remote/desk/archive/failure_bundle/redactor.h>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace rankscope {
namespace {

constexpr const char* kSecret = "Zq7-xK2_pW9vT4";

std::string redacted(const std::string& text) {
    return Redactor({}).redact(text, "here");
}

std::string redacted_yaml(const std::string& yaml) {
    return Redactor({}).redact_yaml(yaml, "job.yaml");
}

TEST(RedactorTest, ReplacesWhatLooksSecret) {
    EXPECT_EQ(redacted("WANDB_API_KEY=0123456789abcdef0123"), "WANDB_API_KEY=[redacted]");
    EXPECT_EQ(redacted("--hf-token abcdefgh12345 --lr 0.1"), "--hf-token [redacted] --lr 0.1");
    EXPECT_EQ(redacted("{\"password\": \"correct horse\"}"), "{\"password\": \"[redacted]\"}");
    EXPECT_EQ(redacted("git clone https://me:s3cr3t@host/x"), "git clone https://me:[redacted]@host/x");
    EXPECT_EQ(redacted("git clone https://me:p@ss:w@host/x"), "git clone https://me:[redacted]@host/x");
    EXPECT_EQ(redacted("Authorization: Bearer abcdefghijklmnop1234"), "Authorization: Bearer [redacted]");
    EXPECT_EQ(
        redacted("-----BEGIN OPENSSH PRIVATE KEY-----\nb3Bl\nbnNz\n-----END OPENSSH PRIVATE KEY-----\nx\n"),
        "[redacted]\n\n\n\nx\n")
        << "the lines below keep their numbers";
    EXPECT_EQ(redacted("key AKIAIOSFODNN7EXAMPLE used"), "key [redacted] used");
}

TEST(RedactorTest, LeavesWhatOnlyLooksLikeIt) {
    for (const char* text : {"num_tokens=4096",
                             "max_tokens: 2048, loss 2.31",
                             "pad_token=<pad>",
                             "\"pad_token\": \"[PAD]\"",
                             "tokenizer: gpt2-medium-large",
                             "NCCL INFO comm 0x55d0 rank 0 nranks 8 - Init START",
                             "step 12 loss 0.5 tokens/s 1200000",
                             "http://node1:8080/metrics",
                             "key: None",
                             "monkey=business-as-usual",
                             "secret_env: []",
                             "HF_TOKEN=$HF_TOKEN python3 train.py",
                             "--use-token --lr 0.1",
                             "forward-pass: 0.1234 s",
                             "pass: 12 of 40",
                             "OLDPWD=/home/me/project",
                             "docker run -u 1000:1000 image",
                             "--single-pass\n  --lr 0.1",
                             "git@github.com:me/x.git",
                             "Missing key(s) in state_dict: \"a.weight\""}) {
        EXPECT_EQ(redacted(text), text);
    }
}

// A program prints its arguments in many ways.
TEST(RedactorTest, NoFormOfACommandLineKeepsItsSecret) {
    const std::string secret = kSecret;
    for (const std::string& text :
         std::vector<std::string>{"train.py --api-key " + secret,
                                  "train.py --api-key=" + secret,
                                  "train.py --api_key='" + secret + "'",
                                  "['train.py', '--api-key', '" + secret + "', '--lr', '0.1']",
                                  "[\"train.py\", \"--api-key\", \"" + secret + "\"]",
                                  "[train.py, --api-key, " + secret + "]",
                                  "command:\n- train.py\n- --api-key\n- " + secret + "\n",
                                  "command:\r\n  - --api-key\r\n  - \"" + secret + "\"\r\n",
                                  "Namespace(api_key='" + secret + "', lr=0.1)",
                                  "{'api_key': '" + secret + "'}",
                                  R"({\"api_key\": \")" + secret + R"(\"})",
                                  "export API_KEY=" + secret + "; run",
                                  "apiKey: " + secret,
                                  "API_KEY=\"" + secret,
                                  "password = -" + secret,
                                  "PassWord=" + secret,
                                  "--password 12345678",
                                  "curl -H 'X-Api-Key: " + secret + "'",
                                  "https://" + secret + secret + "@host/x",
                                  "https://hooks.slack.com/services/T0/B0/" + secret,
                                  "https://x/y?sig=" + secret + "&a=b",
                                  "https://api.telegram.org/bot1234:" + secret + secret,
                                  "Cookie: session=" + secret + "; a=b",
                                  "wandb login 0123456789012345678901234567890123456789",
                                  "train.py --api-key \\\n  " + secret,
                                  "train.py --api-key\n  " + secret,
                                  "train.py --api-key \"" + secret + "\"",
                                  "train.py --api-key=\"" + secret + "\"",
                                  "train.py --apikey " + secret,
                                  "train.py -api_key " + secret,
                                  "train.py --pass " + secret,
                                  "train.py --db-pass=" + secret,
                                  "DB_PASS=" + secret,
                                  "MYSQL_PWD=" + secret,
                                  "PGPASSWORD=" + secret + " psql",
                                  "GITHUB_PAT=" + secret,
                                  "sshpass -p " + secret + " ssh node1",
                                  "sshpass -p" + secret + " ssh node1",
                                  "curl -u me:" + secret + " https://x",
                                  "curl --user 'me:" + secret + "' https://x",
                                  "Authorization: Basic " + secret + "==",
                                  "authorization=Bearer%20" + secret,
                                  "https://x/y?api_key=" + secret + "&a=b",
                                  "https://x/y?access_token=" + secret,
                                  "https://x/y#token=" + secret,
                                  "postgres://me:" + secret + "@db/x",
                                  "redis://:" + secret + "@db/0",
                                  "AWS_SECRET_ACCESS_KEY=" + secret,
                                  "aws_session_token = " + secret,
                                  "{\\\"token\\\": \\\"" + secret + "\\\"}",
                                  "<password>" + secret + "</password>",
                                  "machine x login me password " + secret,
                                  "hf_" + std::string(34, 'a')}) {
        const std::string result = redacted(text);
        for (const char* part : {kSecret, "12345678", "aaaaaaaa"}) {
            EXPECT_EQ(result.find(part), std::string::npos) << text << "\n" << result;
        }
        EXPECT_NE(result.find(kRedacted), std::string::npos) << text;
    }
}

TEST(RedactorTest, CommandsOfAJobFileAreReadAsLists) {
    const std::string secret = "two words; and, more";
    for (const std::string& yaml : std::vector<std::string>{
             "command: [python3, train.py, --api-key, \"" + secret + "\"]\n",
             "command: [python3, train.py, \"--api-key=" + secret + "\"]\n",
             "command:\n  - python3\n  - --api-key\n  - '" + secret + "'\n",
             "command:\n  - python3\n  - --api-key\n  # of the project\n  - >-\n    " + secret + "\n",
             "command: [env, \"HF_TOKEN=" + secret + "\", python3]\n",
             "command: [docker, run, -e, \"API_KEY=" + secret + "\"]\n",
             "command: [curl, -H, \"Authorization: Bearer " + secret + "\"]\n",
             "command: [curl, -u, \"me:" + secret + "\"]\n", "x: &k [--token, \"" + secret + "\"]\ny: *k\n",
             "train: {api_key: \"" + secret + "\"}\n", "train:\n  access_tokens:\n    - \"" + secret + "\"\n",
             "train: {credentials: {user: me, value: \"" + secret + "\"}}\n"}) {
        const std::string result = redacted_yaml(yaml);
        EXPECT_EQ(result.find("and, more"), std::string::npos) << yaml << "\n" << result;
        EXPECT_NE(result.find(kRedacted), std::string::npos) << yaml;
    }
    const std::string plain = "# as always\ncommand: [python3, train.py, --lr, \"0.1\"]  # of Tuesday\n";
    EXPECT_EQ(redacted_yaml(plain), plain) << "comments stay where there is nothing to replace";
    EXPECT_EQ(redacted_yaml(std::string("{broken: --api-key ") + kSecret), "{broken: --api-key [redacted]");
}

TEST(RedactorTest, AValueThatIsKnownIsReplacedEverywhere) {
    Redactor redactor({.secret_names = {"STORE_WORD"}});
    nlohmann::ordered_json env{
        {"STORE_WORD", "abc123def456ghi"}, {"NCCL_DEBUG", "INFO"}, {"HF_TOKEN", "***"}};
    redactor.redact(env, "plan.json");
    EXPECT_EQ(env["STORE_WORD"], kRedacted);
    EXPECT_EQ(env["NCCL_DEBUG"], "INFO");
    EXPECT_EQ(env["HF_TOKEN"], "***");
    EXPECT_EQ(redactor.redact("connecting with abc123def456ghi.", "output of rank 3"),
              "connecting with [redacted].");
    const auto list = redactor.take_list();
    ASSERT_EQ(list.size(), 2U);
    EXPECT_EQ(list[0].where, "plan.json");
    EXPECT_NE(list[0].what.find("STORE_WORD"), std::string::npos);
    EXPECT_EQ(list[1].where, "output of rank 3");
    EXPECT_EQ(list[1].times, 1U);
}

TEST(RedactorTest, NamesThatTheJobListsCountInTextsAndFlags) {
    Redactor redactor({.secret_names = {"STORE_WORD"}});
    EXPECT_EQ(redactor.redact("STORE_WORD=hush --store-word hush", "here").find("STORE_WORD=hush"),
              std::string::npos);
    nlohmann::ordered_json command{"x", "--store-word", "hush"};
    redactor.redact(command, "plan.json");
    EXPECT_EQ(command[2], kRedacted);
}

TEST(RedactorTest, AKnownSecretOfSeveralLinesKeepsTheNumbersOfLines) {
    const std::string key = "abc123\ndef456\nghi789";
    Redactor redactor({});
    nlohmann::ordered_json env{{"MY_SECRET", key}};
    redactor.redact(env, "plan.json");
    EXPECT_EQ(redactor.redact("uses " + key + " here\nand more\n", "output of rank 0"),
              "uses [redacted]\n\n here\nand more\n");
}

TEST(RedactorTest, WordsAfterAFlagOfACommand) {
    nlohmann::ordered_json command{"python3", "train.py", "--api-key", "0a1b2c3d4e5f", "--lr", "0.1"};
    Redactor({}).redact(command, "plan.json");
    EXPECT_EQ(command,
              nlohmann::ordered_json({"python3", "train.py", "--api-key", kRedacted, "--lr", "0.1"}));
}

TEST(RedactorTest, UsersAreHiddenWhereWanted) {
    EXPECT_EQ(redacted("/home/maria/train.py"), "/home/maria/train.py");
    EXPECT_EQ(Redactor({.hide_users = true}).redact("/home/maria/train.py from maria@node1", "here"),
              "/home/USER/train.py from USER@node1");
}

TEST(CommandSecrets, AreValuesOfFlagsVariablesAndHeaders) {
    const auto secret = [](std::string_view name) { return name == "api-key" || name == "API_KEY"; };
    using Found = std::vector<CommandSecret>;
    EXPECT_EQ(command_secrets({"--api-key", "x"}, secret), (Found{{1, 0, "api-key"}}));
    EXPECT_EQ(command_secrets({"--api-key", "-x9"}, secret), (Found{{1, 0, "api-key"}}));
    EXPECT_EQ(command_secrets({"--api-key", "--lr"}, secret), Found{});
    EXPECT_EQ(command_secrets({"--api-key"}, secret), Found{});
    EXPECT_EQ(command_secrets({"--api-key=x"}, secret), (Found{{0, 10, "api-key"}}));
    EXPECT_EQ(command_secrets({"--env=API_KEY=x"}, secret), (Found{{0, 14, "API_KEY"}}));
    EXPECT_EQ(command_secrets({"sshpass", "-p", "x", "ssh"}, secret), (Found{{2, 0, "-p"}}));
    EXPECT_EQ(command_secrets({"/usr/bin/sshpass", "-px", "ssh"}, secret), (Found{{1, 2, "-p"}}));
    EXPECT_EQ(command_secrets({"sshpass", "-p"}, secret), Found{});
    EXPECT_EQ(command_secrets({"bash", "-c", "API_KEY=x run"}, secret), Found{}) << "a text";
    EXPECT_EQ(command_secrets({"-u", "me:x"}, secret), (Found{{1, 3, "-u"}}));
    EXPECT_EQ(command_secrets({"Authorization: Bearer x"}, secret), (Found{{0, 22, "Authorization"}}));
    EXPECT_EQ(command_secrets({"--lr", "0.1", "name=x"}, secret), Found{});
}

}  // namespace
}  // namespace rankscope
