#include "tests/properties/property.h"

namespace attest::properties {

std::vector<Property> readout_properties() { return {}; }

}  // namespace attest::properties
