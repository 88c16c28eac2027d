/* The loops of helical_cpu.c for one type T: included there once per type, with NAMED(name) defined. */

/* Rows of one parallel view from sixteen cells around each ray. */
static void NAMED(rebin_view)(const struct state *s, const struct gt_helix_view *w, const struct tap *tap, const T *data, T *out)
{
	const gt_helical_plan *p = s->plan;
	const size_t row_cells = p->source_columns, next = p->spots * p->rows * row_cells, columns = p->detector.columns;
	data += w->spot * p->rows * row_cells;
	for (size_t l = 0; l < p->rows; l++)
		for (size_t i = 0; i < columns; i++) {
			const struct tap *t = &tap[i];
			const T *in = data + t->ray.first * next + l * row_cells + t->column;
			double sum = 0;
			for (size_t v = 0; v < 4; v++, in += next)
				sum += t->ray.weight[v] *
				       (t->weight[0] * in[0] + t->weight[1] * in[1] + t->weight[2] * in[2] + t->weight[3] * in[3]);
			out[l * columns + i] = (T)sum;
		}
}

static void NAMED(rebin)(void *self, size_t begin, size_t end, int worker)
{
	const struct work *a = self;
	const struct state *s = a->state;
	const gt_helical_plan *p = s->plan;
	const size_t columns = p->detector.columns, cells = p->rows * columns;
	struct tap *tap = (struct tap *)(s->work + (size_t)worker * s->work_stride);
	for (size_t i = begin; i < end; i++) {
		const struct gt_helix_view w = gt_helical_view(p, a->first, i);
		T *out = (T *)s->rebinned + i * cells;
		if (!w.used) {
			memset(out, 0, cells * sizeof *out);
			continue;
		}
		for (size_t k = 0; k < columns; k++)
			s->z[i * columns + k] = find_tap(p, &w, k, &tap[k]);
		NAMED(rebin_view)(s, &w, tap, a->data, out);
	}
}

/* The line of the detector that a column of voxels sees. */
static void NAMED(mix)(const struct state *s, size_t view, const struct gt_helix_line *at, T *line)
{
	const size_t rows = s->plan->rows;
	const T *q = (const T *)s->filtered + (view * s->plan->filter->row.wide + at->k) * rows, right = (T)at->right;
	for (size_t l = 0; l < rows; l++)
		line[l] = q[l] + right * (q[rows + l] - q[l]);
	line[rows] = line[rows - 1];
}

/* Adds weight x value and weight of n slices at rows row + j step. */
static void NAMED(add_slices)(const gt_helical_plan *p, double row0, double slope, size_t n, const T *line, T *sum, T *weight)
{
	const double end_row = row0 + (double)(n - 1) * slope, highest = (double)p->rows - 1;
	const size_t base = (size_t)fmin(fmax(fmin(row0, end_row), 0), highest);
	const T row = (T)(row0 - (double)base), step = (T)slope, last = (T)(highest - (double)base), half = (T)p->rows / 2,
		middle = (T)(highest / 2 - (double)base), flat = (T)p->flat, over_rest = (T)(1 / (1 - p->flat));
	const T *near = line + base;
	for (size_t j = 0; j < n; j++) {
		const T at = row + (T)j * step, q = FABS(at - middle) / half, w = NAMED(gt_row_weight)(q, flat, over_rest);
		T l = at > 0 ? at : 0;
		l = l < last ? l : last;
		const int i = (int)l;
		sum[j] += w * (near[i] + (l - (T)i) * (near[i + 1] - near[i]));
		weight[j] += w;
	}
}

/* What no view of the bin saw takes the row that is nearest. */
static void NAMED(extend)(const struct state *s, const struct bin *b, double x, double y, T *line, T *sum, const T *weight, T *far)
{
	const gt_helical_plan *p = s->plan;
	const double z0 = gt_grid_first(&p->grid, 2), middle = ((double)p->rows - 1) / 2;
	for (size_t z = 0; z < p->grid.n[2]; z++)
		far[z] = INFINITY;
	for (size_t k = 0; k < p->turns; k++) {
		struct gt_helix_line at;
		if (!see(s, b, k, x, y, &at))
			continue;
		NAMED(mix)(s, b->view + k, &at, line);
		for (size_t z = 0; z < p->grid.n[2]; z++) {
			const double row = at.row0 + at.slope * (z0 + (double)z * p->grid.pitch[2]);
			if (weight[z] > 0 || !(fabs(row - middle) < (double)far[z]))
				continue;
			far[z] = (T)fabs(row - middle);
			sum[z] = line[row < middle ? 0 : p->rows - 1];
		}
	}
}

/* One bin onto one column of voxels. */
static void NAMED(add_bin)(const struct state *s, const struct bin *b, double x, double y, T *scratch, T *total)
{
	const gt_helical_plan *p = s->plan;
	const size_t nz = p->grid.n[2];
	const double z0 = gt_grid_first(&p->grid, 2), dz = p->grid.pitch[2];
	T *sum = scratch, *weight = sum + nz, *far = weight + nz, *line = far + nz;
	int missing = 0;
	memset(sum, 0, 2 * nz * sizeof *sum);
	for (size_t k = 0; k < p->turns; k++) {
		struct gt_helix_line at;
		size_t first, end;
		if (!see(s, b, k, x, y, &at))
			continue;
		gt_back_slices(at.row0 + at.slope * z0, at.slope * dz, p->rows, nz, &first, &end);
		if (first >= end)
			continue;
		NAMED(mix)(s, b->view + k, &at, line);
		for (size_t z = first; z < end; z += SLICES)
			NAMED(add_slices)(p, at.row0 + at.slope * (z0 + (double)z * dz), at.slope * dz, end - z < SLICES ? end - z : SLICES, line,
			                  sum + z, weight + z);
	}
	for (size_t z = 0; z < nz; z++)
		missing |= !(weight[z] > 0);
	if (missing && p->extend)
		NAMED(extend)(s, b, x, y, line, sum, weight, far);
	for (size_t z = 0; z < nz; z++)
		total[z] += weight[z] > 0 ? sum[z] / weight[z] : sum[z];
}

/* TILE columns of voxels side by side in x. */
static void NAMED(back)(void *self, size_t begin, size_t end, int worker)
{
	const struct work *a = self;
	const struct state *s = a->state;
	const gt_helical_plan *p = s->plan;
	const gt_grid *g = &p->grid;
	const size_t tiles = (g->n[0] + TILE - 1) / TILE, nz = g->n[2];
	T *total = (T *)(s->work + (size_t)worker * s->work_stride), *scratch = total + TILE * nz;
	for (size_t t = begin; t < end; t++) {
		const size_t iy = t / tiles, ix = t % tiles * TILE, n = g->n[0] - ix < TILE ? g->n[0] - ix : TILE;
		const double y = gt_grid_first(g, 1) + (double)iy * g->pitch[1];
		memset(total, 0, TILE * nz * sizeof *total);
		for (size_t b = 0; b < a->n; b++) {
			const struct bin bin = { s->view + b * p->turns, b * p->turns };
			for (size_t i = 0; i < n; i++) {
				const double x = gt_grid_first(g, 0) + (double)(ix + i) * g->pitch[0];
				if (hypot(x - p->detector.center[0], y - p->detector.center[1]) <= p->radius)
					NAMED(add_bin)(s, &bin, x, y, scratch, total + i * nz);
			}
		}
		T *out = (T *)a->x + iy * g->n[0] + ix;
		for (size_t z = 0; z < nz; z++)
			for (size_t i = 0; i < n && (p->extend || !p->incomplete[z]); i++)
				out[z * g->n[0] * g->n[1] + i] += total[i * nz + z];
	}
}
