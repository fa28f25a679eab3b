#include "tests/properties/property.h"

namespace attest::properties {

std::vector<Property> scaling_properties() { return {}; }

}  // namespace attest::properties
