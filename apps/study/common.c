/* Functions that several studies share. */
#include "apps/study/study.h"
#include "geometry/grid.h"

/* Adds the last step to the table of steps. */
static void end_step(study *s)
{
	study_table *t = &s->table[STUDY_STEPS];
	if (t->columns && *s->step)
		study_row(t, TXT(s->step), NUM(app_seconds() - s->step_started));
}

void study_step(study *s, const char *format, ...)
{
	va_list args;
	end_step(s);
	va_start(args, format);
	vsnprintf(s->doing, sizeof s->doing, format, args);
	va_end(args);
	memcpy(s->step, s->doing, sizeof s->step);
	s->step_started = app_seconds();
	const double done = (double)s->done++ / (double)s->steps;
	app_progress_fraction(&s->progress, done);
}

char *study_format(char *buffer, size_t bytes, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	vsnprintf(buffer, bytes, format, args);
	va_end(args);
	return buffer;
}

char *study_spec(char *buffer, const char *spec, const char *format, ...)
{
	va_list args;
	if (buffer != spec)
		study_format(buffer, STUDY_PATH, "%s", spec);
	const size_t n = strlen(buffer);
	study_format(buffer + n, STUDY_PATH - n, strchr(buffer, ':') ? "," : ":");
	va_start(args, format);
	vsnprintf(buffer + strlen(buffer), STUDY_PATH - strlen(buffer), format, args);
	va_end(args);
	return buffer;
}

char *study_print(const char *format, va_list args)
{
	char *text = NULL;
	return vasprintf(&text, format, args) < 0 ? NULL : text;
}

gt_status study_new(size_t n, size_t size, void *items)
{
	void *memory = calloc(n ? n : 1, size);
	memcpy(items, &memory, sizeof memory);
	return memory ? GT_OK : gt_fail(GT_ERR_MEMORY, "%zu items of %zu bytes: out of memory", n, size);
}

int study_grow(void *items, size_t used, size_t *capacity, size_t size)
{
	const size_t more = *capacity ? 2 * *capacity : 64;
	void *memory;
	if (used < *capacity)
		return 1;
	memcpy(&memory, items, sizeof memory);
	if (!(memory = realloc(memory, more * size)))
		return 0;
	memcpy(items, &memory, sizeof memory);
	*capacity = more;
	return 1;
}

gt_status study_host_floats(size_t n, const char *what, float **x)
{
	GT_OR_RETURN(gt_host_has_memory((double)n * sizeof **x, what));
	*x = malloc(n * sizeof **x);
	return *x ? GT_OK : gt_fail(GT_ERR_MEMORY, "%s: need %.3g MB", what, (double)n * 4e-6);
}

gt_status study_random(study *s, size_t n, const float **x)
{
	if (s->randoms < n) {
		free(s->random);
		s->random = NULL;
		s->randoms = 0;
		GT_OR_RETURN(study_host_floats(n, "random numbers", &s->random));
		s->randoms = n;
		app_fill_random(s->random, n);
	}
	*x = s->random;
	return GT_OK;
}

gt_status study_pick(const gt_scan *scan, const size_t *view, size_t n, gt_scan **out)
{
	gt_scan *part = NULL;
	GT_OR_RETURN(gt_scan_new(scan->shape, n, scan->rows, scan->columns, &part));
	gt_view *const views = part->view;
	*part = *scan;
	part->views = n;
	part->view = views;
	for (size_t i = 0; i < n; i++)
		views[i] = scan->view[view[i]];
	*out = part;
	return GT_OK;
}

gt_status study_spread(const gt_scan *scan, size_t n, gt_scan **part)
{
	size_t *view;
	GT_OR_RETURN(study_new(n, sizeof *view, &view));
	for (size_t i = 0; i < n; i++)
		view[i] = i * scan->views / n;
	const gt_status st = study_pick(scan, view, n, part);
	free(view);
	return st;
}

static gt_status new_phantom(study *s, const study_object *o, gt_phantom **phantom)
{
	const char *file = FORMAT("%s.shapes", o->name);
	FILE *out = NULL;
	if (!o->statements)
		return gt_phantom_new(o->name, o->options, phantom);
	GT_OR_RETURN(study_open(&s->folder, file, &out));
	fputs(o->statements, out);
	GT_OR_RETURN(study_close(file, out));
	return gt_phantom_new(PATH("%s/%s", s->folder.tmp, file), o->options, phantom);
}

gt_status study_simulate(study *s, const study_object *o, const gt_scan *scan, int rays, float **lines, const gt_grid *grid, float **voxels)
{
	enum { POINTS = 4 }; /* along each side of a voxel */
	gt_phantom *phantom = NULL;
	gt_pool *pool = NULL;
	gt_status st = GT_OK;
	GT_TRY(new_phantom(s, o, &phantom));
	GT_TRY(gt_pool_new(s->threads, &pool));
	if (voxels) {
		GT_TRY(study_host_floats(gt_grid_voxels(grid), "the voxels of a phantom", voxels));
		GT_TRY(gt_phantom_voxelise(phantom, grid, POINTS, pool, NULL, NULL, *voxels));
	}
	GT_TRY(study_host_floats(gt_scan_size(scan), "line integrals", lines));
	GT_TRY(gt_phantom_project(phantom, scan, rays, pool, NULL, NULL, *lines));
done:
	gt_pool_free(pool);
	gt_phantom_free(phantom);
	return st;
}

gt_status study_phantom_radius(const char *name, double *radius)
{
	gt_phantom *phantom = NULL;
	const gt_status st = gt_phantom_new(name, NULL, &phantom);
	if (st == GT_OK)
		*radius = gt_phantom_radius(phantom);
	gt_phantom_free(phantom);
	return st;
}

void study_add_margin(gt_grid *grid, const gt_scan *scan, size_t *below)
{
	size_t above;
	gt_grid_margin(grid, scan, below, &above);
	grid->n[2] += *below + above;
	grid->center[2] += ((double)above - (double)*below) / 2 * grid->pitch[2];
}

gt_status study_scanner(study *s, size_t views, double pitch)
{
	const gt_scanner *scanner = gt_scanner_find("ge-ct750hd");
	const size_t by = s->quick ? STUDY_QUICK : 1;
	s->orbit = scanner->orbit;
	if (views)
		s->orbit.views = views;
	s->full = s->orbit;
	gt_orbit_reduce(&s->orbit, by);
	s->grid = (gt_grid){ { 512 / by, 512 / by, 64 / by }, { pitch * (double)by, pitch * (double)by, 0.625 * (double)by }, { 0, 0, 0 } };
	snprintf(s->geometry, sizeof s->geometry, "scanner %s%s", scanner->name, s->quick ? " at an eighth of its size" : "");
	return gt_scan_orbit(&s->orbit, &s->scan);
}

void study_leave_out_as(study *s, const char *part, const char *name, const char *why)
{
	study_row(&s->table[STUDY_LEFT_OUT], TXT(part), TXT(name), TXT(why));
	cli_note(s->call, "%s, %s: left out: %s", part, name, why);
}

void study_leave_out(study *s, const char *part, const char *name) { study_leave_out_as(s, part, name, gt_error()); }

gt_status study_or_left_out(study *s, gt_status st, const char *part, const char *name)
{
	if (!app_left_out(st))
		return st;
	study_leave_out(s, part, name);
	return GT_OK;
}

int study_is_late(const study *s) { return s->seconds >= 0 && app_seconds() - s->started > s->seconds; }

gt_status study_run_parts(study *s)
{
	for (const study_part *p = s->kind->order; p < s->kind->order + s->kind->orders; p++)
		if (s->one && strcmp(s->one, p->name))
			continue;
		else if (p->whole && study_is_late(s))
			study_leave_out_as(s, p->name, "all", FORMAT("the %.0f s of --seconds were over", s->seconds));
		else
			GT_OR_RETURN(p->run(s));
	return GT_OK;
}

static const study_columns *columns_of(const study *s, size_t which)
{
	static const study_columns shared[STUDY_OWN] = { [STUDY_ABOUT] = { "about", "what$|value$" },
		                                         [STUDY_LEFT_OUT] = { "left-out", "part$|case$|why it is left out$" },
		                                         [STUDY_STEPS] = { "steps", "step$|time [s]" } };
	return which < STUDY_OWN ? &shared[which] : &s->kind->table[which - STUDY_OWN];
}

const char *study_table_name(const study *s, size_t which) { return columns_of(s, which)->name; }

const char *study_table_heads(const study *s, size_t which) { return columns_of(s, which)->heads; }

void study_begin_tables(study *s, int first, int last)
{
	for (int i = first; i <= last; i++)
		study_heads(&s->table[i], study_table_heads(s, (size_t)i));
}
