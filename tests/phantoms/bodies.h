#ifndef GT_TESTS_BODIES_H
#define GT_TESTS_BODIES_H
/* Phantoms from text, and random numbers, for the tests of phantoms. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <gantry/phantom.h>
#include "core/random.h"
#include "tests/support/support.h"

/* Writes `size` bytes of text to a shape file and reads it with options o. */
static inline gt_status body_read(const char *text, size_t size, const gt_phantom_options *o, gt_phantom **p)
{
	char path[] = "/tmp/gantry-shapes-XXXXXX";
	const int handle = mkstemp(path);
	ck_assert_int_ge(handle, 0);
	FILE *f = fdopen(handle, "w");
	ck_assert_uint_eq(fwrite(text, 1, size, f), size);
	fclose(f);
	const gt_status st = gt_phantom_new(path, o, p);
	unlink(path);
	return st;
}

/* Densities in mm^-1 unless the text selects another unit. */
static inline gt_phantom *body(const char *text)
{
	gt_phantom *p = NULL;
	ck_ok(body_read(text, strlen(text), &(gt_phantom_options){ .water = 1, .scale = 1 }, &p));
	return p;
}

static inline double pick(gt_random *r, double lo, double hi) { return lo + (hi - lo) * gt_uniform(r); }

/* Every kind of shape: off centre, rotated, clipped, overlapping. A line before them selects how they combine. */
#define MIXED_SHAPES                                                                                                 \
	"ellipsoid center=3,-5,2 radii=40,25,31 angles=20,-35,50 density=1.1\n"                                        \
	"ellipsoid center=-12,8,-4 radii=20,9,14 angles=-70 clip=1,2,-0.5,3 clip=-1,0.2,0.3,22 density=0.7 # twice\n"  \
	"cylinder center=10,12,-8 radii=12,7 length=33 axis=1,-2,0.7 first=0.3,1,1 density=1.9\n"                      \
	"cylinder radius=6 length=70 axis=1,0,0 center=1,2,-10 density=-0.4\n"                                         \
	"cone center=-15,-14,6 radii=14,9 end=4 length=28 axis=-0.4,0.5,1 density=0.55\n"                              \
	"cone center=20,-18,3 radius=3 end=11 length=25 axis=1,1,-1 clip=0.2,1,0,-17 density=1.3\n"                    \
	"cone center=-6,20,10 radius=9 end=0 length=21 angles=10,100,5 density=2.5\n"                                  \
	"box center=14,3,-16 size=18,25,11 angles=33,21,-47 density=0.9\n"                                             \
	"box center=-22,-2,-3 size=12,30,26 clip=-1,1,1,18 density=1.6\n"
#endif
