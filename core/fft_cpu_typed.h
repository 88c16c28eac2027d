/* The loops of fft_cpu.c for one type T: included there once per type, with NAMED(name) and FFTW(name) defined. */

static int NAMED(plan)(struct state *s)
{
	const int nx = (int)s->plan.padded[0], ny = (int)s->plan.padded[1];
	T *plane = (T *)s->work;
	s->FFTW(forth) = FFTW(plan_dft_r2c_2d)(ny, nx, plane, (FFTW(complex) *)plane, FFTW_ESTIMATE);
	s->FFTW(back) = FFTW(plan_dft_c2r_2d)(ny, nx, (FFTW(complex) *)plane, plane, FFTW_ESTIMATE);
	return s->FFTW(forth) && s->FFTW(back);
}

static void NAMED(drop)(struct state *s)
{
	if (s->FFTW(forth))
		FFTW(destroy_plan)(s->FFTW(forth));
	if (s->FFTW(back))
		FFTW(destroy_plan)(s->FFTW(back));
}

static T NAMED(share)(const gt_slices_share *s, size_t voxel)
{
	const T scale = ((const T *)s->scale->data)[voxel];
	return s->place ? (T)gt_share(scale, ((const T *)s->place->data)[voxel], s->at) : scale;
}

static void NAMED(load)(const gt_slices_plan *p, const T *x, const gt_slices_share *share, size_t first, T *plane)
{
	const size_t wide = p->padded[0] + 2, nx = p->n[0], ny = p->n[1];
	memset(plane, 0, wide * p->padded[1] * sizeof *plane);
	for (size_t j = 0; j < ny; j++)
		for (size_t i = 0; i < nx; i++)
			plane[j * wide + i] = NAMED(share)(share, first + j * nx + i) * x[first + j * nx + i];
}

static void NAMED(store)(const gt_slices_plan *p, const T *plane, const gt_slices_share *share, int add, size_t first, T *y)
{
	const size_t wide = p->padded[0] + 2, nx = p->n[0], ny = p->n[1];
	for (size_t j = 0; j < ny; j++)
		for (size_t i = 0; i < nx; i++) {
			const size_t voxel = first + j * nx + i;
			y[voxel] = (add ? y[voxel] : 0) + NAMED(share)(share, voxel) * plane[j * wide + i];
		}
}

static void NAMED(filter_slices)(void *self, size_t begin, size_t end, int worker)
{
	const struct filtering *f = self;
	const struct state *s = f->state;
	const gt_slices_plan *p = &s->plan;
	const T *h = f->response;
	T *plane = (T *)(s->work + (size_t)worker * s->stride);
	for (size_t z = begin; z < end; z++) {
		const size_t first = z * p->n[0] * p->n[1];
		NAMED(load)(p, f->x, f->share, first, plane);
		FFTW(execute_dft_r2c)(s->FFTW(forth), plane, (FFTW(complex) *)plane);
		for (size_t k = 0; k < gt_slices_waves(p); k++) {
			plane[2 * k] *= h[k];
			plane[2 * k + 1] *= h[k];
		}
		FFTW(execute_dft_c2r)(s->FFTW(back), (FFTW(complex) *)plane, plane);
		NAMED(store)(p, plane, f->share, f->add, first, f->y);
	}
}
