/* Starts the GPUs of a team in a background thread (core/device/prefetch.h). Their access to each other, once enabled,
 * outlives the team that enables it. */
#include <stdio.h>
#include <string.h>
#include "core/device/prefetch.h"
#include "team/process_group.h"
#include "team/team_impl.h"

static void start_team(const char *spec)
{
	gt_team *t = NULL;
	if (gt_team_open_now(spec, &t) == GT_OK)
		gt_team_close(t);
}

/* The GPU that this process takes if it takes one, without asking the driver; empty: unknown. */
static void name_own(const char *spec, char name[32])
{
	const char *text = spec[3] && spec[4] ? spec + 4 : "auto";
	gt_transport_position place;
	*name = 0;
	if ((!strcmp(text, "auto") || !strcmp(text, "cuda")) && gt_transport_is_launched() && gt_group_join(&place) == GT_OK)
		snprintf(name, 32, "cuda:%d", place.local);
}

void gt_team_prefetch(const char *spec)
{
	char name[32];
	if (gt_processes_are_spec(spec)) {
		name_own(spec, name);
		if (*name)
			gt_backend_prefetch(name);
	} else if (!gt_team_is_spec(spec)) {
		gt_backend_prefetch(spec);
	} else if (!strncmp(spec, "cuda:", 5)) {
		gt_backend_prefetch_by(start_team, spec);
	}
}
