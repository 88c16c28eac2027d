/* Opens an address in the user's browser. The grandchild is not waited for, so that the command continues. */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include "apps/cli/cli.h"

static int is_set(const char *name)
{
	const char *value = getenv(name);
	return value && *value;
}

void cli_open_in_browser(const char *address)
{
	const char *program = is_set("BROWSER") ? getenv("BROWSER") : "xdg-open";
	if (!is_set("BROWSER") && !is_set("DISPLAY") && !is_set("WAYLAND_DISPLAY"))
		return;
	const pid_t child = fork();
	if (child < 0)
		return;
	if (child > 0) {
		waitpid(child, NULL, 0);
		return;
	}
	if (fork() == 0) {
		const int none = open("/dev/null", O_RDWR);
		setsid();
		for (int k = 0; k < 3 && none >= 0; k++)
			dup2(none, k);
		execlp(program, program, address, (char *)NULL);
		_exit(127);
	}
	_exit(0);
}
