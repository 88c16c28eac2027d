/* The commands in the groups and the order of `gantry help`. A new command needs its file and its name in a group. */
#include <string.h>
#include "apps/cli/cli.h"

#define RECONSTRUCT(X) X(recon) X(simulate) X(project) X(backproject) X(denoise)
#define PREPARE(X) X(geometry) X(prepare) X(calibrate)
#define LOOK(X) X(info) X(view) X(compare) X(measure)
#define CONVERT(X) X(import) X(convert)
#define CHECK(X) X(adjoint) X(devices)
#define MEASURE(X) X(bench) X(study) X(rabbitct) X(tune)
#define ASK(X) X(help)
#define COMMANDS(X) RECONSTRUCT(X) PREPARE(X) LOOK(X) CONVERT(X) CHECK(X) MEASURE(X) ASK(X)

#define X(name) extern const cli_command cli_##name;
COMMANDS(X)
#undef X
#define X(name) &cli_##name,
const cli_command *const cli_commands[] = { COMMANDS(X) NULL };
#undef X

#define X(name) +1
const cli_command_group cli_groups[] = {
	{ "Reconstruct and simulate", RECONSTRUCT(X) },
	{ "Correct a scan", PREPARE(X) },
	{ "Inspect files", LOOK(X) },
	{ "Convert files", CONVERT(X) },
	{ "Check operators and devices", CHECK(X) },
	{ "Measure speed and accuracy", MEASURE(X) },
	{ "Help", ASK(X) },
	{ NULL, 0 },
};
#undef X

const cli_command *cli_command_find(const char *name)
{
	for (const cli_command *const *c = cli_commands; *c; c++)
		if (!strcmp((*c)->name, name))
			return *c;
	return NULL;
}
