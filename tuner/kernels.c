/* Table of tunable kernels. */
#include "tuner/kernels.h"
#include <string.h>
#include "core/text.h"
#include "tuner/tuner.h"

static const gt_tunable kernels[] = {
	{ "dd-forward", "dd", 0, 0, 0 },         { "dd-back", "dd", 1, 0, 0 },
	{ "sf-forward", "sf-tr", 0, 0, 0 },      { "sf-back", "sf-tr", 1, 0, 0 },
	{ "joseph-forward", "joseph", 0, 0, 0 }, { "joseph-back", "joseph", 1, 0, 0 },
	{ "fdk-published", NULL, 1, 1, 1 },
};
enum { KERNELS = sizeof kernels / sizeof *kernels };

const char *gt_tune_kernel_name(size_t i) { return i < KERNELS ? kernels[i].name : NULL; }

const char *gt_tune_kernel_of(const char *projector, int back)
{
	const size_t n = strcspn(projector, ":");
	for (int i = 0; i < KERNELS; i++)
		if (kernels[i].projector && strlen(kernels[i].projector) == n && !strncmp(kernels[i].projector, projector, n) &&
		    kernels[i].back == back)
			return kernels[i].name;
	return NULL;
}

gt_status gt_tunable_find(const char *name, const gt_tunable **k)
{
	char names[200] = "";
	for (int i = 0; i < KERNELS; i++) {
		*k = &kernels[i];
		if (!strcmp(kernels[i].name, name))
			return GT_OK;
		gt_snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s",
		            i == 0            ? ""
		            : i + 1 < KERNELS ? ", "
		                              : " or ",
		            kernels[i].name);
	}
	return gt_fail(GT_ERR_UNKNOWN, "no kernel \"%s\" that can be tuned: expected %s", name, names);
}
