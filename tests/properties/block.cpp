#include "tests/properties/property.h"

namespace attest::properties {

std::vector<Property> block_properties() { return {}; }

}  // namespace attest::properties
