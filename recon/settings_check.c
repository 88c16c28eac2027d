/* Refuses settings that contradict each other or the method. */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <gantry/analytic.h>
#include "core/try.h"
#include "recon/modules.h"
#include "recon/settings.h"

const char *gt_recon_init(const gt_recon_settings *s) { return s->text[GT_SET_INIT] ? s->text[GT_SET_INIT] : "auto"; }

int gt_recon_starts_from_file(const char *init) { return strcmp(init, "auto") && strcmp(init, "zero") && !gt_analytic_find(init); }

static gt_status check_start(const gt_recon_settings *s, const gt_method *m, int started)
{
	const char *init = gt_recon_init(s);
	if (m->analytic && started)
		return gt_fail(GT_ERR_ARG, "a start volume: %s is an analytic method, which has no start: expected an iterative --solver",
		               m->analytic->name);
	if (!m->analytic || !strcmp(init, "auto"))
		return GT_OK;
	return gt_fail(GT_ERR_ARG, "--init=%s: %s is an analytic method, which has no start: expected an iterative --solver", init,
	               m->analytic->name);
}

static gt_status check_prior(const gt_recon_settings *s, const gt_method *m)
{
	const int weighted = s->weights.kind != GT_WEIGHTS_AUTO && s->weights.kind != GT_WEIGHTS_UNIFORM;
	const char *iterates = s->text[GT_SET_STOP]         ? "stop"
	                       : s->text[GT_SET_CHECKPOINT] ? "checkpoint"
	                       : s->text[GT_SET_RESUME]     ? "resume"
	                                                    : NULL;
	if (m->analytic && (s->text[GT_SET_PENALTY] || weighted))
		return gt_fail(GT_ERR_ARG,
		               "--%s: %s is an analytic method, which takes neither weights nor a penalty: expected an iterative --solver",
		               s->text[GT_SET_PENALTY] ? "penalty" : "weights", m->analytic->name);
	if (m->analytic && s->text[GT_SET_PROJECTOR])
		return gt_fail(
			GT_ERR_ARG,
			"--projector=%s: %s is an analytic method, which has a backprojection of its own: expected an iterative --solver",
			s->text[GT_SET_PROJECTOR], m->analytic->name);
	if (m->analytic && iterates)
		return gt_fail(GT_ERR_ARG, "--%s: %s is an analytic method, which has no iterations: expected an iterative --solver",
		               iterates, m->analytic->name);
	return GT_OK;
}

/* Checked even if nothing is written: a wrong folder is a usage error. */
static gt_status check_scratch(const char *folder)
{
	struct stat s;
	if (!folder)
		return GT_OK;
	if (stat(folder, &s) != 0)
		return gt_fail(GT_ERR_IO, "--scratch=%s: %s", folder, strerror(errno));
	return S_ISDIR(s.st_mode) ? GT_OK : gt_fail(GT_ERR_IO, "--scratch=%s: is not a folder", folder);
}

gt_status gt_recon_settings_check(const gt_recon_settings *s, const gt_method *m, int started)
{
	const gt_preset_settings asked = { s->text[GT_SET_SOLVER], s->text[GT_SET_WEIGHTS], s->text[GT_SET_PENALTY] };
	gt_status st = GT_OK;
	GT_TRY(gt_preset_check((gt_preset)s->preset, &asked));
	GT_TRY(check_start(s, m, started));
	GT_TRY(check_prior(s, m));
	GT_TRY(check_scratch(s->text[GT_SET_SCRATCH]));
	if (s->keep == GT_VIEW_CACHE_SCRATCH && !s->text[GT_SET_SCRATCH])
		GT_TRY(gt_fail(GT_ERR_ARG, "--keep=scratch: expected --scratch FOLDER for its file"));
	if (s->voxel > 0 && s->text[GT_SET_GRID] && !s->across)
		return gt_fail(GT_ERR_ARG, "--voxel: cannot be combined with --grid %s, which sets the voxel size: expected --grid N",
		               s->text[GT_SET_GRID]);
	if (s->text[GT_SET_LIKE] && s->voxel > 0)
		return gt_fail(GT_ERR_ARG, "--voxel and --like cannot be combined");
	if (s->text[GT_SET_GRID] && s->text[GT_SET_LIKE])
		GT_TRY(gt_fail(GT_ERR_ARG, "--grid and --like cannot be combined"));
done:
	return st;
}
