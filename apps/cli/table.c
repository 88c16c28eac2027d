/* The commands, in the order of `gantry help`. A new one: its file and a line here. */
#include <string.h>
#include "apps/cli/cli.h"

#define COMMANDS(X)    \
	X(simulate)    \
	X(import)      \
	X(info)        \
	X(project)     \
	X(backproject) \
	X(recon)       \
	X(rabbitct)    \
	X(compare)     \
	X(convert)     \
	X(view)        \
	X(adjoint)     \
	X(bench)       \
	X(study)       \
	X(devices)     \
	X(help)

#define X(name) extern const cli_command cli_##name;
COMMANDS(X)
#undef X
#define X(name) &cli_##name,
const cli_command *const cli_commands[] = { COMMANDS(X) NULL };
#undef X

const cli_command *cli_command_find(const char *name)
{
	for (const cli_command *const *c = cli_commands; *c; c++)
		if (!strcmp((*c)->name, name))
			return *c;
	return NULL;
}
