/* Public functions that return a status refuse NULL by the name of the function and of the argument.
 * labels: unit, backend: none */
#include <string.h>
#include <gantry/analytic.h>
#include <gantry/array.h>
#include <gantry/consistency.h>
#include <gantry/grid.h>
#include <gantry/image.h>
#include <gantry/metrics.h>
#include <gantry/io.h>
#include <gantry/linop.h>
#include <gantry/module.h>
#include <gantry/author/monitor.h>
#include <gantry/author/params.h>
#include <gantry/author/penalty.h>
#include <gantry/phantom.h>
#include <gantry/projector.h>
#include <gantry/recon.h>
#include <gantry/regularizer.h>
#include <gantry/scan.h>
#include <gantry/solver.h>
#include <gantry/threads.h>
#include "analytic/consistency/conjugate.h"
#include "analytic/fbp/slab.h"
#include "core/device/download.h"
#include "core/device/upload.h"
#include "core/module.h"
#include "core/params.h"
#include "core/text.h"
#include "geometry/grid.h"
#include "geometry/scan.h"
#include "io/checkpoint.h"
#include "io/plausibility.h"
#include "io/png.h"
#include "io/rabbitct/rabbitct.h"
#include "io/slice_writer.h"
#include "io/tmp_list.h"
#include "projectors/table.h"
#include "recon/data_weights.h"
#include "recon/modules.h"
#include "recon/noise/noise_estimate.h"
#include "recon/noise/penalty_strength.h"
#include "recon/object_mask.h"
#include "recon/weights/photon_weights.h"
#include "tests/support/support.h"

GT_TEST(files_and_figures)
{
	ck_refused(gt_upload_new(NULL, 0, NULL), GT_ERR_ARG, "gt_upload_new: ");
	ck_refused(gt_download_new(NULL, NULL), GT_ERR_ARG, "gt_download_new: ");
	ck_refused(gt_rabbitct_open(NULL, NULL, NULL), GT_ERR_ARG, "gt_rabbitct_open: ");
	ck_refused(gt_rabbitct_matrix(NULL, 0, NULL), GT_ERR_ARG, "gt_rabbitct_matrix: ");
	ck_refused(gt_rabbitct_image(NULL, 0, NULL), GT_ERR_ARG, "gt_rabbitct_image: ");
	ck_refused(gt_rabbitct_reference(NULL, 0, NULL), GT_ERR_ARG, "gt_rabbitct_reference: ");
	ck_refused(gt_rabbitct_read_volume(NULL, 0, NULL), GT_ERR_ARG, "gt_rabbitct_read_volume: ");
	ck_refused(gt_rabbitct_write(NULL, NULL, NULL, NULL), GT_ERR_ARG, "gt_rabbitct_write: ");
	ck_refused(gt_rabbitct_write_volume(NULL, 0, NULL), GT_ERR_ARG, "gt_rabbitct_write_volume: ");
	ck_refused(gt_rabbitct_can_append(NULL, NULL, 0), GT_ERR_ARG, "gt_rabbitct_can_append: ");
	ck_refused(gt_rabbitct_append(NULL, 0, NULL), GT_ERR_ARG, "gt_rabbitct_append: ");
	ck_refused(gt_backend_dry_run(NULL), GT_ERR_ARG, "gt_backend_dry_run: ");
	ck_refused(gt_fsc_measure(NULL, NULL, NULL, NULL), GT_ERR_ARG, "gt_fsc_measure: ");
	ck_refused(gt_mtf_of_disc(NULL, NULL, NULL, NULL), GT_ERR_ARG, "gt_mtf_of_disc: ");
	ck_refused(gt_nps_measure(NULL, NULL, NULL, NULL, 0, NULL), GT_ERR_ARG, "gt_nps_measure: ");
	ck_refused(gt_roi_measure(NULL, NULL, NULL, NULL), GT_ERR_ARG, "gt_roi_measure: ");
	ck_refused(gt_line_profile(NULL, NULL, NULL, NULL, 0, NULL), GT_ERR_ARG, "gt_line_profile: ");
	ck_assert_uint_eq(gt_grid_voxels(NULL) + gt_scan_size(NULL), 0);
}

GT_TEST(first_half)
{
	ck_refused(gt_analytic_run(NULL, NULL, NULL, NULL, NULL, NULL, NULL), GT_ERR_ARG, "gt_analytic_run: ");
	ck_refused(gt_analytic_supports(NULL, NULL, NULL), GT_ERR_ARG, "gt_analytic_supports: ");
	ck_refused(gt_array_new(NULL, GT_F32, 0, NULL), GT_ERR_ARG, "gt_array_new: ");
	ck_refused(gt_array_part(NULL, 0, 0, NULL), GT_ERR_ARG, "gt_array_part: ");
	ck_refused(gt_array_wrap(NULL, GT_F32, 0, NULL, NULL), GT_ERR_ARG, "gt_array_wrap: ");
	ck_refused(gt_backend_counters(NULL, NULL), GT_ERR_ARG, "gt_backend_counters: ");
	ck_refused(gt_bytes_parse(NULL, NULL, NULL), GT_ERR_ARG, "gt_bytes_parse: ");
	ck_refused(gt_can_write(NULL), GT_ERR_ARG, "gt_can_write: ");
	ck_refused(gt_can_write_projections(NULL, NULL), GT_ERR_ARG, "gt_can_write_projections: ");
	ck_refused(gt_can_write_sheet(NULL), GT_ERR_ARG, "gt_can_write_sheet: ");
	ck_refused(gt_can_write_slices(NULL), GT_ERR_ARG, "gt_can_write_slices: ");
	ck_refused(gt_can_write_volume(NULL, NULL), GT_ERR_ARG, "gt_can_write_volume: ");
	ck_refused(gt_conjugate_check(NULL, NULL, NULL, NULL), GT_ERR_ARG, "gt_conjugate_check: ");
	ck_refused(gt_conjugate_quick_check(NULL, NULL, NULL, NULL), GT_ERR_ARG, "gt_conjugate_quick_check: ");
	ck_refused(gt_data_weights(NULL, NULL, NULL, 0, NULL, NULL), GT_ERR_ARG, "gt_data_weights_masked: ");
	ck_refused(gt_file_kind(NULL, NULL, NULL), GT_ERR_ARG, "gt_file_kind: ");
	ck_refused(gt_grid_check(NULL, NULL), GT_ERR_ARG, "gt_grid_check: ");
	ck_refused(gt_grid_check_sources(NULL, NULL), GT_ERR_ARG, "gt_grid_check_sources: ");
	ck_refused(gt_grid_default(NULL, NULL), GT_ERR_ARG, "gt_grid_default: ");
	ck_refused(gt_grid_parse(NULL, NULL), GT_ERR_ARG, "gt_grid_parse: ");
	ck_refused(gt_has_space(NULL, 0), GT_ERR_ARG, "gt_has_space: ");
	ck_refused(gt_checkpoint_has_space(NULL, 0), GT_ERR_ARG, "gt_checkpoint_has_space: ");
	ck_refused(gt_has_space_for_projections(NULL, NULL, NULL), GT_ERR_ARG, "gt_has_space_for_projections: ");
	ck_refused(gt_has_space_for_volume(NULL, NULL, NULL), GT_ERR_ARG, "gt_has_space_for_volume: ");
	ck_refused(gt_linop_mismatch(NULL, 0, NULL), GT_ERR_ARG, "gt_linop_mismatch: ");
	ck_refused(gt_linop_mismatch_elements(NULL, NULL, NULL), GT_ERR_ARG, "gt_linop_mismatch_elements: ");
	ck_refused(gt_linop_new(NULL, NULL, NULL, GT_F32, 0, 0, NULL), GT_ERR_ARG, "gt_linop_new: ");
	ck_refused(gt_matrix_check(NULL, NULL, 0, 0), GT_ERR_ARG, "gt_matrix_check: ");
	ck_refused(gt_matrix_from_view(NULL, 0, NULL), GT_ERR_ARG, "gt_matrix_from_view: ");
	ck_refused(gt_method_parse(NULL, NULL), GT_ERR_ARG, "gt_method_parse: ");
	ck_refused(gt_module_parse(NULL, NULL, NULL, NULL), GT_ERR_ARG, "gt_module_parse: ");
	ck_refused(gt_module_parse_kind(NULL, NULL, NULL, NULL), GT_ERR_ARG, "gt_module_parse_kind: ");
	ck_refused(gt_noise_estimate(NULL, NULL, NULL, NULL), GT_ERR_ARG, "gt_noise_estimate: ");
	ck_refused(gt_object_mask(NULL, NULL, NULL, 0, NULL, NULL), GT_ERR_ARG, "gt_object_mask: ");
	ck_refused(gt_params_new(NULL, NULL, NULL, 0, NULL), GT_ERR_ARG, "gt_params_new: ");
	ck_refused(gt_parse_int(NULL, NULL, 0, 0, NULL), GT_ERR_ARG, "gt_parse_int: ");
	ck_refused(gt_parse_mu(NULL, NULL, 0, 0, NULL), GT_ERR_ARG, "gt_parse_mu: ");
	ck_refused(gt_parse_real(NULL, NULL, 0, 0, NULL), GT_ERR_ARG, "gt_parse_real: ");
	ck_refused(gt_penalty_new(NULL, NULL, NULL, GT_F32, 0, 0, NULL), GT_ERR_ARG, "gt_penalty_new: ");
	ck_refused(gt_penalty_strength(NULL, 0, NULL), GT_ERR_ARG, "gt_penalty_strength: ");
}

GT_TEST(second_half)
{
	ck_refused(gt_phantom_new(NULL, NULL, NULL), GT_ERR_ARG, "gt_phantom_new: ");
	ck_refused(gt_phantom_project(NULL, NULL, 0, NULL, NULL, NULL, NULL), GT_ERR_ARG, "gt_phantom_project: ");
	ck_refused(gt_pool_new(0, NULL), GT_ERR_ARG, "gt_pool_new: ");
	ck_refused(gt_projections_plausible(NULL, NULL), GT_ERR_ARG, "gt_projections_plausible: ");
	ck_refused(gt_projector_new(NULL, NULL, GT_F32, NULL, NULL, NULL), GT_ERR_ARG, "gt_projector_new: ");
	ck_refused(gt_projector_part_new(NULL, 0, NULL, GT_F32, NULL, NULL, NULL), GT_ERR_ARG, "gt_projector_part_new: ");
	ck_refused(gt_read_projections(NULL, NULL, NULL), GT_ERR_ARG, "gt_read_projections: ");
	ck_refused(gt_read_volume(NULL, NULL, NULL), GT_ERR_ARG, "gt_read_volume: ");
	ck_refused(gt_recon_default_grid(NULL, NULL, NULL, NULL), GT_ERR_ARG, "gt_recon_default_grid: ");
	ck_refused(gt_regularizer_new(NULL, NULL, GT_F32, NULL, NULL, NULL), GT_ERR_ARG, "gt_regularizer_new: ");
	ck_refused(gt_report(NULL, NULL), GT_ERR_ARG, "gt_report: ");
	ck_refused(gt_resume(NULL, NULL, NULL), GT_ERR_ARG, "gt_resume: ");
	ck_refused(gt_scan_check(NULL), GT_ERR_ARG, "gt_scan_check: ");
	ck_refused(gt_scan_check_angles(NULL), GT_ERR_ARG, "gt_scan_check_angles: ");
	ck_refused(gt_scan_clone(NULL, NULL), GT_ERR_ARG, "gt_scan_clone: ");
	ck_refused(gt_scan_coarsen(NULL, 0, 0, 0, NULL), GT_ERR_ARG, "gt_scan_coarsen: ");
	ck_refused(gt_scan_from_matrices(NULL, 0, 0, 0, 0, NULL), GT_ERR_ARG, "gt_scan_from_matrices: ");
	ck_refused(gt_scan_new(GT_FLAT, 0, 0, 0, NULL), GT_ERR_ARG, "gt_scan_new: ");
	ck_refused(gt_scan_orbit(NULL, NULL), GT_ERR_ARG, "gt_scan_orbit: ");
	ck_refused(gt_scan_perturb(NULL, 0, 0, 0), GT_ERR_ARG, "gt_scan_perturb: ");
	ck_refused(gt_scan_rows_along_z(NULL, NULL), GT_ERR_ARG, "gt_scan_rows_along_z: ");
	ck_refused(gt_scan_subset(NULL, 0, 0, NULL), GT_ERR_ARG, "gt_scan_subset: ");
	ck_refused(gt_sheet_write(NULL, NULL), GT_ERR_ARG, "gt_sheet_write: ");
	ck_refused(gt_slab_new(NULL, 0, 0, 0, NULL, NULL), GT_ERR_ARG, "gt_slab_new: ");
	ck_refused(gt_slab_plan_new(NULL, NULL, NULL, NULL, NULL, NULL), GT_ERR_ARG, "gt_slab_plan_new: ");
	ck_refused(gt_slice_writer_commit(NULL), GT_ERR_ARG, "gt_slice_writer_commit: ");
	ck_refused(gt_slice_writer_create(NULL, NULL, NULL, NULL), GT_ERR_ARG, "gt_slice_writer_create: ");
	ck_refused(gt_slice_writer_write(NULL, 0, NULL), GT_ERR_ARG, "gt_slice_writer_write: ");
	ck_refused(gt_solve(NULL, NULL, NULL, NULL, NULL), GT_ERR_ARG, "gt_solve: ");
	ck_refused(gt_ssim(NULL, NULL, 0, NULL, NULL), GT_ERR_ARG, "gt_ssim: ");
	ck_refused(gt_subsets_new(NULL, NULL, GT_F32, NULL, NULL, NULL, NULL, 0, NULL), GT_ERR_ARG, "gt_subsets_new: ");
	ck_refused(gt_tmp_commit_new(NULL, NULL, NULL), GT_ERR_ARG, "gt_tmp_commit_new: ");
	ck_refused(gt_tmp_folder(NULL, 0, NULL, NULL), GT_ERR_ARG, "gt_tmp_folder: ");
	ck_refused(gt_tmp_path(NULL, NULL), GT_ERR_ARG, "gt_tmp_path: ");
	ck_refused(gt_value_range_check(NULL, NULL), GT_ERR_ARG, "gt_value_range_check: ");
	ck_refused(gt_view_reader_open(NULL, NULL, NULL, NULL), GT_ERR_ARG, "gt_view_reader_open: ");
	ck_refused(gt_view_reader_read(NULL, 0, 0, 0, 0, NULL), GT_ERR_ARG, "gt_view_reader_read: ");
	ck_refused(gt_weights_on_grid(NULL, NULL, NULL, NULL, NULL, NULL), GT_ERR_ARG, "gt_weights_on_grid: ");
	ck_refused(gt_write_projections(NULL, NULL, NULL), GT_ERR_ARG, "gt_write_projections: ");
	ck_refused(gt_write_volume(NULL, NULL, NULL), GT_ERR_ARG, "gt_write_volume: ");
}

/* An object that could not be made is empty, so freeing it is safe. */
GT_TEST(subsets_that_failed)
{
	gt_subsets s;
	gt_backend *be;
	gt_scan *scan;
	const gt_grid grid = { { 2, 2, 2 }, { 1, 1, 1 }, { 0, 0, 0 } };
	const float data = 0;
	memset(&s, 0x55, sizeof s);
	ck_ok(gt_backend_open("cpu:1", &be));
	ck_ok(gt_scan_new(GT_FLAT, 1, 1, 1, &scan));
	ck_refused(gt_subsets_new("dd", be, GT_F32, &grid, scan, &data, NULL, 2, &s), GT_ERR_ARG, "subsets=2");
	gt_subsets_free(&s);
	gt_scan_free(scan);
	gt_backend_close(be);
}

int main(void) { return gt_test_main("null_arguments", NULL); }
