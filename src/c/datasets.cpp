#include "c/datasets.h"

#include "dsnn/data/csv.h"
#include "dsnn/data/degree_features.h"
#include "dsnn/data/dsbm_dataset.h"
#include "dsnn/data/registry.h"
#include "dsnn/data/splits.h"

#include "c/arrays.h"
#include "c/graphs.h"
#include "c/options.h"
#include "c/progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>

namespace dsnn::c {
namespace {

constexpr std::int64_t kMostNodes = std::numeric_limits<NodeId>::max();

void add(Dataset dataset, dsnn_dataset** to) {
  *to = datasets().add(std::make_shared<SharedDataset>(std::move(dataset)));
}

template <class T>
T choice(Options& options, const char* name, const std::map<std::string, T>& choices, T fallback) {
  if (!options.has(name)) return fallback;
  const std::string word = options.text(name, "");
  const auto found = choices.find(word);
  if (found != choices.end()) return found->second;
  std::string all;
  for (const auto& [key, value] : choices) all += (all.empty() ? "" : ", ") + key;
  throw Error(fmt::format("{} is '{}', expected one of {}", name, word, all));
}

CsvOptions csv_options(Options& options) {
  CsvOptions csv;
  csv.edges = options.text("edges", "");
  csv.nodes = options.text("nodes", "");
  csv.source_column = options.text("source_column", "");
  csv.target_column = options.text("target_column", "");
  csv.weight_column = options.text("weight_column", "");
  csv.edge_split_columns = options.texts("edge_split_columns");
  csv.id_column = options.text("id_column", "");
  csv.label_column = options.text("label_column", "");
  csv.split_columns = options.texts("split_columns");
  csv.drop_columns = options.texts("drop_columns");
  csv.categorical_columns = options.texts("categorical_columns");
  csv.missing_label = options.text("missing_label", "");
  csv.unknown_nodes = choice<UnknownNodes>(options, "unknown_nodes",
                                           {{"error", UnknownNodes::kRefuse},
                                            {"add", UnknownNodes::kAdd},
                                            {"drop", UnknownNodes::kDrop}},
                                           UnknownNodes::kRefuse);
  csv.heading = choice<Heading>(
      options, "heading",
      {{"auto", Heading::kDetect}, {"yes", Heading::kPresent}, {"no", Heading::kAbsent}},
      Heading::kDetect);
  options.done();
  if (csv.edges.empty()) throw Error("csv: edges is missing, expected a file");
  return csv;
}

void check_one_a_node(const dsnn_array* array, const char* name, const Dataset& dataset) {
  check_array(array, name);
  if (array->size == dataset.graph.num_nodes()) return;
  throw Error(fmt::format("{}: there are {}, expected {}, one for each node", name, array->size,
                          dataset.graph.num_nodes()));
}

void set_dense(Dataset& dataset, std::int64_t num_columns, const dsnn_array* values) {
  constexpr std::int64_t kMostColumns = std::numeric_limits<std::int32_t>::max();
  if (num_columns < 0 || num_columns > kMostColumns) {
    throw Error(fmt::format("num_columns is {}, expected 0 to {}", num_columns, kMostColumns));
  }
  if (num_columns == 0) {
    dataset.features = {};
  } else {
    check_array(values, "values");
    const std::int64_t rows = dataset.graph.num_nodes();
    check_room(values->size, rows * num_columns, "values");
    dataset.features = Features::dense(rows, num_columns, float_numbers(values, "values"));
  }
  dataset.feature_names.clear();
}

Features sparse_features(std::int64_t num_rows, std::int64_t num_columns,
                         const dsnn_array* row_offsets, const dsnn_array* columns,
                         const dsnn_array* values) {
  constexpr std::int64_t kMostColumns = std::numeric_limits<std::int32_t>::max();
  if (num_columns < 1 || num_columns > kMostColumns) {
    throw Error(fmt::format("num_columns is {}, expected 1 to {}", num_columns, kMostColumns));
  }
  Features features;
  features.num_rows = num_rows;
  features.num_columns = num_columns;
  features.offsets = whole_numbers(row_offsets, "row_offsets");
  features.columns =
      small_whole_numbers(columns, "columns", 0, static_cast<std::int32_t>(num_columns - 1));
  features.values = float_numbers(values, "values");
  const auto entries = static_cast<std::int64_t>(features.columns.size());
  check_room(row_offsets->size, num_rows + 1, "row_offsets");
  check_room(values->size, entries, "values");
  if (features.offsets.front() != 0 || features.offsets.back() != entries ||
      !std::is_sorted(features.offsets.begin(), features.offsets.end())) {
    throw Error(
        fmt::format("row_offsets must ascend from 0 to {}, the number of entries", entries));
  }
  for (std::int64_t u = 0; u < num_rows; ++u) {
    const auto begin = features.columns.begin() + features.offsets[static_cast<std::size_t>(u)];
    const auto end = features.columns.begin() + features.offsets[static_cast<std::size_t>(u) + 1];
    if (std::adjacent_find(begin, end, std::greater_equal<>()) != end) {
      throw Error(fmt::format("columns must ascend within a row, which those of row {} do not", u));
    }
  }
  return features;
}

void set_labels(Dataset& dataset, std::int64_t num_classes, const dsnn_array* labels) {
  check_one_a_node(labels, "labels", dataset);
  std::vector<std::int64_t> numbers = whole_numbers(labels, "labels");
  std::int64_t largest = -1;
  for (std::int64_t& label : numbers) {
    label = std::max<std::int64_t>(label, -1);
    largest = std::max(largest, label);
  }
  if (num_classes < 0) num_classes = largest + 1;
  if (largest >= num_classes || num_classes > kMostNodes) {
    throw Error(fmt::format("labels: the largest is {}, expected less than the {} classes", largest,
                            std::min(num_classes, kMostNodes)));
  }
  if (num_classes != dataset.num_classes) dataset.label_names.clear();
  dataset.labels = std::move(numbers);
  dataset.num_classes = num_classes;
}

void draw_splits(Dataset& dataset, Options& options) {
  const auto count = static_cast<int>(options.integer("count", 10, 1, 10'000));
  const auto seed = static_cast<std::uint64_t>(
      options.integer("seed", 0, 0, std::numeric_limits<std::int64_t>::max()));
  const std::vector<std::int64_t> counts = options.integers("per_class");
  const SplitShares shares{options.number("train", SplitShares{}.train),
                           options.number("validation", SplitShares{}.validation)};
  options.done();
  if (dataset.labels.empty()) throw Error("splits: there are no labels, so none can be drawn");
  if (shares.train < 0 || shares.validation < 0 || shares.train + shares.validation > 1 + 1e-9) {
    throw Error(fmt::format("splits: shares are {} and {}, expected at most 1 together",
                            shares.train, shares.validation));
  }
  if (counts.empty()) {
    dataset.splits = stratified_splits(dataset.labels, dataset.num_classes, shares, count, seed);
    return;
  }
  if (counts.size() != 2 || counts[0] < 0 || counts[1] < 0) {
    throw Error("splits: per_class must be two numbers of nodes, to train and to validate");
  }
  dataset.splits =
      per_class_splits(dataset.labels, dataset.num_classes, {counts[0], counts[1]}, count, seed);
}

void set_names(Dataset& dataset, Options& options) {
  const auto read = [&](const char* name, std::int64_t expected, std::vector<std::string>& to) {
    if (!options.has(name)) return;
    std::vector<std::string> names = options.texts(name);
    if (!names.empty()) check_room(std::ssize(names), expected, name);
    to = std::move(names);
  };
  dataset.name = options.text("name", dataset.name);
  read("node_ids", dataset.graph.num_nodes(), dataset.node_ids);
  read("label_names", dataset.num_classes, dataset.label_names);
  read("feature_names", dataset.features.num_columns, dataset.feature_names);
  options.done();
}

std::vector<std::uint8_t> mask(const std::uint8_t* from, std::int64_t size) {
  std::vector<std::uint8_t> result(from, from + size);
  for (std::uint8_t& byte : result) byte = byte == 0 ? 0 : 1;
  return result;
}

}  // namespace

DatasetHandles& datasets() {
  static auto* const instance = new DatasetHandles("dataset");
  return *instance;
}

std::shared_ptr<const Dataset> dataset_of(dsnn_dataset* dataset) {
  return datasets().get(dataset)->get();
}

}  // namespace dsnn::c

using namespace dsnn::c;

extern "C" {

dsnn_status dsnn_dataset_create(const char* name, dsnn_graph* graph, dsnn_dataset** dataset) {
  return guarded([&] {
    require(dataset, "dataset");
    dsnn::Dataset made;
    if (name != nullptr) made.name = name;
    made.graph = graphs().get(graph)->directed();
    add(std::move(made), dataset);
  });
}

dsnn_status dsnn_dataset_load(const char* what, const char* options_text, dsnn_progress callback,
                              void* user_data, dsnn_dataset** dataset) {
  return guarded([&] {
    require(what, "what");
    require(dataset, "dataset");
    Options options(options_text, "load");
    const std::string folder = options.text("data_dir", "");
    std::optional<dsnn::NodeId> num_nodes;
    if (options.has("num_nodes")) {
      num_nodes = static_cast<dsnn::NodeId>(options.integer("num_nodes", 1, 1, kMostNodes));
    }
    options.done();
    const Progress progress(callback, user_data);
    add(dsnn::read_dataset(dsnn::find_dataset(what, folder), num_nodes), dataset);
  });
}

dsnn_status dsnn_dataset_read_csv(const char* options_text, dsnn_progress callback, void* user_data,
                                  dsnn_dataset** dataset) {
  return guarded([&] {
    require(dataset, "dataset");
    Options options(options_text, "csv");
    const dsnn::CsvOptions csv = csv_options(options);
    const Progress progress(callback, user_data);
    add(dsnn::read_csv_dataset(csv), dataset);
  });
}

dsnn_status dsnn_dataset_dsbm(const char* options_text, dsnn_dataset** dataset) {
  return guarded([&] {
    require(dataset, "dataset");
    Options options(options_text, "dsbm");
    dsnn::DsbmOptions dsbm;
    dsbm.num_nodes = static_cast<dsnn::NodeId>(options.integer("nodes", 0, 0, kMostNodes));
    dsbm.num_communities =
        static_cast<dsnn::NodeId>(options.integer("communities", 1, 1, kMostNodes));
    dsbm.alpha_in = options.number("alpha_in", 0);
    dsbm.alpha_out = options.number("alpha_out", 0);
    dsbm.beta = options.number("beta", 0.5);
    dsbm.seed = static_cast<std::uint64_t>(
        options.integer("seed", 0, 0, std::numeric_limits<std::int64_t>::max()));
    options.done();
    add(dsnn::dsbm_dataset(dsbm), dataset);
  });
}

dsnn_status dsnn_dataset_save(dsnn_dataset* dataset, const char* path, dsnn_progress callback,
                              void* user_data) {
  return guarded([&] {
    require(path, "path");
    const auto data = dataset_of(dataset);
    const Progress progress(callback, user_data);
    dsnn::write_dataset(path, *data);
  });
}

dsnn_status dsnn_dataset_close(dsnn_dataset* dataset) {
  return guarded([&] { datasets().close(dataset); });
}

dsnn_status dsnn_dataset_get_graph(dsnn_dataset* dataset, dsnn_graph** graph) {
  return guarded([&] {
    require(graph, "graph");
    *graph = new_graph(dataset_of(dataset)->graph);
  });
}

dsnn_status dsnn_dataset_get_sizes(dsnn_dataset* dataset, dsnn_dataset_sizes* sizes) {
  return guarded([&] {
    require(sizes, "sizes");
    const auto data = dataset_of(dataset);
    *sizes = {data->graph.num_nodes(),           data->num_classes,
              std::ssize(data->splits),          std::ssize(data->labels),
              data->features.num_columns,        std::ssize(data->features.values),
              data->features.is_sparse() ? 1 : 0};
  });
}

dsnn_status dsnn_dataset_set_features(dsnn_dataset* dataset, int64_t num_columns,
                                      const dsnn_array* values) {
  return guarded([&] {
    datasets().get(dataset)->change(
        [&](dsnn::Dataset& data) { set_dense(data, num_columns, values); });
  });
}

dsnn_status dsnn_dataset_set_sparse_features(dsnn_dataset* dataset, int64_t num_columns,
                                             const dsnn_array* row_offsets,
                                             const dsnn_array* columns, const dsnn_array* values) {
  return guarded([&] {
    datasets().get(dataset)->change([&](dsnn::Dataset& data) {
      data.features =
          sparse_features(data.graph.num_nodes(), num_columns, row_offsets, columns, values);
      data.feature_names.clear();
    });
  });
}

dsnn_status dsnn_dataset_set_degree_features(dsnn_dataset* dataset, const char* kind) {
  return guarded([&] {
    require(kind, "kind");
    const std::string word = kind;
    if (word != "degrees" && word != "degree-buckets") {
      throw dsnn::Error(fmt::format("features are '{}', expected degrees or degree-buckets", word));
    }
    datasets().get(dataset)->change([&](dsnn::Dataset& data) {
      dsnn::set_degree_features(data, word == "degrees" ? dsnn::DegreeFeatures::kDegrees
                                                        : dsnn::DegreeFeatures::kBuckets);
    });
  });
}

dsnn_status dsnn_dataset_get_features(dsnn_dataset* dataset, int64_t num_entries, float* values,
                                      int64_t* row_offsets, int32_t* columns) {
  return guarded([&] {
    const auto data = dataset_of(dataset);
    const dsnn::Features& features = data->features;
    check_room(num_entries, std::ssize(features.values), "values");
    if (num_entries > 0) require(values, "values");
    std::copy(features.values.begin(), features.values.end(), values);
    if (!features.is_sparse()) return;
    require(row_offsets, "row_offsets");
    if (num_entries > 0) require(columns, "columns");
    std::copy(features.offsets.begin(), features.offsets.end(), row_offsets);
    std::copy(features.columns.begin(), features.columns.end(), columns);
  });
}

dsnn_status dsnn_dataset_set_labels(dsnn_dataset* dataset, int64_t num_classes,
                                    const dsnn_array* labels) {
  return guarded([&] {
    datasets().get(dataset)->change(
        [&](dsnn::Dataset& data) { set_labels(data, num_classes, labels); });
  });
}

dsnn_status dsnn_dataset_get_labels(dsnn_dataset* dataset, int64_t num_labels, int64_t* labels) {
  return guarded([&] {
    const auto data = dataset_of(dataset);
    check_room(num_labels, std::ssize(data->labels), "labels");
    if (num_labels > 0) require(labels, "labels");
    std::copy(data->labels.begin(), data->labels.end(), labels);
  });
}

dsnn_status dsnn_dataset_add_split(dsnn_dataset* dataset, int64_t num_nodes, const uint8_t* train,
                                   const uint8_t* validation, const uint8_t* test) {
  return guarded([&] {
    datasets().get(dataset)->change([&](dsnn::Dataset& data) {
      check_room(num_nodes, data.graph.num_nodes(), "nodes");
      if (num_nodes > 0) {
        require(train, "train");
        require(validation, "validation");
        require(test, "test");
      }
      data.splits.push_back(
          {mask(train, num_nodes), mask(validation, num_nodes), mask(test, num_nodes)});
    });
  });
}

dsnn_status dsnn_dataset_clear_splits(dsnn_dataset* dataset) {
  return guarded(
      [&] { datasets().get(dataset)->change([](dsnn::Dataset& data) { data.splits.clear(); }); });
}

dsnn_status dsnn_dataset_get_split(dsnn_dataset* dataset, int64_t split, int64_t num_nodes,
                                   uint8_t* train, uint8_t* validation, uint8_t* test) {
  return guarded([&] {
    const auto data = dataset_of(dataset);
    if (split < 0 || split >= std::ssize(data->splits)) {
      throw dsnn::Error(fmt::format("there is no split {}, expected 0 to {}", split,
                                    std::ssize(data->splits) - 1));
    }
    const dsnn::Split& masks = data->splits[static_cast<std::size_t>(split)];
    const auto copy = [&](const std::vector<std::uint8_t>& from, uint8_t* to, const char* name) {
      check_room(num_nodes, std::ssize(from), name);
      if (num_nodes > 0) require(to, name);
      std::copy(from.begin(), from.end(), to);
    };
    copy(masks.train, train, "train");
    copy(masks.validation, validation, "validation");
    copy(masks.test, test, "test");
  });
}

dsnn_status dsnn_dataset_draw_splits(dsnn_dataset* dataset, const char* options_text) {
  return guarded([&] {
    Options options(options_text, "splits");
    datasets().get(dataset)->change([&](dsnn::Dataset& data) { draw_splits(data, options); });
  });
}

dsnn_status dsnn_dataset_set_names(dsnn_dataset* dataset, const char* names) {
  return guarded([&] {
    Options options(names, "names");
    datasets().get(dataset)->change([&](dsnn::Dataset& data) { set_names(data, options); });
  });
}

}  // extern "C"
