/* Table of all preparation steps in their order: steps on transmissions precede steps on line integrals, and zingers
 * precede rings. */
#include <gantry/prepare.h>
#include "core/module.h"

#define PREPARATIONS(X)   \
	X(lag)            \
	X(views)          \
	X(crop)           \
	X(bad_pixels)     \
	X(dynamic_flats)  \
	X(air)            \
	X(zingers)        \
	X(scatter)        \
	X(phase)          \
	X(bin)            \
	X(beam_hardening) \
	X(rings)          \
	X(metal)          \
	X(extend)

#define DECLARE(name) extern const gt_preparation gt_preparation_##name;
#define LIST(name) &gt_preparation_##name,
PREPARATIONS(DECLARE)
const gt_preparation *const gt_preparations[] = { PREPARATIONS(LIST) NULL };

static const gt_module *nth(size_t i) { return (const gt_module *)gt_preparations[i]; }
const gt_module_kind gt_preparation_kind = { "preparation", "step", nth };
