#ifndef GT_PHANTOMS_SOLIDS_H
#define GT_PHANTOMS_SOLIDS_H
/* Internal to phantoms/: the solids of gt_phantom, and the bounding volume hierarchy that finds those on a line. */
#include <stdio.h>
#include <gantry/phantom.h>
#include "phantoms/solid.h"

/* Depth-first: the children of an inner node follow it; `skip` is the node after its whole subtree. */
typedef struct { double lo[3], hi[3]; size_t skip, first, count; } gt_tree_node;

struct gt_phantom {
	gt_solid *solid;                /* owned; in the order of the tree once finished */
	size_t solids, room;
	int replace;                    /* 0: densities add; 1: the last shape in the list decides */
	gt_tree_node *node;
	size_t nodes;
	double radius;
};

gt_status gt_solids_new(gt_phantom **p);
/* Appends the solid. Takes ownership of its clips, also on failure. */
gt_status gt_solids_add(gt_phantom *p, gt_solid s);
/* Moves all solids, converts densities to mm^-1 and builds the tree. Call once, after the last add. */
gt_status gt_solids_finish(gt_phantom *p, const gt_phantom_options *o);
/* Sorts p->solid and fills p->node (box_tree.c). */
gt_status gt_solids_tree(gt_phantom *p);

/* A solid on a line, between from + in direction and from + out direction. */
typedef struct { const gt_solid *solid; double in, out; } gt_hit;
/* Finds the solids between t = lo and hi, in order of the list if p->replace. hit: buffer for p->solids hits. */
size_t gt_solids_hits(const gt_phantom *p, const double from[3], const double direction[3], double lo, double hi, gt_hit *hit);
/* gt_phantom_line() with scratch of 2 p->solids hits. band: counts only densities from band[0] to below band[1], mm^-1;
 * NULL: all. */
double gt_solids_line(const gt_phantom *p, const double from[3], const double direction[3], int whole, const double band[2],
                      gt_hit *scratch);

/* Builders of named phantoms; each appends its solids. */
#define GT_PHANTOM_TABLE(X)                                                                                                               \
	X(shepp_logan, "shepp-logan", "3-D Shepp-Logan head, modified contrast (skull 1, brain 0.2): 166 x 221 x 194 mm")                 \
	X(shepp_logan_classic, "shepp-logan-classic", "3-D Shepp-Logan head, classic contrast (skull 1, brain 0.02): 166 x 221 x 194 mm") \
	X(kak_slaney, "kak-slaney", "3-D Shepp-Logan of Kak and Slaney (skull 2, brain 1.02): 166 x 221 x 216 mm")                        \
	X(yu_ye_wang, "yu-ye-wang", "3-D Shepp-Logan of Yu, Ye and Wang, high contrast (skull 1, brain 0.2): 166 x 221 x 216 mm")         \
	X(forbild_head, "forbild-head", "FORBILD head with both ears: 192 x 240 x 250 mm")                                                \
	X(water_cylinder, "water-cylinder", "water, radius 100 mm, length 300 mm")                                                        \
	X(defrise, "defrise", "7 discs of water stacked along z: radius 80 mm, 10 mm thick, 10 mm apart")                                 \
	X(bars, "bars", "bars of density 2, pitches 2 to 0.8 mm, along x and along z, in water of radius 50 mm")                          \
	X(spheres, "spheres", "6 spheres of radius 3 mm and densities 1 to 2 at x = +-60, y = +-45, z = +-10 mm")                         \
	X(box, "box", "one box of water, 80 x 120 x 60 mm, off the centre: 10, -15, 5 mm")
#define GT_PHANTOM_BUILD(build, name, about) gt_status gt_phantom_build_##build(gt_phantom *p);
GT_PHANTOM_TABLE(GT_PHANTOM_BUILD)
#undef GT_PHANTOM_BUILD

/* Reads a shape file (docs/phantoms.md) that is open; path: for messages. */
gt_status gt_phantom_read(FILE *file, const char *path, gt_phantom *p);
#endif
