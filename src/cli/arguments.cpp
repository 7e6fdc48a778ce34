#include "cli/arguments.h"

#include "dsnn/data/npz.h"
#include "dsnn/sheaf/names.h"
#include "dsnn/util/error.h"
#include "dsnn/util/output_file.h"

#include "util/json_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <charconv>
#include <cmath>
#include <filesystem>
#include <set>

namespace dsnn::cli {
namespace {

constexpr double kDefaultCharge = 0.25;

std::string shape_text(const std::vector<std::int64_t>& shape) {
  return fmt::format("[{}]", fmt::join(shape, ", "));
}

/// `maps` of an npz: [2m, d] or [2m, d, d] in half-edge order, real or complex.
Sheaf load_maps(const SheafArguments& arguments, const DirectedGraph& graph) {
  const NpzReader file(arguments.maps_file);
  const ArrayInfo info = file.info("maps");
  const bool is_complex = info.dtype.find('c') != std::string::npos;
  const auto fail = [&](const std::string& reason) {
    throw Error(fmt::format("{}: array 'maps' {}", arguments.maps_file, reason));
  };
  const std::vector<std::int64_t>& shape = info.shape;
  const std::int64_t half_edges = graph.num_half_edges();
  if ((shape.size() != 2 && shape.size() != 3) || shape[0] != half_edges ||
      (shape.size() == 3 && shape[1] != shape[2])) {
    fail(fmt::format(
        "has shape {}, expected [{}, d] or [{}, d, d]: one map for each of the graph's {} "
        "half-edges",
        shape_text(shape), half_edges, half_edges, half_edges));
  }
  constexpr std::int64_t kLargestStalk = 4096;
  if (shape[1] < 1 || shape[1] > kLargestStalk) {
    fail(fmt::format("has shape {}, expected a stalk dimension d from 1 to {}", shape_text(shape),
                     kLargestStalk));
  }
  if (is_complex && arguments.charge.value_or(0) != 0) {
    fail(fmt::format("is complex, so the charge must be 0 (got --q {})", *arguments.charge));
  }
  const Array<Complex> maps = file.read<Complex>("maps");
  for (std::size_t i = 0; i < maps.data.size(); ++i) {
    if (!std::isfinite(maps.data[i].real()) || !std::isfinite(maps.data[i].imag())) {
      fail(fmt::format("has a value that is not finite in the map of half-edge {}",
                       i / (maps.data.size() / static_cast<std::size_t>(half_edges))));
    }
  }
  SheafOptions options;
  options.family = shape.size() == 2 ? MapFamily::kDiagonal : MapFamily::kGeneral;
  options.field = is_complex ? MapField::kComplex : MapField::kPhase;
  options.stalk_dim = static_cast<int>(shape[1]);
  options.charge = is_complex ? 0 : arguments.charge.value_or(kDefaultCharge);
  options.fixed = arguments.fixed;
  return Sheaf::from_maps(graph, options, maps.data);
}

}  // namespace

template <class T>
void parse_integer(const std::string& name, const std::string& text, T least, T most, T& value) {
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end || value < least || value > most) {
    refuse(name, fmt::format("'{}', expected an integer from {} to {}", text, least, most));
  }
}
template void parse_integer(const std::string&, const std::string&, NodeId, NodeId, NodeId&);
template void parse_integer(const std::string&, const std::string&, std::uint64_t, std::uint64_t,
                            std::uint64_t&);

template <class T>
Option* add_integer(Command& app, const std::string& name, T& target, const char* help, T least,
                    T most) {
  return app.add_option_function(
      name,
      [&target, name, least, most](const std::string& text) {
        parse_integer(name, text, least, most, target);
      },
      help);
}
template Option* add_integer(Command&, const std::string&, std::int32_t&, const char*, std::int32_t,
                             std::int32_t);
template Option* add_integer(Command&, const std::string&, std::uint64_t&, const char*,
                             std::uint64_t, std::uint64_t);

void add_sheaf_arguments(Command& app, SheafArguments& arguments) {
  app.add_option(
      "--q", arguments.charge,
      "Charge: the phase of a one-way edge is exp(2 pi i q) (default: 0.25; 0 for complex maps)");
  auto* maps = app.add_option(
      "--maps", arguments.maps_file,
      "Restriction maps: .npz with 'maps' [2m, d] or [2m, d, d], real or complex, by "
      "half-edge (owner, neighbour)");
  app.add_option("--sheaf", arguments.kind,
                 "Built-in sheaf, used without --maps (default: trivial)")
      ->one_of({"trivial", "magnetic", "sign-magnetic"})
      ->excludes(maps);
  app.add_option_function(
         "--normalise",
         [&arguments](const std::string& name) {
           arguments.normalisation = value_of_name(name, Normalisation::kNone);
         },
         "none: L; exact: D^-1/2 L D^-1/2; augmented: (D+I)^-1/2 L (D+I)^-1/2; degree: "
         "(c deg+1)^-1/2 L (c deg+1)^-1/2, c = d for general maps, else 1 (default: none)")
      ->one_of(all_names<Normalisation>());
  app.add_flag("--low-pass", arguments.fixed.low_pass, "Add a stalk dimension with maps 1 and -1");
  app.add_flag("--high-pass", arguments.fixed.high_pass, "Add a stalk dimension with maps 1 and 1");
}

Sheaf load_sheaf(const SheafArguments& arguments, const DirectedGraph& graph) {
  if (arguments.charge && !std::isfinite(*arguments.charge)) {
    throw Error(fmt::format("--q is {}, expected a finite number", *arguments.charge));
  }
  if (!arguments.maps_file.empty()) return load_maps(arguments, graph);
  const double charge = arguments.charge.value_or(kDefaultCharge);
  if (arguments.kind == "magnetic") return Sheaf::magnetic(graph, charge, arguments.fixed);
  if (arguments.kind == "sign-magnetic") {
    if (arguments.charge) {
      throw Error(
          "--q has no effect with --sheaf sign-magnetic, whose phases are 1, i and -i; leave it "
          "out");
    }
    return Sheaf::sign_magnetic(graph, arguments.fixed);
  }
  return Sheaf::trivial(graph, charge, arguments.fixed);
}

std::uint64_t parse_seed(const std::string& text, const std::string& option) {
  std::int64_t seed = 0;
  parse_integer(option, text, std::int64_t{0}, std::numeric_limits<std::int64_t>::max(), seed);
  return static_cast<std::uint64_t>(seed);
}

std::vector<int> parse_splits(const std::string& text) {
  constexpr int kMost = 100'000;  // more than any dataset has
  std::set<int> splits;
  const auto fail = [&] {
    refuse("--splits", fmt::format("'{}', expected split numbers such as 0-4,7", text));
  };
  const char* next = text.data();
  const char* const end = next + text.size();
  while (next != end) {
    int first = 0;
    auto [stop, error] = std::from_chars(next, end, first);
    if (error != std::errc() || first < 0) fail();
    int last = first;
    if (stop != end && *stop == '-') {
      const auto range = std::from_chars(stop + 1, end, last);
      if (range.ec != std::errc() || last < first) fail();
      stop = range.ptr;
    }
    if (last > kMost) fail();
    for (int split = first; split <= last; ++split) splits.insert(split);
    if (stop != end && (*stop != ',' || stop + 1 == end)) fail();
    next = stop == end ? end : stop + 1;
  }
  return {splits.begin(), splits.end()};
}

void add_data_dir_argument(Command& app, std::string& folder) {
  app.add_option_function(
      "--data-dir",
      [&folder](const std::string& text) {
        std::error_code ignored;
        if (!std::filesystem::is_directory(text, ignored)) {
          refuse("--data-dir", fmt::format("'{}', expected a folder", text));
        }
        folder = text;
      },
      "Folder with datasets, searched before $DSNN_DATA and the cache folder");
}

void add_json_argument(Command& app, bool& json) {
  app.add_flag("--json", json, "Print the result as JSON");
}

void add_device_argument(Command& app, std::string& device) {
  app.add_option(
      "--device", device,
      "cpu (default), cuda, cuda:N, or auto: the faster one in training, else a GPU where "
      "there is one");
}

void print_json(const nlohmann::ordered_json& result) { fmt::print("{}\n", json_text(result, 2)); }

void add_output_argument(Command& app, std::string& output, bool is_required, const char* help) {
  const auto has_name = [](const std::string& name) {
    return std::string(name.empty() ? "the file name is empty" : "");
  };
  const auto is_stdout = [](std::string name) {
    return name == "-" ? std::string("/dev/stdout") : name;
  };
  app.add_option("-o,--output", output, help)
      ->required(is_required)
      ->check(has_name)
      ->transform(is_stdout);
}

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

void check_output(const std::string& output, const std::vector<std::string>& inputs) {
  for (const std::string& input : inputs) {
    std::error_code ignored;
    if (!input.empty() && !is_stream_path(output) &&
        std::filesystem::equivalent(input, output, ignored)) {
      throw Error(
          fmt::format("{}: is an input of this command, expected another output file", output));
    }
  }
  check_output_path(output);
}

double parse_duration(const std::string& option, const std::string& text) {
  double number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  const std::string unit(stop, end);
  const double scale = unit == "s" ? 1 : unit == "m" ? 60 : unit == "h" ? 3600 : 0;
  if (error != std::errc() || scale == 0 || !(number > 0)) {
    refuse(option.c_str(), fmt::format("'{}', expected a duration such as 90s, 30m or 2h", text));
  }
  return number * scale;
}

}  // namespace dsnn::cli
