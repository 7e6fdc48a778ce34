#include "dsnn/sheaf/names.h"

namespace dsnn {
namespace {

constexpr EnumName<MapFamily> kFamilies[] = {{MapFamily::kDiagonal, "diagonal"},
                                             {MapFamily::kOrthogonal, "orthogonal"},
                                             {MapFamily::kGeneral, "general"}};
constexpr EnumName<Normalisation> kNormalisations[] = {{Normalisation::kNone, "none"},
                                                       {Normalisation::kExact, "exact"},
                                                       {Normalisation::kAugmented, "augmented"},
                                                       {Normalisation::kDegree, "degree"}};
constexpr EnumName<MapActivation> kMapActivations[] = {{MapActivation::kIdentity, "identity"},
                                                       {MapActivation::kTanh, "tanh"},
                                                       {MapActivation::kElu, "elu"},
                                                       {MapActivation::kRelu, "relu"}};
constexpr EnumName<OrthogonalMethod> kMethods[] = {{OrthogonalMethod::kHouseholder, "householder"},
                                                   {OrthogonalMethod::kCayley, "cayley"},
                                                   {OrthogonalMethod::kMatrixExp, "matrix_exp"},
                                                   {OrthogonalMethod::kEuler, "euler"}};
constexpr EnumName<StalkActivation> kStalkActivations[] = {{StalkActivation::kIdentity, "none"},
                                                           {StalkActivation::kRelu, "relu"},
                                                           {StalkActivation::kElu, "elu"}};

}  // namespace

std::span<const EnumName<MapFamily>> names_of(MapFamily) { return kFamilies; }
std::span<const EnumName<Normalisation>> names_of(Normalisation) { return kNormalisations; }
std::span<const EnumName<MapActivation>> names_of(MapActivation) { return kMapActivations; }
std::span<const EnumName<OrthogonalMethod>> names_of(OrthogonalMethod) { return kMethods; }
std::span<const EnumName<StalkActivation>> names_of(StalkActivation) { return kStalkActivations; }

}  // namespace dsnn
