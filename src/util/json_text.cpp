#include "util/json_text.h"

#include <nlohmann/json.hpp>

#include <istream>

namespace dsnn {

using Json = nlohmann::ordered_json;

Json parse_json(const std::string& text) { return Json::parse(text, nullptr, false); }

Json parse_json(std::istream& stream) { return Json::parse(stream, nullptr, false); }

std::string json_text(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

}  // namespace dsnn
