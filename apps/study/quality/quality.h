#ifndef GT_APPS_STUDY_QUALITY_QUALITY_H
#define GT_APPS_STUDY_QUALITY_QUALITY_H
/* `gantry study quality`: the preset and what one would choose by hand, on several scans, with the same noise in soft
 * tissue. Errors are told by the kind of tissue, from means of the body over voxels. */
#include <gantry/data.h>
#include <gantry/image_quality.h>
#include <gantry/phantom.h>
#include <gantry/recon.h>
#include "apps/study/study.h"

enum { QUALITY_DRAWS = 3, QUALITY_RAYS = 4, QUALITY_FDK = 0, QUALITY_PRESET = 1, QUALITY_UNIFORM_NOISE = 6 };
/* Its tables. */
enum { QUALITY_ERRORS = STUDY_OWN, QUALITY_ASKED, QUALITY_VERDICT, QUALITY_TEXTURE, QUALITY_EVEN, QUALITY_GOALS, QUALITY_CURVES };
/* Kinds of places: of one kind all around are all but the edges, which is the rest. */
enum { QUALITY_ALL, QUALITY_EDGE, QUALITY_SOFT, QUALITY_BONE, QUALITY_AIR, QUALITY_LUNG, QUALITY_CLASSES };
extern const char *const quality_class_names[QUALITY_CLASSES];

/* A scan of a body. The small study has one slice and one row. Pixels and voxels have twice the side in the coarse one,
 * three times in the quick one, four times in the tiny one (iterative --quick), a quarter in the full one, which has
 * the given number of slices and rows. */
typedef enum { QUALITY_TINY, QUALITY_QUICK, QUALITY_COARSE, QUALITY_SMALL, QUALITY_FULL } quality_size;
typedef struct {
	const char *key, *title, *scanner;
	const char *body;               /* a name of the table of phantoms, or statements of a file of shapes */
	int own;                        /* 1: body holds statements */
	size_t reduce, every;           /* of the scanner: pixels and views; every so-manieth view */
	size_t rays;                    /* along both sides of a pixel; 0: four */
	int all_rows;                   /* 1: the small study has them too, as a helix needs them */
	size_t n[2];                    /* voxels of the small study; their pitch, and height as a row's, mm */
	double pitch, height;
	size_t rows, slices;            /* of the full study; its slices are as high as voxels are wide */
	double scale, water, photons, noise;    /* on the body's lengths; mm^-1; HU that are asked for */
	int quick;                      /* 1: the quick study has it */
} quality_case;

/* A way to reconstruct, by texts of gt_recon_set(), NULL: as it is chosen. knob: the key that noise is set by, of the
 * penalty or, with knob_of_solver, of the solver, "": none; NULL: the penalty's strength, or the window of a direct
 * method, which has no penalty: of the one that suits the scan, solver then has its settings. */
typedef struct {
	const char *name, *preset, *solver, *weights, *penalty;
	int quick;
	const char *knob, *init, *padding;
	int knob_of_solver;
	double max;                     /* that it takes; 0: any */
	double edges;                   /* the penalty's c over the noise asked for, which then decides alone; 0: as it says */
} quality_candidate;

typedef struct {
	const quality_case *of;
	quality_size size;
	gt_scan *scan;
	gt_grid grid;
	float *truth, *lines;
	unsigned char *kind;            /* of each voxel: QUALITY_EDGE and on */
	size_t count[QUALITY_CLASSES];
	gt_projections *p[QUALITY_DRAWS];
} quality_scene;
gt_status quality_scene_new (study *s, const quality_case *c, quality_size size, quality_scene *scene);
void      quality_scene_free(quality_scene *scene);
/* A body of statements, which stay in the folder under that name. */
gt_status quality_body      (study *s, const char *name, const char *statements, double scale, double water, gt_phantom **body);
/* The projections with the noise of that seed. */
gt_status quality_draw      (study *s, const quality_scene *scene, int seed, gt_projections **p);

/* Of one candidate on one scan: root mean squares over the draws, HU. */
typedef struct {
	double rms[QUALITY_CLASSES];    /* NAN: no such place */
	double noise;                   /* in soft tissue: by the differences of the draws */
	double overshoot;               /* beyond the values nearby, of the draws' mean, in a hundredth of edges */
	double at_steps;                /* the same of the edges where the body has steps of about 800 HU, as a part of
	                                 * the step; NAN: too few of them */
	double strength;                /* of the penalty, or the window's cut-off */
	int runs;
	float *x;                       /* of the first draw */
} quality_result;
/* quality_match() ends where noise is off by less than this part. */
#define QUALITY_MAX_OFF 0.02
/* Noise that is off by more is not the same: errors are not compared. */
#define QUALITY_SAME_NOISE 0.05
/* Made ready to run on one draw, with texts as in quality_run(). */
gt_status quality_recon(const study *s, const quality_scene *scene, const quality_candidate *c, int draw, double noise, double strength,
                        gt_recon **r);
/* The same, run; *strength 0: as the noise says, and is then what was taken. */
gt_status quality_reconstruct(const study *s, const quality_scene *scene, const quality_candidate *c, int draw,
                        double noise, double *strength,
                              gt_volume **v);
/* rms and noise of one volume for each draw. */
void      quality_errors(const quality_scene *c, const float *const x[], quality_result *r);
/* What a hundredth of the voxels at edges goes beyond: of all, and of those at steps of about 800 HU, as above. The
 * mean is over draws, mm^-1: the fewer there are, the more of what is told is their noise. */
gt_status quality_overshoot(const quality_scene *c, const double *mean, double *overshoot, double *at_steps);
/* With strength 0: as the noise asked for in `noise` (HU) says; else by the strength or cut-off. */
gt_status quality_run(study *s, const quality_scene *scene, const quality_candidate *c, double noise, double strength, quality_result *r);
/* With the strength that leaves this noise, looked for from `guess`; with `asked` from the one that the library finds,
 * of which *asked tells. The nearest, where there is none. */
gt_status quality_match(study *s, const quality_scene *scene, const quality_candidate *c, double noise, double guess,
                        quality_result *asked, quality_result *r);
void      quality_result_free(quality_result *r);
/* What becomes of a disc of ten times the noise in a large piece of soft tissue: frequencies where its MTF is 0.5 and
 * 0.1, width of its edge, its height as a part of what it should be; and of the noise there: frequency of the largest
 * power, mean frequency. 1/mm, mm; NAN: the piece is too small, and the curves are empty: the MTF, and the radial mean
 * of the noise's spectrum in HU^2 mm^2. */
typedef struct { double f50, f10, width, height, peak, mean; gt_curve mtf, nps; } quality_texture;
gt_status quality_texture_of(study *s, const quality_scene *scene, const quality_candidate *c, const quality_result *r,
                        quality_texture *t);
void      quality_texture_free(quality_texture *t);
/* Noise of patches of 5 mm (of the head; two voxels of the small study) over what was asked for, by draws of their
 * own: its mean; the part of them that is within a tenth of 1 as it was counted, which holds the error of few draws;
 * the spread without that error, as a part; and what would be within a tenth by it. */
typedef struct {
	size_t patches;
	double mean, counted, spread, within;
	double overshoot, at_steps;     /* of the mean over these draws */
	size_t wide, high;              /* patches of the middle slice */
	double *ratio;                  /* [high][wide], owned; NAN: not all of it is soft tissue */
} quality_even;
gt_status quality_even_of(study *s, const quality_scene *scene, const quality_candidate *c, const quality_result *r,
                        int draws, quality_even *e);
void      quality_even_free(quality_even *e);
/* apps/study/quality/curves.c: rows of QUALITY_CURVES, the map of the noise as an array, and figures of both for those
 * scans that have them. */
void      quality_add_curves(study *s, const quality_case *c, const quality_candidate *by, const quality_texture *t);
gt_status quality_write_map(study *s, const quality_case *c, int candidate, const quality_even *e);
gt_status quality_draw_curves(study *s, const quality_case *c);
gt_status quality_draw_maps(study *s, const quality_case *c);
/* Patches along an axis. */
size_t    quality_patches(const study *s, const quality_case *c, int axis);
int       quality_has_curves(const study *s, const quality_case *c);
int       quality_has_maps(const study *s, const quality_case *c);

typedef struct { quality_size size; const char *one; char claim[512]; } quality_findings; /* one: the only case; NULL: all */
static inline quality_findings *quality_found(const study *s) { return (quality_findings *)s->own; }
/* What is promised of the preset: noise had over asked; overshoot of a step of about 800 HU; where even noise is
 * asked for the part of patches within a tenth of it. NAN: not measured. */
typedef struct { double asked, at_steps, even; } quality_promised;
/* apps/study/quality/goals.c: rows of QUALITY_GOALS; r: of all candidates. */
void      quality_goals(study *s, const quality_case *c, const quality_promised *found, const quality_result *r);
/* 1: the study has the case of this number. */
int       quality_has_case(const study *s, int number);
/* Voxels of the slice along an axis. */
size_t    quality_side(const study *s, const quality_case *c, int axis);
double    quality_pitch(const study *s, const quality_case *c);         /* mm */
gt_status quality_pictures(study *s, const quality_scene *c, const char *name, const float *x);
gt_status quality_figures(study *s);
void      quality_parts(const study *s, study_page *p);
#endif
