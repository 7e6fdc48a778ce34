// The C interface from several threads, with one handle and with their own.
#include "dsnn/c.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

namespace {

dsnn_graph* ring(std::int32_t n) {
  std::vector<std::int32_t> arcs;
  for (std::int32_t u = 0; u < n; ++u) {
    arcs.push_back(u);
    arcs.push_back((u + 1) % n);
  }
  const dsnn_array sources{arcs.data(), DSNN_INT32, n, 8},
      targets{arcs.data() + 1, DSNN_INT32, n, 8};
  dsnn_graph* graph = nullptr;
  EXPECT_EQ(dsnn_graph_create(n, &sources, &targets, nullptr, &graph), DSNN_OK);
  return graph;
}

void in_threads(int count, const auto& work) {
  std::vector<std::thread> threads;
  for (int i = 0; i < count; ++i) threads.emplace_back([&work, i] { work(i); });
  for (std::thread& thread : threads) thread.join();
}

TEST(CThreads, OneOperatorServesSeveralThreadsWithTheSameBits) {
  constexpr std::int64_t kNodes = 4000, kColumns = 16;
  dsnn_graph* graph = ring(kNodes);
  dsnn_operator* op = nullptr;
  ASSERT_EQ(dsnn_operator_create("sheaf_maps", "{}", graph, nullptr, &op), DSNN_OK);
  std::vector<float> x(kNodes * kColumns);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i % 97) / 50;
  const std::int64_t shapes[] = {2, kNodes, kColumns, 2, kNodes, kColumns};
  const auto run = [&](int threads) {
    std::vector<float> y(2 * kNodes * kColumns);
    const void* in[] = {x.data(), x.data()};
    void* out[] = {y.data()};
    EXPECT_EQ(dsnn_operator_forward(op, DSNN_FLOAT32, threads, 0, 2, shapes, 6, in, 1, out),
              DSNN_OK);
    return y;
  };
  const std::vector<float> expected = run(1);
  in_threads(4, [&](int i) {
    for (int k = 0; k < 20; ++k) EXPECT_EQ(run(i % 3), expected);
  });
  EXPECT_EQ(dsnn_operator_close(op), DSNN_OK);
  EXPECT_EQ(dsnn_graph_close(graph), DSNN_OK);
}

TEST(CThreads, EachHasItsOwnSentence) {
  in_threads(4, [](int i) {
    for (int k = 0; k < 200; ++k) {
      dsnn_operator* op = nullptr;
      const std::string name = "no-operator-" + std::to_string(i);
      ASSERT_EQ(dsnn_operator_create(name.c_str(), nullptr, nullptr, nullptr, &op), DSNN_ERROR);
      EXPECT_EQ(std::string(dsnn_last_error()), "there is no operator '" + name + "'");
    }
  });
}

TEST(CThreads, ClosingWhatOthersUseIsNoCrash) {
  for (int round = 0; round < 50; ++round) {
    dsnn_graph* graph = ring(100);
    std::atomic<int> closed{0};
    in_threads(4, [&](int i) {
      dsnn_graph_sizes sizes;
      for (int k = 0; k < 20; ++k) {
        const dsnn_status status = dsnn_graph_get_sizes(graph, &sizes);
        EXPECT_TRUE(status == DSNN_OK || status == DSNN_INVALID);
        if (k == 5 + i && dsnn_graph_close(graph) == DSNN_OK) ++closed;
      }
    });
    EXPECT_EQ(closed, 1);
  }
}

TEST(CThreads, StoppingOneTrainingLeavesTheOthers) {
  dsnn_dataset* data = nullptr;
  ASSERT_EQ(dsnn_dataset_dsbm(R"({"nodes": 60, "communities": 2, "alpha_in": 0.2,
                                  "alpha_out": 0.2, "beta": 0.9, "seed": 1})",
                              &data),
            DSNN_OK);
  in_threads(3, [&](int i) {
    char* text = nullptr;
    if (i == 0) {  // with jobs: threads of the library belong to the call as well
      const dsnn_progress stop = [](void*, const char*) -> std::int32_t { return 1; };
      EXPECT_EQ(dsnn_train(data,
                           R"({"model": "gcn", "splits": [0, 1], "jobs": 2,
                               "parameters": {"epochs": 100000000, "patience": 100000000}})",
                           stop, nullptr, &text),
                DSNN_CANCELLED);
      return;
    }
    for (int k = 0; k < 5; ++k) {
      EXPECT_EQ(dsnn_train(data, R"({"model": "gcn", "splits": [0], "parameters": {"epochs": 30}})",
                           nullptr, nullptr, &text),
                DSNN_OK)
          << dsnn_last_error();
      dsnn_text_free(text);
    }
  });
  EXPECT_EQ(dsnn_dataset_close(data), DSNN_OK);
}

TEST(CThreads, ADatasetChangesWhileItIsUsed) {
  dsnn_dataset* data = nullptr;
  ASSERT_EQ(dsnn_dataset_dsbm(R"({"nodes": 60, "communities": 2, "alpha_in": 0.2,
                                  "alpha_out": 0.2, "beta": 0.9, "seed": 1})",
                              &data),
            DSNN_OK);
  in_threads(3, [&](int i) {
    for (int k = 0; k < 30; ++k) {
      char* text = nullptr;
      if (i == 0) {
        EXPECT_EQ(dsnn_dataset_draw_splits(data, "{}"), DSNN_OK);
      } else {
        EXPECT_EQ(dsnn_dataset_describe(data, &text), DSNN_OK);
        dsnn_text_free(text);
      }
    }
  });
  EXPECT_EQ(dsnn_dataset_close(data), DSNN_OK);
}

}  // namespace
