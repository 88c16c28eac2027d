#ifndef GT_SOLVERS_STEPS_OPTIONS_H
#define GT_SOLVERS_STEPS_OPTIONS_H
/* Private to solvers/. Parameter table lines of a solver whose `struct options` has these members. */
#include <stddef.h>
#include <gantry/author/params.h>

#define OPTION_REAL(id, text, low, high) \
	{ .key = #id, .help = text, .kind = GT_REAL, .at = offsetof(struct options, id), .min = low, .max = high }
#define OPTION_INT(id, text, low, high) \
	{ .key = #id, .help = text, .kind = GT_INT, .at = offsetof(struct options, id), .min = low, .max = high }
#define OPTION_FLAG(id, text) { .key = #id, .help = text, .kind = GT_FLAG, .at = offsetof(struct options, id) }
#define OPTION_CHOICE(id, text, words) \
	{ .key = #id, .help = text, .kind = GT_CHOICE, .at = offsetof(struct options, id), .names = words }
#endif
