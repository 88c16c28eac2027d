/* The example of docs/library.md, built against the installed library. */
#include <gantry/recon.h>

int main(void)
{
	static float image[6 * 40 * 40]; /* [z][y][x], mm^-1 */
	const gt_grid grid = { .n = { 40, 40, 6 }, .pitch = { 6, 6, 5 } };
	gt_projections *p; /* or from an array [view][row][column]: gt_projections_wrap() */
	gt_volume *v;
	gt_recon *r;
	if (gt_read_projections("scan.nc", NULL, &p) || gt_volume_wrap(&grid, image, NULL, NULL, &v) || gt_recon_new(p, &r))
		return 1;
	gt_recon_set(r, "preset", "iterative");
	return gt_recon_run(r, v) || gt_write_volume("vol.nc", NULL, v);
}
