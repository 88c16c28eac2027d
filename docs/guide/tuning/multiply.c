// Multiplies two matrices of doubles on one core, by alternatives that `gantry tune` chooses from. Prints the time in ms.
#include <stdio.h>
#include <string.h>
#include <time.h>

// tune N 192
// tune BLOCK 16 48 192

static double a[N][N], b[N][N], c[N][N];

static void multiply(void)
{
	// tune choose LOOPS plain
	for (int i = 0; i < N; i++)
		for (int j = 0; j < N; j++)
			// tune or rows
			for (int i = 0; i < N; i++)
				for (int k = 0; k < N; k++)
					// tune or blocks
					for (int k0 = 0; k0 < N; k0 += BLOCK)
						for (int i = 0; i < N; i++)
							for (int k = k0; k < k0 + BLOCK; k++)
								// tune end
								// tune choose INNER dot after plain
								for (int k = 0; k < N; k++)
									c[i][j] += a[i][k] * b[k][j];
	// tune or axpy after rows blocks
	for (int j = 0; j < N; j++)
		c[i][j] += a[i][k] * b[k][j];
	// tune end
	// tune keep LOOPS == blocks || BLOCK == 16
}

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

int main(void)
{
	double best = 1e30;
	for (int i = 0; i < N; i++)
		for (int j = 0; j < N; j++) {
			a[i][j] = i % 7 + j % 3;
			b[i][j] = i % 5 - j % 4;
		}
	for (int repeat = 0; repeat < 5; repeat++) {
		memset(c, 0, sizeof c);
		const double begin = now();
		multiply();
		best = now() - begin < best ? now() - begin : best;
	}
	for (int i = 0; i < N; i += 17)
		for (int j = 0; j < N; j += 13) {
			double sum = 0;
			for (int k = 0; k < N; k++)
				sum += a[i][k] * b[k][j];
			if (sum != c[i][j])
				return fprintf(stderr, "wrong at row %d, column %d\n", i, j), 1;
		}
	printf("%.4f\n", best);
	return 0;
}
