#ifndef GT_APPS_STUDY_QUALITY_QUALITY_H
#define GT_APPS_STUDY_QUALITY_QUALITY_H
/* `gantry study quality`: the preset and manual choices on several scans, at equal noise in soft tissue. Errors from
 * the means of the object over voxels, by kind of tissue. */
#include <gantry/data.h>
#include <gantry/metrics.h>
#include <gantry/recon.h>
#include "apps/study/study.h"

enum { QUALITY_DRAWS = 3, QUALITY_RAYS = 4, QUALITY_FDK = 0, QUALITY_PRESET = 1, QUALITY_UNIFORM_NOISE = 6 };
/* Its tables. */
enum { QUALITY_ERRORS = STUDY_OWN, QUALITY_ASKED, QUALITY_VERDICT, QUALITY_TEXTURE, QUALITY_EVEN, QUALITY_GOALS, QUALITY_CURVES };
/* Kinds of voxels. All adjacent voxels are of the same kind, but at edges. */
enum { QUALITY_ALL, QUALITY_EDGE, QUALITY_SOFT, QUALITY_BONE, QUALITY_AIR, QUALITY_LUNG, QUALITY_CLASSES };
extern const char *const quality_class_names[QUALITY_CLASSES];

/* A scan of an object. The small study has one slice and one row. Sides of pixels and voxels:
 * coarse 2, quick 3, tiny (iterative --quick) 4 times, full a quarter. The full study has the given slices and rows. */
typedef enum { QUALITY_TINY, QUALITY_QUICK, QUALITY_COARSE, QUALITY_SMALL, QUALITY_FULL } quality_size;
typedef struct {
	const char *key, *title, *scanner;
	const char *object;             /* a name of the table of phantoms, or statements of a file of shapes */
	int own;                        /* 1: object holds statements */
	size_t reduce, every;           /* divisor of the scanner's pixels and views; every N-th view */
	size_t rays;                    /* along both sides of a pixel; 0: four */
	int all_rows;                   /* 1: the small study has them too, as a helix needs them */
	size_t n[2];                    /* voxels of the small study; their pitch, and height as a row's, mm */
	double pitch, height;
	double center[2];               /* centre of the volume, mm */
	size_t columns;                 /* columns of the small study's detector; 0: the scanner's */
	size_t rows, slices;            /* in the full study; its slices are as high as voxels are wide */
	double scale, water, photons, noise;    /* on the object's lengths; mm^-1; target, HU */
	int quick;                      /* 1: the quick study has it */
} quality_case;
static inline int quality_rays(const quality_case *c) { return (int)(c->rays ? c->rays : QUALITY_RAYS); }

/* Settings of a reconstruction, by texts of gt_recon_set(); NULL: chosen by the library. knob: the key of the
 * penalty, or with knob_of_solver of the solver, that sets the noise; "": none. knob NULL: the penalty's strength.
 * Without a penalty the method is direct: solver holds its settings and its window sets the noise. */
typedef struct {
	const char *name, *preset, *solver, *weights, *penalty;
	int quick;
	const char *knob, *init, *padding;
	int knob_of_solver;
	double max;                     /* largest value of the knob; 0: no limit */
	double edges;                   /* the penalty's c over the target noise, which then decides alone; 0: unused */
} quality_candidate;
enum { QUALITY_CASES = 14, QUALITY_CANDIDATES = 8 };
extern const quality_case quality_cases[QUALITY_CASES];
extern const quality_candidate quality_candidates[QUALITY_CANDIDATES];

typedef struct {
	const quality_case *of;
	quality_size size;
	gt_scan *scan;
	gt_grid grid;
	float *truth, *lines;
	unsigned char *kind;            /* class of each voxel: QUALITY_EDGE and on */
	size_t count[QUALITY_CLASSES];
	gt_projections *p[QUALITY_DRAWS];
} quality_scene;
gt_status quality_scene_new (study *s, const quality_case *c, quality_size size, quality_scene *scene);
void      quality_scene_free(quality_scene *scene);
/* The projections with the noise of that seed. */
gt_status quality_draw      (study *s, const quality_scene *scene, int seed, gt_projections **p);

/* Results of one candidate on one scan: root mean squares over the draws, HU. */
typedef struct {
	double rms[QUALITY_CLASSES];    /* NAN: no such voxels */
	double noise;                   /* in soft tissue: by the differences of the draws */
	double overshoot;               /* 99th percentile at edges beyond adjacent values, mean of draws */
	double at_steps;                /* the same at steps of about 800 HU, as a fraction of the step; NAN: too few */
	double strength;                /* penalty strength, or the window's cut-off */
	int runs;
	float *x;                       /* picture of the first draw */
} quality_result;
/* quality_match() ends if the relative error of the noise is smaller. */
#define QUALITY_MAX_OFF 0.02
/* Errors are not compared if the noise differs by more. */
#define QUALITY_SAME_NOISE 0.05
/* Prepares a run on one draw, with settings as in quality_run(). */
gt_status quality_recon(const study *s, const quality_scene *scene, const quality_candidate *c, int draw, double noise, double strength,
                        gt_recon **r);
/* Runs it; *strength 0: chosen from the noise and returned. */
gt_status quality_reconstruct(const study *s, const quality_scene *scene, const quality_candidate *c, int draw,
                        double noise, double *strength,
                              gt_volume **v);
/* rms and noise of one volume for each draw. */
void      quality_errors(const quality_scene *c, const float *const x[], quality_result *r);
/* 99th percentile of the overshoot at all edges and at steps of about 800 HU, as above. mean: over draws, mm^-1.
 * With few draws the overshoot includes their noise. */
gt_status quality_overshoot(const quality_scene *c, const double *mean, double *overshoot, double *at_steps);
/* strength 0: chosen for the target `noise` (HU); else the strength or cut-off. */
gt_status quality_run(study *s, const quality_scene *scene, const quality_candidate *c, double noise, double strength, quality_result *r);
/* Searches the strength that leaves this noise, or the nearest, from `guess`; with `asked` from the library's
 * choice, whose result is *asked. */
gt_status quality_match(study *s, const quality_scene *scene, const quality_candidate *c, double noise, double guess,
                        quality_result *asked, quality_result *r);
void      quality_result_free(quality_result *r);
/* Response to a disc of ten times the noise in a large region of soft tissue. Frequencies of MTF 0.5 and 0.1 (1/mm),
 * width of its edge (mm), relative height. Noise power spectrum there: frequency of the maximum and mean frequency
 * (1/mm). Curves: MTF, and radial mean of the spectrum in HU^2 mm^2. NAN and empty if the region is too small. */
typedef struct { double f50, f10, width, height, peak, mean; gt_curve mtf, nps; } quality_texture;
gt_status quality_texture_of(study *s, const quality_scene *scene, const quality_candidate *c, const quality_result *r,
                        quality_texture *t);
void      quality_texture_free(quality_texture *t);
/* Noise over the target, by further draws, in patches of 5 mm of the head, or of two voxels of the small study. The
 * mean is that of the ratios. The fraction `counted` has ratios within a tenth of 1 and includes the error of few
 * draws. The relative standard deviation `spread` excludes that error, and `within` follows from it. */
typedef struct {
	size_t patches;
	double mean, counted, spread, within;
	double overshoot, at_steps;     /* from the mean over these draws */
	size_t wide, high;              /* patches of the central slice */
	double *ratio;                  /* [high][wide], owned; NAN: not all of it is soft tissue */
} quality_even;
gt_status quality_even_of(study *s, const quality_scene *scene, const quality_candidate *c, const quality_result *r,
                        int draws, quality_even *e);
void      quality_even_free(quality_even *e);
/* apps/study/quality/curves.c: rows of QUALITY_CURVES; figures of curves and of noise maps. */
void      quality_add_curves(study *s, const quality_case *c, const quality_candidate *by, const quality_texture *t);
void      quality_draw_curves(study *s, const quality_case *c);
void      quality_draw_maps(study *s, const quality_case *c);
/* Patches along an axis. */
size_t    quality_patches(const study *s, const quality_case *c, int axis);
int       quality_has_curves(const study *s, const quality_case *c);
int       quality_has_maps(const study *s, const quality_case *c);

typedef struct { quality_size size; const char *one; char claim[512]; } quality_findings; /* one: the only case; NULL: all */
static inline quality_findings *quality_found(const study *s) { return (quality_findings *)s->own; }
/* 1: the study has the case of this number. */
int       quality_has_case(const study *s, int number);
/* Voxels of the slice along an axis. */
size_t    quality_side(const study *s, const quality_case *c, int axis);
double    quality_pitch(const study *s, const quality_case *c);         /* mm */
/* Writes the central slice of x (NULL: of the truth), and its difference from the truth, HU. */
gt_status quality_pictures(study *s, const quality_scene *c, const char *name, const float *x);
#endif
