#pragma once

#include "dsnn/export.h"
#include "dsnn/sheaf/laplacian.h"
#include "dsnn/sheaf/options.h"
#include "dsnn/sheaf/sheaf.h"

#include <span>
#include <string>
#include <vector>

namespace dsnn {

/// The name of an enum value in commands, configurations and files.
template <class Enum>
struct EnumName {
  Enum value;
  const char* name;
};

/// All values of an enum with their names; one table each, for reading, writing and listing.
DSNN_API std::span<const EnumName<MapFamily>> names_of(MapFamily);
DSNN_API std::span<const EnumName<Normalisation>> names_of(Normalisation);
DSNN_API std::span<const EnumName<MapActivation>> names_of(MapActivation);
DSNN_API std::span<const EnumName<OrthogonalMethod>> names_of(OrthogonalMethod);
DSNN_API std::span<const EnumName<StalkActivation>> names_of(StalkActivation);

/// The name of a value.
template <class Enum>
const char* name_of(Enum value) {
  for (const EnumName<Enum>& entry : names_of(value)) {
    if (entry.value == value) return entry.name;
  }
  return "";
}

/// The value with this name; the fallback if the name is unknown.
template <class Enum>
Enum value_of_name(const std::string& name, Enum fallback) {
  for (const EnumName<Enum>& entry : names_of(fallback)) {
    if (entry.name == name) return entry.value;
  }
  return fallback;
}

/// All names.
template <class Enum>
std::vector<std::string> all_names() {
  std::vector<std::string> names;
  for (const EnumName<Enum>& entry : names_of(Enum{})) names.emplace_back(entry.name);
  return names;
}

}  // namespace dsnn
