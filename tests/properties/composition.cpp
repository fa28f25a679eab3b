#include "tests/properties/property.h"

namespace attest::properties {

std::vector<Property> composition_properties() { return {}; }

}  // namespace attest::properties
