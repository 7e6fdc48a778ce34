#pragma once

#include "cli/cli_test.h"

#include <fmt/format.h>

#include <filesystem>
#include <string>

namespace dsnn::testing {

/// 'dsnn reproduce' on small made-up graphs, with configurations beside them.
class ReproduceTest : public CliTest {
 protected:
  void add_data(const std::string& name, const std::string& seed) {
    std::filesystem::create_directories(dir_ / "data");
    run_dsnn({"generate", "dsbm", "-n", "60", "-C", "2", "--alpha-in", "0.2", "--alpha-out", "0.2",
              "--beta", "0.05", "--seed", seed, "-o", path("data/" + name + ".npz")});
  }
  void add_config(const std::string& folder, const std::string& model, int epochs = 3) {
    write(fmt::format("configs/{}/{}.toml", folder, model),
          fmt::format("model = \"{}\"\n[parameters]\nepochs = {}\npatience = {}\n", model, epochs,
                      epochs));
  }
  void set_up_table(int epochs = 3) {
    add_data("texas", "1");
    add_data("cora", "2");
    for (const char* model : {"diag-dsnn", "diag-nsd", "gcn"}) {
      add_config("table1/texas", model, epochs);
    }
    add_config("table1/cora", "gcn", epochs);
    write("configs/table1/paper.csv",
          "model,dataset,mean,std\ndiag-dsnn,texas,60,100\ndiag-nsd,texas,60,0\n"
          "gcn,texas,60,100\nmlp,texas,60,1\ngcn,cora,60,100\n");
  }
  Words reproduce(const Words& more, const std::string& out = "out") const {
    return Words{"reproduce"} + more + Words{"--configs", path("configs"), "--out", path(out)};
  }
  /// With one seed, which suffices for most tests.
  Words table(const Words& more = {}, const std::string& out = "out") const {
    return table_with_seeds("1", more, out);
  }
  Words table_with_seeds(const std::string& seeds, const Words& more = {},
                         const std::string& out = "out") const {
    return reproduce(Words{"table1", "--data-dir", path("data"), "--seeds", seeds} + more, out);
  }
  /// table1.csv without the times that training took.
  std::string numbers(const std::string& file) const {
    std::string text;
    for (const std::string& line : lines_of(read(file))) {
      text += line.substr(0, line.rfind(',', line.rfind(',') - 1)) + "\n";
    }
    return text;
  }
};

}  // namespace dsnn::testing
