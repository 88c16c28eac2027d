/* RabbitCT: images with matrices in the same file or another one, a volume, and references after them. */
#include <math.h>
#include <stdlib.h>
#include "io/rabbitct/rabbitct.h"
#include "io/table.h"
#include "tests/fuzz/fuzz.h"

enum { MAX_CELLS = 1 << 20, MAX_VIEWS = 64 };

static void read_views(gt_rabbitct *f)
{
	const gt_rabbitct_head *h = gt_rabbitct_info(f);
	const size_t views = h->views < MAX_VIEWS ? h->views : MAX_VIEWS;
	float *image = h->columns * h->rows <= MAX_CELLS ? malloc(h->columns * h->rows * sizeof *image) : NULL;
	double matrix[12];
	for (size_t v = 0; v < views; v++) {
		if (gt_rabbitct_matrix(f, v, matrix) != GT_OK)
			gt_fuzz_failed();
		if (image && gt_rabbitct_image(f, v, image) != GT_OK)
			gt_fuzz_failed();
	}
	free(image);
}

static void read_volume(const char *path)
{
	enum { SIDE = 2 };
	uint16_t hu[SIDE * SIDE * SIDE];
	gt_grid grid;
	if (gt_rabbitct_read_volume(path, SIDE, hu) != GT_OK)
		gt_fuzz_failed();
	gt_rabbitct_grid(SIDE, &grid);
	gt_fuzz_check_grid(&grid);
}

static void read_references(gt_rabbitct *f)
{
	const gt_rabbitct_head *h = gt_rabbitct_info(f);
	uint16_t none;
	gt_fuzz_must(gt_rabbitct_reference(f, 100, &none) != GT_OK, "a reference that is not there was read");
	gt_fuzz_failed();
	gt_fuzz_must(gt_rabbitct_hu(1, h->scale) <= 4095, "a number that is none of 12 bits");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	gt_fuzz_input in = { data, size };
	gt_rabbitct *f = NULL;
	gt_fuzz_clear();
	const char *images = gt_fuzz_part(&in, "a.rctd"), *matrices = gt_fuzz_part(&in, "a.matrices"),
		   *volume = gt_fuzz_part(&in, "a.volume");
	if (!images)
		return 0;
	gt_fuzz_read(&gt_format_rabbitct, images, NULL);
	if (volume)
		read_volume(volume);
	if (gt_rabbitct_open(images, matrices, &f) == GT_OK) {
		read_views(f);
		read_references(f);
	} else
		gt_fuzz_failed();
	gt_rabbitct_close(f);
	return 0;
}
