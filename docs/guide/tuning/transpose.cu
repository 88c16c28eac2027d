// Transposes a matrix of floats on a GPU, by alternatives that `gantry tune` chooses from. Prints the time in ms.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

// tune TILE 16 32 64
// tune ROWS 4 8 16
// tune keep TILE % ROWS == 0 && TILE * ROWS <= 1024

__global__ void transpose(float *out, const float *in, int n)
{
	const int x0 = blockIdx.x * TILE, y0 = blockIdx.y * TILE;
	// tune choose MEMORY direct
	// tune or tiled
	__shared__ float tile[TILE][TILE];
	// tune or padded
	__shared__ float tile[TILE][TILE + 1];
	// tune end
	// tune choose LOAD rows after direct
	for (int k = threadIdx.y; k < TILE; k += ROWS)
		out[(size_t)(x0 + threadIdx.x) * n + y0 + k] = in[(size_t)(y0 + k) * n + x0 + threadIdx.x];
	// tune or plain after tiled padded
	for (int k = threadIdx.y; k < TILE; k += ROWS)
		tile[k][threadIdx.x] = in[(size_t)(y0 + k) * n + x0 + threadIdx.x];
	// tune or cached after tiled padded
	for (int k = threadIdx.y; k < TILE; k += ROWS)
		tile[k][threadIdx.x] = __ldg(&in[(size_t)(y0 + k) * n + x0 + threadIdx.x]);
	// tune end
	// tune choose MEMORY tiled
	__syncthreads();
	for (int k = threadIdx.y; k < TILE; k += ROWS)
		out[(size_t)(x0 + k) * n + y0 + threadIdx.x] = tile[threadIdx.x][k];
	// tune or padded
	__syncthreads();
	for (int k = threadIdx.y; k < TILE; k += ROWS)
		out[(size_t)(x0 + k) * n + y0 + threadIdx.x] = tile[threadIdx.x][k];
	// tune end
}

int main(void)
{
	const int n = 8192, repeats = 20;
	const size_t bytes = (size_t)n * n * sizeof(float);
	float *host = (float *)malloc(bytes), *in, *out, ms = 0, best = 1e30f;
	for (size_t i = 0; i < (size_t)n * n; i++)
		host[i] = (float)(i % 16777213);
	if (cudaMalloc(&in, bytes) || cudaMalloc(&out, bytes) || cudaMemcpy(in, host, bytes, cudaMemcpyHostToDevice))
		return fprintf(stderr, "no GPU memory\n"), 1;
	cudaEvent_t begin, end;
	cudaEventCreate(&begin);
	cudaEventCreate(&end);
	for (int i = 0; i < repeats; i++) {
		cudaEventRecord(begin);
		transpose<<<dim3(n / TILE, n / TILE), dim3(TILE, ROWS)>>>(out, in, n);
		cudaEventRecord(end);
		cudaEventSynchronize(end);
		cudaEventElapsedTime(&ms, begin, end);
		best = ms < best ? ms : best;
	}
	if (cudaMemcpy(host, out, bytes, cudaMemcpyDeviceToHost))
		return fprintf(stderr, "%s\n", cudaGetErrorString(cudaGetLastError())), 1;
	for (size_t y = 0; y < (size_t)n; y++)
		for (size_t x = 0; x < (size_t)n; x++)
			if (host[y * n + x] != (float)((x * n + y) % 16777213))
				return fprintf(stderr, "wrong at row %zu, column %zu\n", y, x), 1;
	printf("%.4f\n", best);
	return 0;
}
