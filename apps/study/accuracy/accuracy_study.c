/* The study 'accuracy' as a whole: its scan, its tables, the order of its parts. */
#include <stdlib.h>
#include "apps/cli/try.h"
#include "apps/study/accuracy/accuracy.h"
#include "geometry/grid.h"

static gt_status from_file(study *s, const study_options *o, const char *path)
{
	gt_projections *p = NULL;
	gt_scan *few = NULL;
	gt_grid coarse;
	gt_status st = GT_OK;
	GT_TRY(cli_read_scan(s->call, path, CLI_GEOMETRY, &p));
	const gt_scan *scan = gt_projections_scan(p);
	GT_TRY(cli_grid(s->call, o->grid, NULL, scan, &s->grid));
	snprintf(s->geometry, sizeof s->geometry, "%s%s", path, s->quick ? ", made coarser" : "");
	if (s->quick) {
		GT_TRY(gt_scan_coarsen(scan, 124, 8, 112, &few));
		gt_grid_coarsen(&s->grid, 64, &coarse);
		s->grid = coarse;
		s->scan = few;
		few = NULL;
		char text[256];
		gt_grid_print(&s->grid, text, sizeof text);
		cli_note(s->call, "--quick: made coarser: grid %s, %zu views of %zu rows x %zu columns", text, s->scan->views,
		         s->scan->rows, s->scan->columns);
	} else {
		GT_TRY(gt_scan_clone(scan, &s->scan));
	}
done:
	gt_scan_free(few);
	gt_projections_free(p);
	return st;
}

static gt_status measure_accuracy(study *s)
{
	gt_status st = GT_OK;
	GT_TRY(study_find_variants(s));
	s->steps = study_times_steps(s) + study_accuracy_steps(s) + study_random_steps(s) + study_bar_steps(s) + study_head_steps(s) + 1;
	GT_TRY(study_accuracy(s));
	GT_TRY(study_random_errors(s));
	GT_TRY(study_bar(s));
	GT_TRY(study_head_error(s));
	GT_TRY(study_times(s));
done:
	return st;
}

/* The whole field of view of the paper's scanner; or a scan file. */
static gt_status prepare_accuracy(study *s, const study_options *o)
{
	gt_status st = GT_OK;
	if (s->call->files > 1)
		return from_file(s, o, s->call->file[1]);
	GT_TRY(study_scanner(s, 0, 0.9765625));
	if (o->grid)
		GT_TRY(cli_grid(s->call, o->grid, NULL, s->scan, &s->grid));
done:
	return st;
}

static const char *const table_names[] = {
	[STUDY_TIMES - STUDY_OWN] = "times",
	[STUDY_GUPS - STUDY_OWN] = "gups",
	[STUDY_VIEWS_FORWARD - STUDY_OWN] = "views-forward",
	[STUDY_VIEWS_BACK - STUDY_OWN] = "views-back",
	[STUDY_SIZE_FORWARD - STUDY_OWN] = "size-forward",
	[STUDY_SIZE_BACK - STUDY_OWN] = "size-back",
	[STUDY_SLICES_FORWARD - STUDY_OWN] = "slices-forward",
	[STUDY_SLICES_BACK - STUDY_OWN] = "slices-back",
	[STUDY_FEW_FORWARD - STUDY_OWN] = "few-slices-forward",
	[STUDY_FEW_BACK - STUDY_OWN] = "few-slices-back",
	[STUDY_FORWARD_ERRORS - STUDY_OWN] = "forward-errors",
	[STUDY_FORWARD_0 - STUDY_OWN] = "forward-0",
	[STUDY_FORWARD_45 - STUDY_OWN] = "forward-45",
	[STUDY_BACK_ERRORS - STUDY_OWN] = "back-errors",
	[STUDY_RANDOM - STUDY_OWN] = "random",
	[STUDY_RANDOM_CUBE - STUDY_OWN] = "random-cube",
	[STUDY_BAR_ERRORS - STUDY_OWN] = "bar-errors",
	[STUDY_BAR - STUDY_OWN] = "bar-1",
	[STUDY_BAR + 1 - STUDY_OWN] = "bar-2",
	[STUDY_BAR + 2 - STUDY_OWN] = "bar-3",
	[STUDY_BAR_DIFFERENCES - STUDY_OWN] = "bar-differences-1",
	[STUDY_BAR_DIFFERENCES + 1 - STUDY_OWN] = "bar-differences-2",
	[STUDY_BAR_DIFFERENCES + 2 - STUDY_OWN] = "bar-differences-3",
	[STUDY_HEAD - STUDY_OWN] = "head",
};

static void drop(study *s) { free(accuracy_of(s)->variant); }

const study_kind study_kind_accuracy = {
	.name = "accuracy",
	.title = "Projectors: cost and accuracy",
	.intro =
		"The time of projection and backprojection with every projector and device of this machine, and how accurate each is against its\n"
		"model in double precision and against exact line integrals. The experiments are those of R. Liu, L. Fu, B. De Man, H. Yu, "
		"“GPU-based branchless distance-driven projection and backprojection”, IEEE Transactions on Computational "
		"Imaging 3 (2017), section IV, A and B.",
	.table_name = table_names,
	.tables = sizeof table_names / sizeof *table_names,
	.own_size = sizeof(study_accuracy_own),
	.drop = drop,
	.prepare = prepare_accuracy,
	.measure = measure_accuracy,
	.figures = study_accuracy_figures,
	.parts = study_accuracy_parts,
};
