#include "tests/properties/property.h"

namespace attest::properties {

std::vector<Property> visibility_properties() { return {}; }

}  // namespace attest::properties
