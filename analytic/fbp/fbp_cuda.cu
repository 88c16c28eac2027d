/* Filtered backprojection on CUDA. Data stay on the device. Transfers are the weights of pixels, once per run or slab,
 * and one record per view with each batch. Rows are filtered in filter_cufft_cuda.cu; the table below lists the kernels
 * of the backprojection. Memory on the device: the filtered views of a batch and their records. */
#include <stdlib.h>
#include "analytic/fbp/fbp_cuda.cuh"
#include "core/try.h"

/* In the order of gt_kernel, from GT_KERNEL_PLAIN on. */
#define GT_FORM(NAME, id, text) &gt_back_##id,
static const struct gt_back_form *const forms[] = {
#include "analytic/fbp/back/forms.def"
};
#undef GT_FORM
/* kernel=auto takes the first of these that supports the plan. */
static const int preferred[] = { GT_KERNEL_TILES, GT_KERNEL_TILTED, GT_KERNEL_PLAIN };

struct state {
	gt_backend *be;
	const gt_fbp_plan *plan;
	gt_type type;
	const struct gt_back_form *form;
	void *own; /* data of the kernel form */
	gt_layout layout;
	struct gt_row_filter *filter;
	void *scratch; /* on the device, with sizes in bytes */
	struct gt_back_view *view;
	size_t scratch_bytes, view_bytes;
	const struct gt_back_view *sent; /* records on the device, and their number */
	size_t sent_views;
};

static const struct gt_back_form *form_of(int kernel) { return forms[kernel - GT_KERNEL_PLAIN]; }

static gt_status choose_form(gt_backend *be, const gt_fbp_plan *p, gt_type type, const struct gt_back_form **form,
                             struct gt_back_choice *choice)
{
	if (p->kernel != GT_KERNEL_AUTO) {
		*form = form_of(p->kernel);
		const char *why = (*form)->choose(be, p, type, choice);
		return why ? gt_fail(GT_ERR_UNSUPPORTED, "kernel=%s: %s", gt_kernel_names[p->kernel], why) : GT_OK;
	}
	for (size_t i = 0; i < sizeof preferred / sizeof *preferred; i++) {
		*form = form_of(preferred[i]);
		if (!(*form)->choose(be, p, type, choice))
			return GT_OK;
	}
	return gt_fail(GT_ERR_UNSUPPORTED, "no kernel of filtered backprojection for this scan");
}

static void send_views(struct state *s, size_t first, size_t n)
{
	const struct gt_back_view *view = s->plan->view + first;
	if (s->sent == view && s->sent_views == n)
		return;
	gt_backend_put(s->be, view, s->view, n * sizeof *s->view);
	s->sent = view;
	s->sent_views = n;
}

static void filter_(void *self, size_t first, size_t n, const void *data)
{
	struct state *s = (struct state *)self;
	if (s->be->status != GT_OK)
		return;
	send_views(s, first, n);
	gt_row_filter_run(s->filter, first, n, s->view, data, s->scratch);
}

static void place_(void *self, size_t n, const float *images)
{
	struct state *s = (struct state *)self;
	if (s->be->status != GT_OK)
		return;
	s->sent_views = 0; /* the caller changes the records */
	send_views(s, 0, n);
	gt_upload_images(s->be, s->plan, s->type, &s->layout, n, images, s->scratch);
}

static void back_(void *self, size_t first, size_t n, void *x)
{
	struct state *s = (struct state *)self;
	const struct gt_back_call call = { s->be, s->plan, s->type, s->layout, s->scratch, s->view, s->plan->view + first, n, x };
	if (s->be->status == GT_OK)
		s->form->run(s->own, &call);
}

static void close_(void *self)
{
	struct state *s = (struct state *)self;
	gt_backend_wait(s->be);
	if (s->own)
		s->form->close(s->own);
	gt_row_filter_free(s->filter);
	gt_backend_free(s->be, s->scratch, s->scratch_bytes);
	gt_backend_free(s->be, s->view, s->view_bytes);
	free(s);
}

static gt_status open_(gt_backend *be, const gt_fbp_plan *p, gt_type type, size_t *batch, void **out)
{
	struct gt_back_choice choice = {};
	struct state *s = (struct state *)calloc(1, sizeof *s);
	gt_status st = GT_OK;
	if (!s)
		return gt_fail(GT_ERR_MEMORY, "no memory for filtered backprojection");
	s->be = be;
	s->plan = p;
	s->type = type;
	GT_TRY(choose_form(be, p, type, &s->form, &choice));
	s->layout = choice.layout;
	*batch = *batch ? *batch : gt_fbp_batch(be, p, gt_layout_view(&s->layout, p, type));
	s->scratch_bytes = *batch * gt_layout_view(&s->layout, p, type);
	s->view_bytes = *batch * sizeof *s->view;
	if (!(s->scratch = gt_backend_alloc(be, s->scratch_bytes, "filtered views")) ||
	    !(s->view = (struct gt_back_view *)gt_backend_alloc(be, s->view_bytes, "table of views"))) {
		st = GT_ERR_MEMORY;
		goto done;
	}
	GT_TRY(s->form->open(be, p, &choice, *batch, &s->own));
	if (p->row.n)
		GT_TRY(gt_row_filter_new(be, p, type, &s->layout, *batch, &s->filter));
	*out = s;
done:
	if (st != GT_OK)
		close_(s);
	return st;
}

extern "C" const struct gt_fbp_impl gt_fbp_cuda = { open_, filter_, place_, back_, close_ };
