/* Refused checkpoints: other runs, with the difference named, and files that cannot be read or written.
 * labels: unit */
#include "tests/recon/checkpointed.h"

/* A checkpoint is refused with this text. */
static void refused(const gt_run_identity *id, const char *text)
{
	gt_checkpointing c = { .resume = path };
	ck_refused(gt_checkpointing_open(&c, id), GT_ERR_UNSUPPORTED, text);
	ck_assert_ptr_nonnull(strstr(gt_error(), "run.nc: is of another run: "));
	gt_checkpointing_free(&c);
}

static void accepted(const gt_run_identity *id)
{
	gt_checkpointing c = { .resume = path };
	ck_ok(gt_checkpointing_open(&c, id));
	gt_checkpointing_free(&c);
}

GT_TEST(differences)
{
	gt_run_identity id;
	set_method("os-sart:iterations=8,order=golden");
	ck_ok(run(with_every(1), NULL, 2, NULL));
	id = identity();
	accepted(&id);
	p.data[17] += 1;
	refused(&id, "the measured data have the hash ");
	gt_test_random(1, gt_scan_size(problem.scan), p.data);
	const double pitch = problem.scan->column_pitch;
	problem.scan->column_pitch = 1.01 * pitch;
	refused(&id, "the scan's geometry has the hash ");
	problem.scan->column_pitch = pitch;
	grid.n[2] = 7;
	refused(&id, "the grid is 6x6x6@40x40x40, expected 6x6x7@40x40x40");
	grid.n[2] = 6;
	weights[3] += 1;
	refused(&id, "the values of the weights have the hash ");
	gt_test_random(2, gt_scan_size(problem.scan), weights);
	scan.w = NULL;
	refused(&id, ", expected none");
	id = identity();
	id.projector = "sf-tr";
	refused(&id, "the projector is dd, expected sf-tr; --projector dd continues it");
	id = identity();
	scan.weights = "uniform";
	refused(&id, "the weights are photons:count=1e5, expected uniform");
	id = identity();
	id.penalty = "huber:strength=2 strength_from=10HU";
	refused(&id, "the penalty is huber:strength=3, expected huber:strength=2");
	id.penalty = NULL;
	refused(&id, "the penalty is huber:strength=3, expected none");
	id = identity();
	scan.start = "fdk";
	refused(&id, "the start is zero, expected fdk");
	id = identity();
	id.outside = "grid";
	refused(&id, "the mode of the object outside the grid is no, expected grid; --outside no continues it");
	id = identity();
	id.type = GT_F64;
	refused(&id, "the precision is single, expected double");
}

GT_TEST(differences_of_the_solver)
{
	const gt_run_identity id = identity();
	set_method("os-sart:iterations=8,order=golden");
	ck_ok(run(with_every(1), NULL, 5, NULL));
	set_method("sirt:iterations=8");
	refused(&id, "the solver is os-sart, expected sirt");
	set_method("os-sart:iterations=8,order=golden,relax=0.5");
	refused(&id, "the solver has relax=1, expected relax=0.5");
	set_method("os-sart:iterations=20,order=golden"); /* a larger number of iterations is allowed */
	accepted(&id);
	set_method("os-sart:iterations=5,order=golden");
	accepted(&id);
	set_method("os-sart:iterations=4,order=golden");
	gt_checkpointing c = { .resume = path };
	ck_refused(gt_checkpointing_open(&c, &id), GT_ERR_UNSUPPORTED, "run.nc: has done 5 iterations, expected at most iterations=4");
	gt_checkpointing_free(&c);
	set_method("os-sqs:iterations=8");
	ck_ok(run(with_every(1), NULL, 5, NULL));
	set_method("os-sqs:iterations=9");
	refused(&id, "the solver has iterations=8, expected iterations=9: 'os-sqs' plans its iterations by how many they will be");
}

/* The origin of the strength, the command and the device may differ; another kind of device causes a note. */
GT_TEST(allowed_differences)
{
	gt_run_identity id = identity();
	char *penalty = NULL;
	set_method("os-sart:iterations=8,order=golden");
	ck_ok(run(with_every(1), NULL, 2, NULL));
	id.penalty = "huber:strength=3 strength_from=12HU";
	id.command = "gantry recon b.nc";
	heard[0] = 0;
	accepted(&id);
	ck_assert_str_eq(heard, "");
	id.backend = "abacus:7";
	accepted(&id);
	ck_assert_ptr_nonnull(strstr(heard, "run.nc was written on "));
	ck_assert_ptr_nonnull(strstr(heard, ": the result is the same but for rounding"));
	ck_ok(gt_checkpointing_penalty(path, &penalty));
	ck_assert_str_eq(penalty, "huber:strength=3 strength_from=10HU");
	free(penalty);
	ck_refused(gt_checkpointing_penalty(folder, &penalty), GT_ERR_IO, "--resume");
}

/* A file that cannot be written is reported, and the run ends with the same result. */
GT_TEST(unwritable)
{
	float whole[VOXELS], out[VOXELS];
	char name[128], inner[96];
	set_method("os-sart:iterations=8,order=golden");
	ck_ok(run(NULL, NULL, 0, whole));
	snprintf(inner, sizeof inner, "%s/none", folder);
	snprintf(name, sizeof name, "%s/run.nc:every=4", inner);
	ck_ok(run(name, NULL, 0, out));
	ck_assert_ptr_nonnull(strstr(heard, "no checkpoint after iteration 4: "));
	ck_assert_ptr_nonnull(strstr(heard, "no checkpoint after iteration 8: "));
	ck_assert_ptr_null(strstr(heard, "iteration 5"));
	ck_assert_int_eq(memcmp(whole, out, sizeof whole), 0);
}

/* Checks that need only the settings. */
GT_TEST(checked_first)
{
	const char *const none[] = { NULL };
	char other[128], spec[160];
	gt_checkpointing c = { .spec = path };
	ck_ok(gt_checkpointing_check(&c, none));
	const char *const list[] = { "some.nc", path, NULL };
	ck_refused(gt_checkpointing_check(&c, list), GT_ERR_ARG, "is the same file as");
	c.spec = with_every(0);
	ck_refused(gt_checkpointing_check(&c, none), GT_ERR_ARG, "--checkpoint");
	c.spec = with_every(1);
	ck_ok(gt_checkpointing_check(&c, none));
	snprintf(spec, sizeof spec, "%s:evry=3", path);
	c.spec = spec;
	ck_refused(gt_checkpointing_check(&c, none), GT_ERR_ARG, "every");
	snprintf(other, sizeof other, "%s/none/run.nc", folder);
	c.spec = other;
	ck_refused(gt_checkpointing_check(&c, none), GT_ERR_IO, "--checkpoint");
	c = (gt_checkpointing){ .resume = path };
	ck_refused(gt_checkpointing_check(&c, none), GT_ERR_IO, "--resume");
	set_method("os-sart:iterations=8,order=golden");
	ck_ok(run(with_every(1), NULL, 1, NULL));
	ck_ok(gt_checkpointing_check(&c, none));
	ck_ok(gt_checkpointing_check(&(gt_checkpointing){ 0 }, list));
	gt_test_write(path, "no checkpoint");
	ck_refused(gt_checkpointing_check(&c, none), GT_ERR_FORMAT, "--resume");
}

int main(void) { return gt_test_main_with("checkpointing_refusals", setup, teardown); }
