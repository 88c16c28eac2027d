/* The study 'accuracy' as a whole: its scan, its tables, the order of its parts. */
#include "apps/study/accuracy/accuracy.h"
#include "geometry/grid.h"

static gt_status from_file(study *s, const study_options *o, const char *path)
{
	gt_projections *p = NULL;
	gt_status st = GT_OK;
	GT_TRY(cli_read_scan(s->call, path, CLI_GEOMETRY, &p));
	const gt_scan *scan = gt_projections_scan(p);
	GT_TRY(cli_grid(s->call, o->grid, NULL, scan, &s->grid));
	snprintf(s->geometry, sizeof s->geometry, "%s%s", path, s->quick ? ", made coarser" : "");
	if (!s->quick) {
		st = gt_scan_clone(scan, &s->scan);
		goto done;
	}
	GT_TRY(gt_scan_coarsen(scan, 124, 8, 112, &s->scan));
	gt_grid coarse;
	char text[256];
	gt_grid_coarsen(&s->grid, 64, &coarse);
	s->grid = coarse;
	gt_grid_print(&s->grid, text, sizeof text);
	cli_note(s->call, "--quick: made coarser: grid %s, %zu views of %zu rows x %zu columns", text, s->scan->views, s->scan->rows,
	         s->scan->columns);
done:
	gt_projections_free(p);
	return st;
}

static gt_status measure(study *s)
{
	GT_OR_RETURN(study_find_variants(s));
	/* all but the head have references too */
	s->steps = study_times_steps(s) + 11 * study_count(s, IN_ACCURACY) + 2;
	study_begin_tables(s, STUDY_TIMES, STUDY_INTERPOLATION);
	return study_run_parts(s);
}

/* Tables and figures of the paper first, short ones before long ones, for --seconds. */
static const study_part order[] = {
	{ "bar", study_bar, 0 },
	{ "interpolation", study_interpolation, 0 },
	{ "ones", study_ones, 0 },
	{ "times", study_times, 0 },
	{ "few-slices", study_few_slices, 0 },
	{ "gups", study_gups, 1 },
	{ "views", study_views, 0 },
	{ "size", study_size, 0 },
	{ "slices", study_slices, 0 },
	{ "random", study_random_errors, 1 },
	{ "random-cube", study_cube_errors, 1 },
	{ "head", study_head_error, 1 },
};

/* The whole field of view of the paper's scanner, or a scan file. */
static gt_status prepare(study *s, const study_options *o)
{
	if (s->call->files > 1)
		return from_file(s, o, s->call->file[1]);
	const gt_status st = study_scanner(s, 0, 0.9765625);
	return st == GT_OK && o->grid ? cli_grid(s->call, o->grid, NULL, s->scan, &s->grid) : st;
}

#define OF_RANDOM                                                                                                   \
	"projector$|reference$|forward: relative RMS|largest / RMS of the values|largest / RMS of the errors|"      \
	"largest at row, column, view$|back: relative RMS|largest / RMS of the values|largest / RMS of the errors|" \
	"largest at x, y, z$"
#define OF_BAR "position on the detector [mm]|exact [mm]|..."
#define OF_DIFFERENCES "position on the detector [mm]|..."
static const study_columns tables[] = {
	{ "times", "projector$|forward total [s]|speed-up|forward kernels [s]|speed-up|forward [GUPS]|back total [s]|speed-up|back kernels "
	           "[s]|speed-up|back [GUPS]" },
	{ "gups", "projector$|forward [GUPS]|back [GUPS]|forward [s]|back [s]" },
	{ "views-forward", "views|..." },
	{ "views-back", "views|..." },
	{ "size-forward", "voxels along x and y|..." },
	{ "size-back", "voxels along x and y|..." },
	{ "slices-forward", "rows and slices|..." },
	{ "slices-back", "rows and slices|..." },
	{ "few-slices-forward", "rows and slices|..." },
	{ "few-slices-back", "rows and slices|..." },
	{ "forward-errors", "projector$|reference$|RMSE [mm]|relative|largest [mm]" },
	{ "forward-0", "..." },
	{ "forward-45", "..." },
	{ "back-errors", "projector$|reference$|one view: RMSE [mm]|one view: relative|one view: largest [mm]|all views: RMSE [mm]|"
	                 "all views: relative|all views: largest [mm]" },
	{ "random", OF_RANDOM },
	{ "random-cube", OF_RANDOM },
	{ "bar-errors", "projector$|largest from the model in double at 30° [%]|largest from the model in double at 45° [%]|"
	                "largest from the model in double at 179.5° [%]|largest from exact at 30° [%]|largest from exact at 45° "
	                "[%]|largest from exact at 179.5° [%]" },
	{ "bar-1", OF_BAR },
	{ "bar-2", OF_BAR },
	{ "bar-3", OF_BAR },
	{ "bar-differences-1", OF_DIFFERENCES },
	{ "bar-differences-2", OF_DIFFERENCES },
	{ "bar-differences-3", OF_DIFFERENCES },
	{ "head", "projector$|RMSE of line integrals|relative|largest|mean difference" },
	{ "interpolation", "position between two texels|exact|texture unit with 8 bits|..." },
};

static void drop(study *s) { free(accuracy_of(s)->variant); }

const study_kind study_kind_accuracy = {
	.name = "accuracy",
	.title = "Projectors: cost and accuracy",
	.intro = "The time of projection and backprojection with every projector and device of this machine, and their accuracy against "
		 "their models in double precision and against exact line integrals. The experiments are those of R. Liu, L. Fu, B. De "
		 "Man, H. Yu, “GPU-based branchless distance-driven projection and backprojection”, IEEE Transactions on Computational "
		 "Imaging 3 (2017), section IV, A and B.",
	.table = tables,
	.tables = sizeof tables / sizeof *tables,
	.own_size = sizeof(study_accuracy_own),
	.takes = TAKES_SCAN | TAKES_GRID | TAKES_SECONDS | TAKES_CASE,
	.order = order,
	.orders = sizeof order / sizeof *order,
	.drop = drop,
	.prepare = prepare,
	.measure = measure,
	.figures = study_accuracy_figures,
	.parts = study_accuracy_parts,
};
