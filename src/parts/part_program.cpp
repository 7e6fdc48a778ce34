#include "dsnn/parts/part_program.h"

#include "dsnn/engine/operators/sparse.h"
#include "dsnn/util/error.h"

#include "parts/exchange.h"
#include "util/index.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

namespace dsnn {
namespace {

using engine::OperatorPtr;
using engine::PartRule;
using engine::Program;
using engine::RowKind;
using engine::SparseMatrix;
using engine::Value;

/// What is known about the rows of a value.
struct Rows {
  RowKind kind = RowKind::kNone;
  bool are_missing = false;             ///< those of ghosts
  std::optional<SparseMatrix> entries;  ///< whose entries they are
  Value value, fetched;
};

/// Collects pieces of dropout. Those that continue each other become one, as far as pieces are not
/// too long to share between threads.
class PieceWriter {
 public:
  void add(std::int64_t begin, std::int64_t count, std::int64_t position) {
    constexpr std::int64_t kLongest = 4096;
    if (!pieces_.empty()) {
      kernels::DropoutPiece& last = pieces_.back();
      const bool continues =
          last.begin + last.count == begin && last.position + last.count == position;
      const std::int64_t part = continues ? std::min(count, kLongest - last.count) : 0;
      last.count += part;
      begin += part;
      position += part;
      count -= part;
    }
    for (; count > 0; count -= kLongest, begin += kLongest, position += kLongest) {
      pieces_.push_back({begin, std::min(count, kLongest), position});
    }
  }
  std::shared_ptr<const PlacedDropout::Pieces> take() {
    return std::make_shared<const PlacedDropout::Pieces>(std::move(pieces_));
  }

 private:
  PlacedDropout::Pieces pieces_;
};

class PartRewriter final : public engine::Rewriter {
 public:
  explicit PartRewriter(std::shared_ptr<const Halo> halo) : halo_(std::move(halo)) {}

  std::vector<Value> apply(Program& program, const OperatorPtr& op,
                           std::vector<Value> inputs) override {
    engine::Shapes shapes;
    for (const Value& input : inputs) {
      shapes.add(input.is_there() ? std::optional(input.shape()) : std::nullopt);
    }
    (void)op->infer(shapes);  // its message, if the arguments do not match
    const PartRule rule = op->part_rule(shapes);
    if (rule.result == PartRule::Result::kUnknown) {
      throw Error(fmt::format("{}: is not available on a graph in parts", op->name()));
    }
    for (const PartRule::Gather& gather : rule.gathers) {
      const Value& input = inputs[at(gather.argument)];
      if (input.is_there()) fetch(input, gather);
    }
    for (Value& input : inputs) {
      if (input.is_there()) input = newest(input);
    }
    if (rule.dropout != nullptr) return without_dropout(program, rule, std::move(inputs));
    return append(program, op, rule, inputs);
  }

 private:
  Rows& rows_of(const Value& value) { return rows_[value.program().root(value.id())]; }

  /// The elements of `value` in the shape of `like`.
  static Value as(const Value& value, const Value& like) {
    Program& program = value.program();
    const Value view = program.reshape(value, like.shape());
    return program.tensor(like.id()).is_detached ? program.detach(view) : view;
  }

  Value newest(const Value& value) {
    const Rows& rows = rows_of(value);
    return rows.fetched.is_there() ? as(rows.fetched, value) : value;
  }

  /// Fetches the rows of ghosts unless they are there.
  void fetch(const Value& value, const PartRule::Gather& gather) {
    Rows& rows = rows_of(value);
    if (!rows.are_missing || rows.fetched.is_there()) return;
    if (rows.kind != gather.kind) throw Error("a graph in parts: rows of another kind are read");
    const auto op = std::make_shared<FetchRows>(halo_, gather.kind, gather.planes);
    rows.fetched = value.program().append(op, {rows.value}).front();
    rows_[rows.fetched.id()] = {rows.kind, false, rows.entries, rows.fetched, {}};
  }

  std::vector<Value> append(Program& program, const OperatorPtr& op, const PartRule& rule,
                            const std::vector<Value>& inputs) {
    std::vector<Value> results = program.append(op, inputs);
    Rows rows;
    if (rule.result == PartRule::Result::kRowByRow) {
      for (const Value& input : inputs) {
        if (!input.is_there()) continue;
        const Rows& of_input = rows_of(input);
        rows.are_missing = rows.are_missing || of_input.are_missing;
        if (rows.kind != RowKind::kNone || of_input.kind == RowKind::kNone) continue;
        rows.kind = of_input.kind;
        rows.entries = of_input.entries;
      }
    } else {
      rows.kind = rule.kind;
      rows.are_missing = rule.result == PartRule::Result::kOwnRows;
      if (rule.kind == RowKind::kEntries) rows.entries = *rule.entries;
    }
    for (const Value& result : results) {
      rows.value = result;
      rows_[result.id()] = rows;
    }
    return results;
  }

  // --- dropout ---

  std::vector<Value> without_dropout(Program& program, const PartRule& rule,
                                     std::vector<Value> inputs) {
    if (rule.dropout_of == PartRule::DropoutOf::kFeatures) {
      return {feature_product(program, rule, inputs[0])};
    }
    const PartRule row_by_row = PartRule::row_by_row();
    const bool is_first = rule.dropout_of == PartRule::DropoutOf::kArgument;
    if (is_first) inputs[0] = drop(program, inputs[0], *rule.dropout);
    if (!rule.without_dropout) return {inputs[0]};
    std::vector<Value> results = append(program, rule.without_dropout, row_by_row, inputs);
    if (!is_first) results[0] = drop(program, results[0], *rule.dropout);
    return results;
  }

  Value drop(Program& program, const Value& x, const engine::Dropout& dropout) {
    const auto op = std::make_shared<PlacedDropout>(dropout, pieces_of(x, dropout.merged_planes));
    return append(program, op, PartRule::row_by_row(), {x}).front();
  }

  std::shared_ptr<const PlacedDropout::Pieces> pieces_of(const Value& x, bool merges_planes) {
    const Rows& rows = rows_of(x);
    if (rows.kind == RowKind::kEntries) return entry_pieces(*rows.entries, x.shape());
    const std::int64_t n = halo_->num_nodes();
    const bool has_planes = x.shape().size() > 2;
    const std::int64_t planes = has_planes ? x.size(0) : 1;
    const std::int64_t width = engine::num_numbers(x.shape()) / (planes * n);
    if (rows.kind == RowKind::kHalfEdges || x.size(has_planes ? 1 : 0) != n)
      throw Error("dropout: is not available on these rows of a graph in parts");
    auto& known = node_pieces_[{planes, width, merges_planes}];
    if (known) return known;
    PieceWriter pieces;
    for (std::int64_t p = 0; p < planes; ++p) {
      const std::int64_t before = merges_planes ? 0 : p * halo_->nodes().num_all;
      for (std::int64_t u = 0; u < n; ++u) {
        pieces.add((p * n + u) * width, width, (before + halo_->nodes().places[at(u)]) * width);
      }
    }
    return known = pieces.take();
  }

  /// For a matrix whose rows of ghosts are complete or not used.
  std::shared_ptr<const PlacedDropout::Pieces> entry_pieces(const SparseMatrix& matrix,
                                                            const engine::Shape& shape) {
    const std::int64_t entries = matrix.num_entries();
    const std::int64_t width = entries > 0 ? engine::num_numbers(shape) / entries : 1;
    auto& known = entry_pieces_[{matrix.cols().data(), matrix.row_offsets().data(), width}];
    if (known) return known;
    const std::vector<std::int64_t>& begins = matrix.row_offsets();
    std::vector<std::int64_t> counts;
    for (std::size_t u = 0; u + 1 < begins.size(); ++u) counts.push_back(begins[u + 1] - begins[u]);
    const std::vector<std::int64_t> starts = halo_->offsets(counts);
    PieceWriter pieces;
    for (std::size_t u = 0; u < counts.size(); ++u) {
      pieces.add(begins[u] * width, counts[u] * width, starts[u] * width);
    }
    return known = pieces.take();
  }

  /// drop(X) W: the entries of X become learned values of a product.
  Value feature_product(Program& program, const PartRule& rule, const Value& weight) {
    const SparseMatrix& matrix = *rule.entries;
    auto& numbers = features_[matrix.cols().data()];
    if (!numbers) {
      std::vector<double> values = matrix.values();
      if (values.empty()) values.assign(at(matrix.num_entries()), 1);
      numbers = std::make_shared<const engine::Constant>(std::move(values));
    }
    const engine::Shape shape = {matrix.num_entries()};
    const Value values = program.constant(shape, numbers);
    const auto dropout = std::make_shared<PlacedDropout>(*rule.dropout, entry_pieces(matrix, shape),
                                                         DropoutHash::kFeatures);
    const Value dropped = program.append(dropout, {values}).front();
    const PartRule complete = {.result = PartRule::Result::kAllRows, .kind = RowKind::kNodes};
    return append(program, engine::spmm_operator(matrix), complete, {dropped, weight}).front();
  }

  std::shared_ptr<const Halo> halo_;
  std::map<int, Rows> rows_;  // of roots
  using Pieces = std::shared_ptr<const PlacedDropout::Pieces>;
  std::map<std::tuple<std::int64_t, std::int64_t, bool>, Pieces> node_pieces_;
  std::map<std::tuple<const void*, const void*, std::int64_t>, Pieces> entry_pieces_;
  std::map<const void*, std::shared_ptr<const engine::Constant>> features_;
};

}  // namespace

std::shared_ptr<engine::Rewriter> part_rewriter(std::shared_ptr<const Halo> halo) {
  return std::make_shared<PartRewriter>(std::move(halo));
}

std::vector<Fetch> fetches(const Program& program) {
  std::vector<Fetch> result;
  for (const engine::Step& step : program.steps()) {
    const auto* fetch = dynamic_cast<const FetchRows*>(step.op.get());
    if (fetch == nullptr) continue;
    const std::int64_t numbers = fetch->planes() * fetch->width(step.shapes[0]);
    result.push_back({fetch->kind(), numbers, step.is_backward});
  }
  return result;
}

std::int64_t bytes_sent(const std::vector<Fetch>& fetches, const Halo& halo,
                        std::int64_t bytes_per_number) {
  std::int64_t numbers = 0;
  for (const Fetch& fetch : fetches) {
    const std::int64_t rows =
        fetch.is_backward ? halo.num_ghost_rows(fetch.kind) : halo.num_sent_rows(fetch.kind);
    numbers += rows * fetch.numbers;
  }
  return numbers * bytes_per_number;
}

}  // namespace dsnn
