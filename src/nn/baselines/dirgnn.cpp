// H(t+1) = relu(S(t) + alpha OUT(H(t)) + (1 - alpha) IN(H(t))): messages along and against arcs
// have separate weights. GCN: OUT(H) = R^-1/2 A C^-1/2 H W with out-degrees R and
// in-degrees C, and IN the same of A^T; SAGE: means over the neighbours of either kind, and
// S = H W; GAT: attention over them. The logits are a linear map of all layers concatenated, of
// their maximum or of the last layer. Dropout and then normalisation come after relu, not before
// the first layer, as in the authors' code.
#include "dsnn/engine/operators/arithmetic.h"
#include "dsnn/engine/operators/columns.h"
#include "dsnn/engine/operators/sparse.h"
#include "dsnn/nn/adjacency.h"
#include "dsnn/nn/attention.h"
#include "dsnn/nn/layers.h"

#include <fmt/format.h>

namespace dsnn::nn {
namespace {

using namespace engine;

class DirGnn final : public Model {
 public:
  explicit DirGnn(const ModelSetup& setup)
      : dropout_(setup.config.number("dropout")),
        conv_(setup.config.word("conv")),
        jumping_(setup.config.word("jk")),
        normalises_(setup.config.flag("normalise")) {
    const LayerSizes sizes(setup);
    Random& random = setup.random;
    for (std::int64_t t = 0; t < sizes.layers; ++t) {
      const std::string name = fmt::format("layer{}", t);
      const std::int64_t inputs = sizes.inputs(t), outputs = sizes.channels;
      Layer& layer = layers_.emplace_back();
      if (conv_ == "sage") {
        layer.self = make_linear(weights(), name + ".self", inputs, outputs, random);
      }
      for (const char* direction : {"out", "in"}) {
        Direction& d = direction == std::string("out") ? layer.out : layer.in;
        d.linear =
            make_linear(weights(), fmt::format("{}.{}", name, direction), inputs, outputs, random);
        if (conv_ == "gat") {
          d.attention =
              Attention(weights(), fmt::format("{}.{}", name, direction), 1, outputs, random);
        }
      }
    }
    if (setup.config.is_word("alpha")) {
      constexpr double kFirst = 0.5;
      alpha_ = weights().add("alpha", {}, {kFirst});
    } else {
      fixed_alpha_ = setup.config.number("alpha");
    }
    const std::int64_t width = jumping_ == "cat" ? sizes.layers * sizes.channels : sizes.channels;
    output_ = make_linear(weights(), "output", width, sizes.num_classes, random);
  }

  Value forward(const Input& input, const Pass& pass) const override {
    const bool has_loops = conv_ == "gat";
    const Scaling scaling = has_loops         ? Scaling::kNone
                            : conv_ == "sage" ? Scaling::kRows
                                              : Scaling::kSymmetric;
    const SparseMatrix& out = adjacency(input, {Neighbours::kOut, has_loops, scaling});
    const SparseMatrix& in = adjacency(input, {Neighbours::kIn, has_loops, scaling});
    Dropouts drop(pass);
    // alpha and 1 - alpha
    const Value alpha = alpha_.is_there() ? pass.program.parameter(alpha_)
                                          : pass.program.constant({}, {fixed_alpha_});
    const Value rest = 1 - alpha;
    LayerInput h(input, pass, {});
    std::vector<Value> all;
    for (std::size_t t = 0; t < layers_.size(); ++t) {
      const Layer& layer = layers_[t];
      const Value of_in = times_number(gather(layer.in, h, in), rest);
      const Value of_out = times_number(gather(layer.out, h, out), alpha);
      Value next = of_out + of_in;
      if (conv_ == "sage") next = next + h.times(layer.self);
      if (t + 1 < layers_.size() || jumping_ != "none") {
        next = drop(relu(next), dropout_);
        if (normalises_) next = unit_rows(next);
      }
      pass.show(fmt::format("layer {}", t + 1), next);
      all.push_back(next);
      h = LayerInput(next);
    }
    return output_(jumping_knowledge(jumping_, all));
  }

 private:
  struct Direction {
    Linear linear;
    Attention attention;
  };
  struct Layer {
    Linear self;
    Direction out, in;
  };

  Value gather(const Direction& direction, const LayerInput& h, const SparseMatrix& a) const {
    const Value x = h.times(direction.linear.weight);
    const Value y = conv_ == "gat" ? direction.attention(x, a) : spmm(x, a);
    return bias_activation(y, direction.linear.bias, StalkActivation::kIdentity);
  }

  double dropout_;
  std::string conv_, jumping_;
  bool normalises_;
  double fixed_alpha_ = 0;
  Weight alpha_;  // where it is learned
  std::vector<Layer> layers_;
  Linear output_;
};

}  // namespace

ModelDefinition dirgnn_model() {
  std::vector<Parameter> parameters = common_parameters(3, 64, 0);
  describe(parameters, "dropout", "Dropout on the output of every layer that has an activation");
  parameters.push_back(
      {"conv", std::string("gcn"), "Aggregation of messages", {"gcn", "sage", "gat"}});
  parameters.push_back({"alpha", 0.5, "Share of messages from out-neighbours", {"learn"}, 0, 1});
  parameters.push_back(jumping_knowledge_parameter("max"));
  parameters.push_back({"normalise", false, "Normalise the rows of hidden layers to length 1"});
  return {{.name = "dirgnn",
           .family = "directed",
           .title = "Dir-GNN: separate weights for in- and out-neighbours",
           .reference = "Rossi et al., Edge Directionality Improves Learning on Heterophilic "
                        "Graphs",
           .year = 2023,
           .uses_direction = true,
           .parameters = parameters},
          maker<DirGnn>()};
}

}  // namespace dsnn::nn
