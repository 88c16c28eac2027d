/* The loops of tv_cpu.c for one type T: included there once per type, after the maths. */

static void NAMED(constants)(TV_CONSTANTS *c, const struct job *j)
{
	static const struct gt_tv_step none;
	NAMED(tv_constants_set)(c, j->plan, j->step ? j->step : &none);
}

/* D(x + a p) and D p at a voxel. */
GT_INLINE void NAMED(both_differences)(const TV_CONSTANTS *c, const T *x, const T *p, T a, size_t at, unsigned next, T *d, T *along)
{
	NAMED(tv_differences_at)(c, x, at, next, d);
	NAMED(tv_differences_at)(c, p, at, next, along);
	for (int k = 0; k < 3; k++)
		d[k] += a * along[k];
}

GT_CLONES static void NAMED(sum_part)(void *self, size_t k, size_t last, int worker)
{
	struct job *j = self;
	TV_CONSTANTS c;
	NAMED(constants)(&c, j);
	const T *x = j->x, *p = j->p, a = (T)j->a;
	const size_t size = (rows(j->plan) + PARTS - 1) / PARTS;
	(void)worker;
	for (; k < last; k++) {
		double sum[2] = { 0, 0 };
		for (size_t row = k * size; row < (k + 1) * size && row < rows(j->plan); row++)
			for (size_t i = 0; i < c.n[0]; i++) {
				const unsigned next = gt_tv_next(c.n, i, row % c.n[1], row / c.n[1]);
				const size_t at = row * c.n[0] + i;
				T d[3], along[3], slope = 0, curvature = 0;
				if (p) {
					NAMED(both_differences)(&c, x, p, a, at, next, d, along);
					NAMED(tv_line)(&c, d, along, &slope, &curvature);
				} else {
					NAMED(tv_differences_at)(&c, x, at, next, d);
					slope = NAMED(tv_size)(c.anisotropic, d);
				}
				sum[0] += slope;
				sum[1] += curvature;
			}
		j->part[k][0] = sum[0];
		j->part[k][1] = sum[1];
	}
}

GT_CLONES static void NAMED(gradient_rows)(void *self, size_t row, size_t end, int worker)
{
	const struct job *j = self;
	TV_CONSTANTS c;
	NAMED(constants)(&c, j);
	T *g = j->g, *d = j->d;
	(void)worker;
	for (; row < end; row++)
		for (size_t i = 0, y = row % c.n[1], z = row / c.n[1]; i < c.n[0]; i++) {
			const size_t at = row * c.n[0] + i;
			T slope = 0, bound = 0;
			NAMED(tv_gradient)(&c, j->x, at, gt_tv_next(c.n, i, y, z), gt_tv_previous(i, y, z), &slope, &bound);
			g[at] += c.strength * slope;
			if (d)
				d[at] += c.strength * bound;
		}
}

GT_CLONES static void NAMED(majorize_rows)(void *self, size_t row, size_t end, int worker)
{
	const struct job *j = self;
	TV_CONSTANTS c;
	NAMED(constants)(&c, j);
	T *d = j->d;
	(void)worker;
	for (; row < end; row++)
		for (size_t i = 0, y = row % c.n[1], z = row / c.n[1]; i < c.n[0]; i++)
			d[row * c.n[0] + i] += c.strength * NAMED(tv_largest_bound)(&c, gt_tv_next(c.n, i, y, z), gt_tv_previous(i, y, z));
}

/* Proximal step ---------------------------------------------------------- */

GT_INLINE T NAMED(ahead)(const struct job *j, T ahead, int axis, size_t at)
{
	const T now = ((const T *)j->now.a[axis])[at], old = ((const T *)j->old.a[axis])[at];
	return now + ahead * (now - old);
}

/* u of a row of slice z; u may be the row of z itself. The dual is 0 at the last voxel of its axis: the voxel before the first is
 * that one. */
GT_INLINE void NAMED(primal_row)(const TV_CONSTANTS *c, const struct job *j, size_t y, size_t z, T *u)
{
	const size_t row = (z * c->n[1] + y) * c->n[0];
	const size_t before = y ? row - c->stride[1] : row + (c->n[1] - 1) * c->stride[1];
	const size_t below = z ? row - c->stride[2] : row + (c->n[2] - 1) * c->stride[2];
	const T *x = j->x;
	T left = 0;
	for (size_t i = 0; i < c->n[0]; i++) {
		const T r[3] = { NAMED(ahead)(j, c->ahead, 0, row + i), NAMED(ahead)(j, c->ahead, 1, row + i),
			         NAMED(ahead)(j, c->ahead, 2, row + i) };
		const T previous[3] = { left, NAMED(ahead)(j, c->ahead, 1, before + i), NAMED(ahead)(j, c->ahead, 2, below + i) };
		u[i] = NAMED(tv_primal)(c, x[row + i], r, previous);
		left = r[0];
	}
}

/* u, and u of the next row and of the next slice (any row, where there is none). */
GT_INLINE void NAMED(dual_row)(const TV_CONSTANTS *c, const struct job *j, size_t y, size_t z, const T *u, const T *up, const T *above)
{
	const size_t row = (z * c->n[1] + y) * c->n[0];
	T *const out[3] = { j->out.a[0], j->out.a[1], j->out.a[2] };
	for (size_t i = 0; i < c->n[0]; i++) {
		const unsigned next = gt_tv_next(c->n, i, y, z);
		const T u_next[3] = { next & 1 ? u[i + 1] : (T)0, up[i], above[i] };
		T r[3], p[3];
		for (int a = 0; a < 3; a++)
			r[a] = NAMED(ahead)(j, c->ahead, a, row + i);
		NAMED(tv_dual)(c, u[i], u_next, next, r, p);
		for (int a = 0; a < 3; a++)
			out[a][row + i] = p[a];
	}
}

GT_CLONES static void NAMED(dual_tiles)(void *self, size_t tile, size_t end, int worker)
{
	const struct job *j = self;
	TV_CONSTANTS c;
	NAMED(constants)(&c, j);
	const size_t nx = c.n[0], ny = c.n[1], nz = c.n[2], bands = tiles(ny, BAND);
	T *u = (T *)(j->scratch + (size_t)worker * worker_bytes(j->plan, sizeof(T) == 4 ? GT_F32 : GT_F64));
	for (; tile < end; tile++) {
		const size_t y0 = tile % bands * BAND, y1 = y0 + BAND < ny ? y0 + BAND : ny, high = y1 < ny ? y1 + 1 : ny;
		const size_t z0 = tile / bands * CHUNK, z1 = z0 + CHUNK < nz ? z0 + CHUNK : nz;
		T *here = u, *above = u + (high - y0) * nx;
		for (size_t y = y0; y < high; y++)
			NAMED(primal_row)(&c, j, y, z0, here + (y - y0) * nx);
		for (size_t z = z0; z < z1; z++) {
			for (size_t y = y0; y < high && z + 1 < nz; y++)
				NAMED(primal_row)(&c, j, y, z + 1, above + (y - y0) * nx);
			for (size_t y = y0; y < y1; y++) {
				const T *row = here + (y - y0) * nx;
				NAMED(dual_row)(&c, j, y, z, row, y + 1 < ny ? row + nx : row, z + 1 < nz ? above + (y - y0) * nx : row);
			}
			T *const free_slice = here;
			here = above;
			above = free_slice;
		}
	}
}

GT_CLONES static void NAMED(primal_rows)(void *self, size_t row, size_t end, int worker)
{
	const struct job *j = self;
	TV_CONSTANTS c;
	NAMED(constants)(&c, j);
	(void)worker;
	for (; row < end; row++)
		NAMED(primal_row)(&c, j, row % c.n[1], row / c.n[1], (T *)j->g + row * c.n[0]);
}
