/* Time of a thread that fetches layers of textures in two orders: figures 6 and 7 of Lu, Ino, Hagihara (2016). */
#include "analytic/table.h"
#include "apps/study/fdk/fdk.h"

enum { EDGE = 1024, QUICK_ROWS = 16, MAX_LAYERS = 64 };

static const struct {
	const char *name;
	int layered, inter;
} patterns[] = { { "layered, inter-layer first", 1, 1 },
	         { "layered, intra-layer first", 1, 0 },
	         { "a texture per layer, inter-layer first", 0, 1 },
	         { "a texture per layer, intra-layer first", 0, 0 } };
enum { PATTERNS = sizeof patterns / sizeof *patterns };

static gt_status add_layers(study *s, gt_backend *be, size_t layers)
{
	struct gt_texture_walk w = { .columns = EDGE, .rows = s->quick ? QUICK_ROWS : EDGE, .layers = layers };
	double seconds;
	study_number(&s->table[STUDY_PATTERNS], (double)layers);
	for (int k = 0; k < PATTERNS; k++) {
		w.layered = patterns[k].layered;
		w.inter_layer_first = patterns[k].inter;
		GT_OR_RETURN(gt_texture_walk(be, &w, &seconds));
		study_number(&s->table[STUDY_PATTERNS], 1e9 * seconds / (double)(w.columns * w.rows * w.layers));
	}
	return GT_OK;
}

gt_status fdk_patterns(study *s)
{
	gt_backend *be = NULL;
	gt_status st = GT_OK;
	if (!s->gpu[0])
		return st;
	study_step(s, "patterns of access to textures");
	for (int k = 0; k < PATTERNS; k++)
		study_head(&s->table[STUDY_PATTERNS], "%s [ns per texel]", patterns[k].name);
	GT_TRY(gt_backend_open(s->gpu, &be));
	for (size_t layers = 1; layers <= MAX_LAYERS; layers *= 2)
		GT_TRY(add_layers(s, be, layers));
done:
	gt_backend_close(be);
	return study_or_left_out(s, st, "patterns", "all");
}
