#include "tests/properties/property.h"

namespace attest::properties {

std::vector<Property> invariance_properties() { return {}; }

}  // namespace attest::properties
