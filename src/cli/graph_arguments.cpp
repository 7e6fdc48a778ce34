#include "cli/graph_arguments.h"

#include "dsnn/util/error.h"

#include "cli/arguments.h"
#include "cli/terminal.h"
#include "data/dataset_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>

namespace dsnn::cli {
namespace {

/// "48/32/20" as values.
std::vector<double> parse_parts(const std::string& name, const std::string& text, std::size_t least,
                                std::size_t most) {
  std::vector<double> parts;
  const char* next = text.data();
  const char* const end = next + text.size();
  for (bool goes_on = true; goes_on;) {
    double part = 0;
    const auto [stop, error] = std::from_chars(next, end, part);
    goes_on = stop != end && *stop == '/';
    if (error != std::errc() || (!goes_on && stop != end) || !(part >= 0) || !std::isfinite(part)) {
      refuse(name, fmt::format("'{}', expected numbers separated by /", text));
    }
    parts.push_back(part);
    next = goes_on ? stop + 1 : stop;
  }
  if (parts.size() < least || parts.size() > most) {
    refuse(name, fmt::format("'{}' has {} values, expected {}", text, parts.size(), most));
  }
  return parts;
}

SplitShares parse_shares(const std::string& text) {
  const std::vector<double> parts = parse_parts("--split", text, 3, 3);
  const double sum = parts[0] + parts[1] + parts[2];
  const double whole = sum > 1.5 ? 100 : 1;  // per cent or fractions
  if (std::abs(sum - whole) > 1e-6 * whole) {
    refuse("--split", fmt::format("'{}' adds up to {}, expected 100 or 1", text, sum));
  }
  return {.train = parts[0] / whole, .validation = parts[1] / whole};
}

SplitCounts parse_counts(const std::string& text) {
  const std::vector<double> parts = parse_parts("--per-class", text, 2, 2);
  for (const double part : parts) {
    if (part != std::floor(part) || part > 1e9) {
      refuse("--per-class", fmt::format("'{}', expected integers (numbers of nodes)", text));
    }
  }
  return {static_cast<std::int64_t>(parts[0]), static_cast<std::int64_t>(parts[1])};
}

/// An option that takes one word of a list.
template <class T, class Store>
Option* add_choice(Command& app, const char* name, const std::map<std::string, T>& choices,
                   const Store& store, const char* help) {
  std::vector<std::string> words;
  for (const auto& [word, value] : choices) words.push_back(word);
  return app
      .add_option_function(
          name, [choices, store](const std::string& word) { store(choices.at(word)); }, help)
      ->one_of(words);
}

void add_csv_arguments(Command& app, CsvOptions& csv) {
  const char* group = "Graph from CSV";
  const auto add_path = [&](const char* name, std::filesystem::path& path, const char* help) {
    return app
        .add_option_function(
            name, [&path](const std::string& text) { path = text; }, help)
        ->group(group);
  };
  Option* edges = add_path("--edges", csv.edges,
                           "CSV file with one edge per row; source and target are the first two "
                           "columns or found by heading");
  const auto needs_edges = [&](Option* option) { option->group(group)->needs(edges); };
  Option* nodes =
      add_path("--nodes", csv.nodes,
               "CSV file with one node per row: id, label, split and features, found by heading");
  needs_edges(nodes);
  const auto needs_nodes = [&](Option* option) { option->group(group)->needs(nodes); };
  needs_nodes(
      app.add_option("--id-column", csv.id_column,
                     "Column of node ids: heading or number, counted from 1 (default: id, node, "
                     "name, ..., else the first)"));
  needs_nodes(app.add_option("--label-column", csv.label_column,
                             "Column of labels (default: label, class, y, ...)"));
  needs_nodes(app.add_option("--split-column", csv.split_columns,
                             "Column of train, val and test; may be given several times (default: "
                             "split)")
                  ->allow_extra_args(false));
  needs_nodes(app.add_option("--drop-column", csv.drop_columns,
                             "Node column to leave out of the features; may be given several times")
                  ->allow_extra_args(false));
  needs_nodes(app.add_option("--categorical-column", csv.categorical_columns,
                             "Node column whose numbers are categories; may be given several times")
                  ->allow_extra_args(false));
  needs_edges(
      app.add_option("--source-column", csv.source_column,
                     "Edge column of sources (default: source, src, from, ..., else the first)"));
  needs_edges(
      app.add_option("--target-column", csv.target_column,
                     "Edge column of targets (default: target, dst, to, ..., else the second)"));
  needs_edges(app.add_option("--weight-column", csv.weight_column,
                             "Edge column of weights (default: weight, else none)"));
  needs_edges(app.add_option("--edge-split-column", csv.edge_split_columns,
                             "Edge column with train, val or test, for --task links; may be given "
                             "several times")
                  ->allow_extra_args(false));
  needs_nodes(app.add_option("--missing-label", csv.missing_label,
                             "A label that means 'unknown', besides empty, NA, NaN, null and ?"));
  needs_nodes(add_choice<UnknownNodes>(
      app, "--unknown-nodes",
      {{"error", UnknownNodes::kRefuse},
       {"add", UnknownNodes::kAdd},
       {"drop", UnknownNodes::kDrop}},
      [&csv](UnknownNodes choice) { csv.unknown_nodes = choice; },
      "Edges to nodes that the node file does not list: error (default), add the node, drop the "
      "edge"));
  needs_edges(add_choice<Heading>(
      app, "--heading",
      {{"auto", Heading::kDetect}, {"yes", Heading::kPresent}, {"no", Heading::kAbsent}},
      [&csv](Heading choice) { csv.heading = choice; },
      "Whether the first row of a file has column names (default: auto)"));
}

void check_one_input(const GraphArguments& arguments, bool is_required) {
  const bool is_csv = !arguments.csv.edges.empty();
  if (is_csv && !arguments.graph.empty()) {
    refuse("GRAPH", "cannot be combined with --edges");
  }
  if (is_csv && arguments.num_nodes) {
    refuse("--num-nodes",
           "has no effect with --edges; list the nodes in a file and give it by --nodes");
  }
  if (is_required && !is_csv && arguments.graph.empty()) refuse_without("GRAPH (or --edges)");
}

Dataset read_graph(const GraphArguments& arguments) {
  if (arguments.graph.empty()) return read_csv_dataset(arguments.csv);
  return read_dataset(find_dataset(arguments.graph, arguments.data_dir), arguments.num_nodes);
}

void draw_splits(const DatasetArguments& arguments, Dataset& dataset) {
  const int count = arguments.num_splits.value_or(10);
  const std::uint64_t seed = arguments.seed.value_or(0);
  const std::string splits = count == 1 ? "a split was" : fmt::format("{} splits were", count);
  if (arguments.counts) {
    dataset.splits =
        per_class_splits(dataset.labels, dataset.num_classes, *arguments.counts, count, seed);
    dataset.notes.push_back(
        fmt::format("{} drawn: per class {} training nodes, {} validation nodes, the "
                    "rest for test; seed {}",
                    splits, arguments.counts->train, arguments.counts->validation, seed));
    return;
  }
  const SplitShares shares = arguments.shares.value_or(SplitShares{});
  dataset.splits = stratified_splits(dataset.labels, dataset.num_classes, shares, count, seed);
  dataset.notes.push_back(fmt::format("{} drawn, {:.6g}/{:.6g}/{:.6g} % of each class, seed {}",
                                      splits, 100 * shares.train, 100 * shares.validation,
                                      100 * (1 - shares.train - shares.validation), seed));
}

}  // namespace

void add_graph_arguments(Command& app, GraphArguments& arguments, bool is_required) {
  app.add_option(
      "GRAPH", arguments.graph,
      "Edge-list text file ('source target [weight]' per line, # comments; may be gzipped), "
      ".npz file, folder of Geom-GCN or OGB files, or name of a dataset");
  app.add_option_function(
      "--num-nodes",
      [&arguments](const std::string& text) {
        NodeId value = 0;
        parse_integer("--num-nodes", text, NodeId{1}, std::numeric_limits<NodeId>::max(), value);
        arguments.num_nodes = value;
      },
      "Number of nodes, if the file does not give it (default: largest node + 1)");
  add_data_dir_argument(app, arguments.data_dir);
  add_csv_arguments(app, arguments.csv);
  app.parse_complete_callback(
      [&arguments, is_required] { check_one_input(arguments, is_required); });
}

Dataset load_graph(const GraphArguments& arguments, bool is_quiet) {
  Dataset dataset = read_graph(arguments);
  for (const std::string& note : dataset.notes) {
    if (!is_quiet) print_error(fmt::format("dsnn: note: {}\n", note));
  }
  return dataset;
}

std::vector<std::string> input_files(const GraphArguments& arguments) {
  if (arguments.graph.empty()) {
    return {arguments.csv.edges.string(), arguments.csv.nodes.string()};
  }
  std::vector<std::string> files;
  for (const auto& file : dataset_files(find_dataset(arguments.graph, arguments.data_dir))) {
    files.push_back(file.string());
  }
  return files;
}

void add_preparation_arguments(Command& app, std::vector<std::string>& settings) {
  const auto add = [&](const char* option, const char* parameter,
                       const std::vector<std::string>& choices, const char* help) {
    std::map<std::string, std::string> pairs;
    for (const std::string& choice : choices) pairs.emplace(choice, choice);
    add_choice<std::string>(
        app, option, pairs,
        [&settings, parameter](const std::string& word) {
          settings.push_back(fmt::format("{}={}", parameter, word));
        },
        help)
        ->group("Features and splits");
  };
  add("--scale", "normalise_features", {"auto", "standard", "rows", "none"},
      "Feature scaling: auto (default) chooses per column, standard scales columns to mean 0 and "
      "deviation 1, rows scales rows to sum 1, none leaves features unchanged");
  add("--degree-features", "degree_features", {"auto", "yes", "no"},
      "Add the logarithms of out- and in-degree to the features: auto (default) if there are few "
      "features");
}

void add_dataset_arguments(Command& app, DatasetArguments& arguments) {
  const char* group = "Features and splits";
  add_choice<DegreeFeatures>(
      app, "--features",
      {{"degrees", DegreeFeatures::kDegrees}, {"degree-buckets", DegreeFeatures::kBuckets}},
      [&arguments](DegreeFeatures kind) { arguments.degree_features = kind; },
      "Compute features from the graph: degrees (two columns) or degree-buckets (one-hot, by "
      "powers "
      "of two)")
      ->group(group);
  Option* shares =
      app.add_option_function(
             "--split",
             [&arguments](const std::string& text) { arguments.shares = parse_shares(text); },
             "Draw splits: shares of each class for training, validation and test, such as "
             "48/32/20")
          ->group(group);
  app.add_option_function(
         "--per-class",
         [&arguments](const std::string& text) { arguments.counts = parse_counts(text); },
         "Draw splits: nodes per class for training and validation, such as 20/30; the rest is "
         "test")
      ->group(group)
      ->excludes(shares);
  app.add_option_function(
         "--num-splits",
         [&arguments](const std::string& text) {
           parse_integer("--num-splits", text, 1, 10'000, arguments.num_splits.emplace());
         },
         "Number of splits to draw (default: 10)")
      ->group(group);
  app.add_option_function(
         "--split-seed",
         [&arguments](const std::string& text) {
           parse_integer("--split-seed", text, std::uint64_t{0},
                         std::numeric_limits<std::uint64_t>::max(), arguments.seed.emplace());
         },
         "Seed for drawing splits (default: 0)")
      ->group(group);
}

bool complete_dataset(const DatasetArguments& arguments, Dataset& dataset, bool only_if_asked) {
  if (arguments.degree_features) set_degree_features(dataset, *arguments.degree_features);
  const bool is_asked = arguments.asks_for_splits();
  if (is_asked && dataset.labels.empty()) {
    throw Error(
        "--split, --per-class, --num-splits, --split-seed: splits cannot be drawn "
        "without labels");
  }
  const bool is_wanted = !only_if_asked && !dataset.labels.empty() && dataset.splits.empty();
  if (!is_asked && !is_wanted) return false;
  if (!dataset.splits.empty()) {
    dataset.notes.push_back(
        fmt::format("the {} splits of the input were replaced", dataset.splits.size()));
  }
  draw_splits(arguments, dataset);
  const auto is_error = [](const SplitProblem& problem) { return problem.is_error; };
  if (is_asked || std::ranges::none_of(check_splits(dataset), is_error)) return true;
  dataset.splits.clear();
  dataset.notes.back() = "no splits were drawn: too few nodes have a label";
  return false;
}

Dataset load_for_training(const GraphArguments& graph, const DatasetArguments& arguments) {
  Dataset dataset = load_graph(graph);
  const std::size_t num_notes = dataset.notes.size();
  complete_dataset(arguments, dataset, false);
  for (std::size_t i = num_notes; i < dataset.notes.size(); ++i) {
    print_error(fmt::format("dsnn: note: {}\n", dataset.notes[i]));
  }
  for (const SplitProblem& problem : check_splits(dataset)) {
    print_error(fmt::format("dsnn: warning: {}\n", problem.text));
  }
  return dataset;
}

}  // namespace dsnn::cli
