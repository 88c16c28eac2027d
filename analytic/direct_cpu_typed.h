/* The loops of direct_cpu.c for one type T: included there once per type, with NAMED(name), FFTW(name) and its types
 * defined. The scratch is [view][filtered column][row]: a column of voxels reads two neighbouring lines of it. */

/* Filter ---------------------------------------------------------------- */

/* A row, weighted, into its place in the transform, and the means of its ends. */
static void NAMED(load_row)(const struct filtering *f, size_t view, size_t row, const T *data, T *line, double mean[2])
{
	const gt_direct_plan *p = f->state->plan;
	const gt_row_plan *r = &p->row;
	const size_t table = p->view[view].table * p->columns;
	const double *gain = p->gain + table, *slope = p->slope + table;
	const double height = p->view[view].height + (double)row * p->row_pitch;
	const T *in = data + (view * p->rows + gt_back_row(&p->view[view], p->rows, row)) * p->columns;
	for (size_t k = 0; k < p->columns; k++)
		line[k] = (T)(in[k] * gt_cell_weight(gain[k], slope[k], height));
	for (size_t k = p->columns; k < r->n; k++)
		line[k] = 0;
	const size_t edge = p->columns < GT_EDGE_CELLS ? p->columns : GT_EDGE_CELLS;
	mean[0] = mean[1] = 0;
	for (size_t k = 0; k < edge; k++) {
		mean[0] += line[k] / (double)edge;
		mean[1] += line[p->columns - 1 - k] / (double)edge;
	}
}

/* Filtered column i of a row in `line`, with its tails. */
static inline T NAMED(filtered)(const gt_direct_plan *p, const T *line, const double mean[2], size_t i)
{
	const gt_row_plan *r = &p->row;
	const T value = line[i < r->lead ? r->n + i - r->lead : i - r->lead];
	return p->tail[0] ? value + (T)(mean[0] * p->tail[0][i] + mean[1] * p->tail[1][i]) : value;
}

/* ROWS_AT_ONCE rows of one view go to neighbouring places of the scratch. */
static void NAMED(filter_rows)(void *self, size_t begin, size_t end, int worker)
{
	const struct filtering *f = self;
	const struct state *s = f->state;
	const gt_direct_plan *p = s->plan;
	const gt_row_plan *r = &p->row;
	T *line = (T *)((char *)s->work + (size_t)worker * s->work_stride), *kept = line + (r->n + 2 + 15) / 16 * 16;
	const size_t groups = row_groups(p);
	for (size_t g = begin; g < end; g++) {
		const size_t v = g / groups, l0 = g % groups * ROWS_AT_ONCE;
		const size_t n = p->rows - l0 < ROWS_AT_ONCE ? p->rows - l0 : ROWS_AT_ONCE;
		for (size_t l = 0; l < n; l++) {
			double mean[2];
			NAMED(load_row)(f, f->first + v, l0 + l, f->data, line, mean);
			FFTW(execute_dft_r2c)(s->FFTW(forth), line, (FFTW(complex) *)line);
			for (size_t k = 0; k <= r->n / 2; k++) {
				line[2 * k] *= (T)p->response[k];
				line[2 * k + 1] *= (T)p->response[k];
			}
			FFTW(execute_dft_c2r)(s->FFTW(back), (FFTW(complex) *)line, line);
			for (size_t i = 0; i < r->wide; i++)
				kept[i * ROWS_AT_ONCE + l] = NAMED(filtered)(p, line, mean, i);
		}
		T *out = (T *)s->scratch + v * r->wide * p->rows + l0;
		for (size_t i = 0; i < r->wide; i++)
			for (size_t l = 0; l < n; l++)
				out[i * p->rows + l] = kept[i * ROWS_AT_ONCE + l];
	}
}

static int NAMED(plan_transforms)(struct state *s)
{
	const int n = (int)s->plan->row.n;
	T *line = s->work;
	pthread_mutex_lock(&gt_fft_planner);
	s->FFTW(forth) = FFTW(plan_dft_r2c_1d)(n, line, (FFTW(complex) *)line, FFTW_ESTIMATE);
	s->FFTW(back) = FFTW(plan_dft_c2r_1d)(n, (FFTW(complex) *)line, line, FFTW_ESTIMATE);
	pthread_mutex_unlock(&gt_fft_planner);
	return s->FFTW(forth) && s->FFTW(back);
}

static void NAMED(drop_transforms)(struct state *s)
{
	pthread_mutex_lock(&gt_fft_planner);
	if (s->FFTW(forth))
		FFTW(destroy_plan)(s->FFTW(forth));
	if (s->FFTW(back))
		FFTW(destroy_plan)(s->FFTW(back));
	pthread_mutex_unlock(&gt_fft_planner);
}

/* COLUMNS_AT_ONCE columns of images that are filtered already, and the border around them. */
static void NAMED(place_columns)(void *self, size_t begin, size_t end, int worker)
{
	const struct placing *f = self;
	const gt_direct_plan *p = f->state->plan;
	const size_t groups = column_groups(p), wide = p->row.wide, rows = p->rows, columns = p->columns;
	(void)worker;
	for (size_t g = begin; g < end; g++) {
		const size_t v = g / groups, first = g % groups * COLUMNS_AT_ONCE;
		const size_t last = first + COLUMNS_AT_ONCE < wide ? first + COLUMNS_AT_ONCE : wide;
		const float *in = f->images + v * (rows - 2) * columns;
		T *out = (T *)f->state->scratch + v * wide * rows;
		for (size_t l = 0; l < rows; l++)
			for (size_t k = first; k < last; k++) {
				const int inside = l > 0 && l + 1 < rows && k > 0 && k + 1 < wide;
				out[k * rows + l] = inside ? (T)in[(l - 1) * columns + k - 1] : 0;
			}
	}
}

/* Backprojection -------------------------------------------------------- */

/* The line of the detector that a column of voxels sees, interpolated between two columns: rows first .. last. */
static void NAMED(mix)(const T *q, size_t rows, T left, T right, size_t first, size_t last, T *line)
{
	for (size_t l = first; l <= last; l++)
		line[l] = left * q[l] + right * q[rows + l];
	line[last + 1] = line[last];
}

/* z slices from the z-th on, n of them, at rows row + j step. Rows are counted from a base near them, so that their
 * fractions keep the precision of T. */
static void NAMED(add_slices)(const struct span *a, const T *line, size_t z, size_t n, T *sum)
{
	const double begin = a->row + (double)z * a->step, end = begin + (double)(n - 1) * a->step;
	const double least = fmin(fmax(fmin(begin, end), 0), a->last);
	const size_t base = (size_t)least;
	const T *near = line + base, row = (T)(begin - (double)base), step = (T)a->step, last = (T)(a->last - (double)base);
	for (size_t j = 0; j < n; j++) {
		T l = row + (T)j * step;
		l = l > 0 ? l : 0;
		l = l < last ? l : last;
		const int i = (int)l;
		sum[z + j] += near[i] + (l - (T)i) * (near[i + 1] - near[i]);
	}
}

/* One view with a matrix onto one column of voxels. */
static void NAMED(add_tilted)(const struct backing *b, size_t v, double x, double y, T *sum)
{
	const gt_direct_plan *p = b->state->plan;
	const struct gt_back_view *w = &p->view[b->first + v];
	const double first = gt_grid_first(&p->grid, 2), last = (double)p->rows - 1;
	const T *view = (const T *)b->state->scratch + v * p->row.wide * p->rows;
	double column, row, lambda;
	for (size_t z = 0; z < p->grid.n[2]; z++) {
		if (!gt_back_point(w, x, y, first + (double)z * p->grid.pitch[2], &column, &row, &lambda) ||
		    !gt_back_sees(column, row, p->row.wide, p->rows, p->clamp_rows))
			continue;
		row = fmin(fmax(row, 0), last);
		size_t k = (size_t)column, l = (size_t)row;
		k = k < p->row.wide - 1 ? k : p->row.wide - 2;
		const size_t up = l + 1 < p->rows ? 1 : 0;
		const T right = (T)(column - (double)k), above = (T)(row - (double)l), square = (T)(lambda * lambda);
		const T *near = view + k * p->rows + l, *far = near + p->rows;
		const T low = near[0] + right * (far[0] - near[0]), high = near[up] + right * (far[up] - near[up]);
		sum[z] += square * (low + above * (high - low));
	}
}

/* One view onto one column of voxels. */
static void NAMED(add_view)(const struct backing *b, size_t v, double x, double y, T *line, T *sum)
{
	const gt_direct_plan *p = b->state->plan;
	double column, lambda;
	if (p->tilted) {
		NAMED(add_tilted)(b, v, x, y, sum);
		return;
	}
	if (!gt_back_column(p->shape, &p->view[b->first + v], x, y, &column, &lambda))
		return;
	if (!(column >= 0 && column <= (double)(p->row.wide - 1)))
		return;
	size_t k = (size_t)column;
	k = k < p->row.wide - 1 ? k : p->row.wide - 2;
	struct span a;
	if (!find_span(p, &p->view[b->first + v], lambda, &a))
		return;
	const double right = column - (double)k;
	const T *q = (const T *)b->state->scratch + (v * p->row.wide + k) * p->rows;
	NAMED(mix)(q, p->rows, (T)(lambda * lambda * (1 - right)), (T)(lambda * lambda * right), a.first_row, a.last_row, line);
	for (size_t z = a.first; z < a.end; z += SLICES)
		NAMED(add_slices)(&a, line, z, a.end - z < SLICES ? a.end - z : SLICES, sum);
}

/* TILE columns of voxels side by side in x: they see the same lines of every view. */
static void NAMED(back_tiles)(void *self, size_t begin, size_t end, int worker)
{
	const struct backing *b = self;
	const struct state *s = b->state;
	const gt_direct_plan *p = s->plan;
	const gt_grid *g = &p->grid;
	const size_t tiles = (g->n[0] + TILE - 1) / TILE, nz = g->n[2];
	T *sum = (T *)((char *)s->work + (size_t)worker * s->work_stride), *line = sum + TILE * nz;
	for (size_t t = begin; t < end; t++) {
		const size_t iy = t / tiles, ix = t % tiles * TILE, n = g->n[0] - ix < TILE ? g->n[0] - ix : TILE;
		const double y = gt_grid_first(g, 1) + (double)iy * g->pitch[1], x = gt_grid_first(g, 0) + (double)ix * g->pitch[0];
		size_t inside[TILE], count = 0;
		for (size_t i = 0; i < n; i++)
			if (hypot(x + (double)i * g->pitch[0] - p->center[0], y - p->center[1]) <= p->radius)
				inside[count++] = i;
		memset(sum, 0, TILE * nz * sizeof *sum);
		for (size_t v = 0; v < b->n; v++)
			for (size_t i = 0; i < count; i++)
				NAMED(add_view)(b, v, x + (double)inside[i] * g->pitch[0], y, line, sum + inside[i] * nz);
		T *out = (T *)b->x + iy * g->n[0] + ix;
		for (size_t z = 0; z < nz; z++)
			for (size_t i = 0; i < n; i++)
				out[z * g->n[0] * g->n[1] + i] += sum[i * nz + z];
	}
}
