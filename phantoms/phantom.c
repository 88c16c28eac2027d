/* Creates a phantom from a name or a path. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "core/arguments.h"
#include "core/files/opener.h"
#include "core/try.h"
#include "phantoms/solids.h"

#define INFO(build, name, about) { name, about },
const gt_phantom_info gt_phantom_list[] = { GT_PHANTOM_TABLE(INFO){ NULL, NULL } };
#undef INFO

#define BUILD(build, name, about) gt_phantom_build_##build,
static gt_status (*const builders[])(gt_phantom *) = { GT_PHANTOM_TABLE(BUILD) };
#undef BUILD

const gt_phantom_options gt_phantom_defaults = { .water = 0.02, .scale = 1 };

static gt_status check_options(const gt_phantom_options *o)
{
	if (!(o->water > 0) || isinf(o->water))
		return gt_fail(GT_ERR_ARG, "water=%g: expected a positive attenuation in mm^-1", o->water);
	if (!(o->scale >= 1e-6 && o->scale <= 1e6))
		return gt_fail(GT_ERR_ARG, "scale=%g: expected a factor from 1e-6 to 1e6", o->scale);
	if (!isfinite(o->shift[0]) || !isfinite(o->shift[1]) || !isfinite(o->shift[2]))
		return gt_fail(GT_ERR_ARG, "shift=%g,%g,%g: expected finite numbers in mm", o->shift[0], o->shift[1], o->shift[2]);
	if (!isfinite(o->rotate))
		return gt_fail(GT_ERR_ARG, "rotate=%g: expected a finite angle in rad", o->rotate);
	return GT_OK;
}

enum { MAX_BYTES = 16 << 20 };

/* Reads a path that is not a name of the table. A bare word without a file is reported as an unknown name. */
static gt_status read_file(const char *what, gt_phantom *p)
{
	FILE *file;
	const gt_status opened = gt_file_text(what, MAX_BYTES, &file);
	if (opened != GT_OK) {
		if (strpbrk(what, "/.") || access(what, F_OK) == 0)
			return gt_fail_in(opened, "cannot read the file of shapes");
		char names[512] = "";
		for (size_t i = 0; gt_phantom_list[i].name; i++) {
			const size_t used = strlen(names);
			snprintf(names + used, sizeof names - used, "%s%s", i ? ", " : "", gt_phantom_list[i].name);
		}
		return gt_fail(GT_ERR_UNKNOWN, "no phantom and no file named '%s': expected a file of shapes or one of %s", what, names);
	}
	const gt_status st = gt_phantom_read(file, what, p);
	fclose(file);
	return st;
}

gt_status gt_phantom_new(const char *what, const gt_phantom_options *o, gt_phantom **out)
{
	GT_NEED(what);
	GT_NEED(out);
	gt_status st = GT_OK;
	gt_phantom *p = NULL;
	size_t i = 0;
	*out = NULL;
	o = o ? o : &gt_phantom_defaults;
	GT_TRY(check_options(o));
	GT_TRY(gt_solids_new(&p));
	while (gt_phantom_list[i].name && strcmp(gt_phantom_list[i].name, what))
		i++;
	GT_TRY(gt_phantom_list[i].name ? builders[i](p) : read_file(what, p));
	GT_TRY(gt_solids_finish(p, o));
	*out = p;
	p = NULL;
done:
	gt_phantom_free(p);
	return st;
}
