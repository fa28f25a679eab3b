#include <algorithm>

#include "attention/error.h"
#include "attention/spelling.h"
#include "tests/properties/property.h"

namespace attest::properties {
namespace {

std::vector<Property> gather() {
  std::vector<Property> all;
  for (auto* subject :
       {truth_properties, readout_properties, visibility_properties, invariance_properties,
        scaling_properties, composition_properties, memory_properties, block_properties})
    for (Property& property : subject()) all.push_back(std::move(property));
  return all;
}

}  // namespace

std::span<const Property> all_properties() {
  static const std::vector<Property> all = gather();
  return all;
}

const Property& property_named(std::string_view id) {
  std::vector<std::string_view> ids;
  for (const Property& property : all_properties()) {
    if (property.id == id) return property;
    ids.emplace_back(property.id);
  }
  throw InputError("property", "\"" + std::string(id) + "\"", listed(ids) + did_you_mean(id, ids));
}

}  // namespace attest::properties
