#include "dsnn/train/part_folder.h"

#include "dsnn/data/npz.h"
#include "dsnn/train/train.h"
#include "dsnn/util/error.h"
#include "dsnn/util/output_file.h"
#include "dsnn/util/progress.h"

#include "train/preparation_json.h"
#include "train/training_data.h"
#include "util/index.h"
#include "util/json_text.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <system_error>

#include <algorithm>
#include <array>
#include <fstream>
#include <utility>

namespace dsnn {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr int kFormat = 1;
constexpr std::array kScales = {FeatureScale::kAuto, FeatureScale::kStandard, FeatureScale::kRows,
                                FeatureScale::kNone};

fs::path manifest(const fs::path& folder) { return folder / "parts.json"; }
fs::path data_file(const fs::path& folder, int part) {
  return folder / fmt::format("part-{}.npz", part);
}
fs::path node_file(const fs::path& folder, int part) {
  return folder / fmt::format("part-{}-nodes.npz", part);
}

/// FNV-1a of the bytes of both files of a part, and how many there are.
std::pair<std::int64_t, std::string> file_checksum(const fs::path& folder, int part) {
  std::uint64_t state = 0xcbf29ce484222325u;
  std::int64_t count = 0;
  for (const fs::path& path : {data_file(folder, part), node_file(folder, part)}) {
    std::ifstream file(path, std::ios::binary);
    if (!file)
      throw Error(fmt::format("{}: cannot open, expected a part of a graph", path.string()));
    std::array<char, 1 << 16> buffer{};
    do {
      file.read(buffer.data(), buffer.size());
      for (std::int64_t i = 0; i < file.gcount(); ++i) {
        state = (state ^ static_cast<unsigned char>(buffer[at(i)])) * 0x100000001b3u;
      }
      count += file.gcount();
    } while (file.gcount() > 0);
  }
  return {count, fmt::format("{:016x}", state)};
}

void write_nodes(const fs::path& path, const Part& part) {
  NpzWriter npz(path);
  const std::int64_t n = std::ssize(part.numbers);
  npz.add<std::int64_t>("numbers", {n}, part.numbers);
  npz.add<std::int64_t>("places", {n}, part.nodes.places);
  npz.add<std::int32_t>("owners", {n}, part.nodes.owners);
  npz.commit();
}

}  // namespace

WholeData WholeData::of(const Dataset& dataset) {
  WholeData whole;
  whole.name = dataset.name;
  whole.checksum = dsnn::checksum(dataset);
  whole.content = content_checksum(dataset);
  whole.num_nodes = dataset.graph.num_nodes();
  whole.num_classes = dataset.num_classes;
  whole.adds_degrees =
      FeaturePreparation::fit(dataset, FeatureScale::kNone, DegreeColumns::kAuto).adds_degrees;
  for (const FeatureScale scale : kScales) {
    whole.preparations.push_back(FeaturePreparation::fit(
        dataset, dataset.features.empty() ? FeatureScale::kNone : scale, DegreeColumns::kYes));
  }
  return whole;
}

FeaturePreparation WholeData::preparation(const Config& config) const {
  const FeatureScale scale = feature_scale(config.word("normalise_features"));
  const DegreeColumns degrees = degree_columns(config.word("degree_features"));
  const auto place = std::ranges::find(kScales, scale) - kScales.begin();
  FeaturePreparation result = preparations.at(at(place));
  result.adds_degrees =
      degrees == DegreeColumns::kYes || (degrees == DegreeColumns::kAuto && adds_degrees);
  if (!result.adds_degrees) result.out_degree = result.in_degree = {};
  return result;
}

bool PartFolder::is_at(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(manifest(path), ignored);
}

void PartFolder::write(const fs::path& folder, const Dataset& dataset, const Partition& partition,
                       const std::vector<NodeId>& order, int num_parts) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw Error(fmt::format("{}: cannot create: {}", folder.string(), error.message()));
  fs::remove(manifest(folder), error);  // of an earlier partition
  const WholeData whole = WholeData::of(dataset);
  Json files = Json::array();
  for (int p = 0; p < num_parts; ++p) {
    report_progress("parts", p, num_parts);
    const Part part = make_part(dataset, order, partition, p);
    write_dataset(data_file(folder, p), part.data);
    write_nodes(node_file(folder, p), part);
    const auto [bytes, checksum] = file_checksum(folder, p);
    files.push_back({{"bytes", bytes}, {"checksum", checksum}});
  }
  Json preparations = Json::array();
  for (const FeaturePreparation& preparation : whole.preparations) {
    preparations.push_back({{"preparation", to_json(preparation)}});
  }
  const Json json = {{"format", kFormat},
                     {"dataset", whole.name},
                     {"nodes", whole.num_nodes},
                     {"classes", whole.num_classes},
                     {"checksum", whole.checksum},
                     {"content", whole.content},
                     {"adds_degrees", whole.adds_degrees},
                     {"preparations", preparations},
                     {"parts", files}};
  write_file(manifest(folder), json_text(json, 2) + "\n");
}

PartFolder::PartFolder(fs::path folder) : folder_(std::move(folder)) {
  const fs::path path = manifest(folder_);
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    throw Error(fmt::format("{}: has no parts.json, expected a folder written by dsnn partition",
                            folder_.string()));
  }
  try {
    const Json json = parse_json(file);
    if (json.at("format").get<int>() != kFormat) {
      throw Error(fmt::format("{}: is of another version of dsnn", path.string()));
    }
    whole_.name = json.at("dataset").get<std::string>();
    whole_.num_nodes = json.at("nodes").get<std::int64_t>();
    whole_.num_classes = json.at("classes").get<std::int64_t>();
    whole_.checksum = json.at("checksum").get<std::string>();
    whole_.content = json.at("content").get<std::string>();
    whole_.adds_degrees = json.at("adds_degrees").get<bool>();
    for (const Json& each : json.at("preparations")) {
      whole_.preparations.push_back(preparation_of(each).value());
    }
    for (const Json& each : json.at("parts")) {
      files_.push_back(
          {each.at("bytes").get<std::int64_t>(), each.at("checksum").get<std::string>()});
    }
  } catch (const Error&) {
    throw;
  } catch (const std::exception&) {  // of JSON
    throw Error(fmt::format("{}: is damaged", path.string()));
  }
  if (whole_.preparations.size() != kScales.size() || files_.empty()) {
    throw Error(fmt::format("{}: is damaged", path.string()));
  }
}

namespace {

void check(const Part& part, const fs::path& path) {
  const std::int64_t n = part.data.graph.num_nodes();
  const auto fits = [&](const auto& array) { return std::ssize(array) == n; };
  const bool is_sound = fits(part.numbers) && fits(part.nodes.places) && fits(part.nodes.owners) &&
                        std::ranges::is_sorted(part.nodes.places, std::ranges::less_equal()) &&
                        std::ranges::all_of(part.nodes.places, [&](std::int64_t place) {
                          return place >= 0 && place < part.nodes.num_all;
                        });
  if (!is_sound) throw Error(fmt::format("{}: is damaged", path.string()));
}

}  // namespace

Part PartFolder::read(int number) const {
  const auto [bytes, checksum] = file_checksum(folder_, number);
  const PartFile& expected = files_.at(at(number));
  if (bytes != expected.bytes || checksum != expected.checksum) {
    throw Error(
        fmt::format("{}: is not the part that parts.json describes (damaged, or of another "
                    "graph or partition)",
                    data_file(folder_, number).string()));
  }
  Part part;
  part.data = read_dataset(data_file(folder_, number));
  part.data.name = whole_.name;
  part.data.num_classes = whole_.num_classes;
  const NpzReader npz(node_file(folder_, number));
  part.numbers = npz.read<std::int64_t>("numbers").data;
  part.nodes.places = npz.read<std::int64_t>("places").data;
  part.nodes.owners = npz.read<std::int32_t>("owners").data;
  part.nodes.num_all = whole_.num_nodes;
  check(part, node_file(folder_, number));
  return part;
}

LoadedPart load_part(const fs::path& folder, Ranks& ranks) {
  LoadedPart result;
  auto loaded = std::make_shared<TrainPart>();
  Part part;
  ranks.agree([&] {
    const PartFolder parts(folder);
    if (parts.num_parts() != ranks.size()) {
      throw Error(fmt::format("{}: has {} parts, but the number of ranks is {} (mpirun -n {} ...)",
                              folder.string(), parts.num_parts(), ranks.size(), parts.num_parts()));
    }
    part = parts.read(ranks.rank());
    loaded->whole = parts.whole();
  });
  const std::string first = ranks.from_first(loaded->whole.checksum);
  ranks.agree([&] {
    if (loaded->whole.checksum != first) {
      throw Error(fmt::format("{}: is of another graph on rank {} than on rank 0", folder.string(),
                              ranks.rank()));
    }
  });
  loaded->halo = std::make_shared<const Halo>(std::move(part.nodes), part.data.graph, ranks);
  loaded->numbers = std::move(part.numbers);
  result.data = std::move(part.data);
  result.part = std::move(loaded);
  return result;
}

}  // namespace dsnn
