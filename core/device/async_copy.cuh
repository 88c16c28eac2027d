#ifndef GT_CORE_DEVICE_ASYNC_COPY_CUH
#define GT_CORE_DEVICE_ASYNC_COPY_CUH
/* Device code of the kernels that stage tables in shared memory: loads by 32-bit address, bulk copies and the barriers
 * that count them (compute capability 9.0). */
#include <cuda.h>
#include <cuda_runtime.h>

static __device__ __forceinline__ unsigned address_of(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }
/* A constant byte offset from a is free. */
template <int OFFSET = 0> static __device__ __forceinline__ float load1(unsigned a)
{
	float x;
	asm volatile("ld.shared.f32 %0, [%1+%2];" : "=f"(x) : "r"(a), "n"(OFFSET) : "memory");
	return x;
}
template <int OFFSET = 0> static __device__ __forceinline__ float2 load2(unsigned a)
{
	float2 x;
	asm volatile("ld.shared.v2.f32 {%0,%1}, [%2+%3];" : "=f"(x.x), "=f"(x.y) : "r"(a), "n"(OFFSET) : "memory");
	return x;
}
template <int OFFSET = 0> static __device__ __forceinline__ float4 load4(unsigned a)
{
	float4 x;
	asm volatile("ld.shared.v4.f32 {%0,%1,%2,%3}, [%4+%5];" : "=f"(x.x), "=f"(x.y), "=f"(x.z), "=f"(x.w) : "r"(a), "n"(OFFSET) : "memory");
	return x;
}
template <int OFFSET = 0> static __device__ __forceinline__ void store1(unsigned a, float x)
{
	asm volatile("st.shared.f32 [%0+%1], %2;" ::"r"(a), "n"(OFFSET), "f"(x) : "memory");
}
template <int OFFSET = 0> static __device__ __forceinline__ void store2(unsigned a, float x, float y)
{
	asm volatile("st.shared.v2.f32 [%0+%1], {%2,%3};" ::"r"(a), "n"(OFFSET), "f"(x), "f"(y) : "memory");
}
static __device__ __forceinline__ void store4(unsigned a, float x, float y, float z, float w)
{
	asm volatile("st.shared.v4.f32 [%0], {%1,%2,%3,%4};" ::"r"(a), "f"(x), "f"(y), "f"(z), "f"(w) : "memory");
}
/* The same value in all lanes, and the compiler knows it: control flow that depends on it needs no barriers. */
static __device__ __forceinline__ int same(int x) { return __shfl_sync(~0u, x, 0); }

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
static __device__ __forceinline__ void barrier_init(unsigned bar, unsigned count)
{
	asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(bar), "r"(count) : "memory");
}
/* The count as an immediate operand: in a register it changes the schedule of the kernel. */
template <int COUNT> static __device__ __forceinline__ void barrier_init(unsigned bar)
{
	asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(bar), "n"(COUNT) : "memory");
}
static __device__ __forceinline__ void barrier_fence() { asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory"); }
/* Orders this thread's writes to shared memory before bulk copies that overwrite it. */
static __device__ __forceinline__ void fence_for_bulk_copies() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }
static __device__ __forceinline__ void barrier_expect(unsigned bar, unsigned bytes)
{
	asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(bar), "r"(bytes) : "memory");
}
static __device__ __forceinline__ void barrier_arrive(unsigned bar)
{
	asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(bar) : "memory");
}
/* Programmatic stream serialization of two launches: blocks of the second start when all blocks of the first have
 * called let_next_launch_begin(). Code after await_last_launch() runs after the end of the first. */
static __device__ __forceinline__ void let_next_launch_begin() { asm volatile("griddepcontrol.launch_dependents;" ::: "memory"); }
static __device__ __forceinline__ void await_last_launch() { asm volatile("griddepcontrol.wait;" ::: "memory"); }

/* barrier_wait() and barrier_wait_tight() wait for the same phase. Their loops differ in layout, which changes how the
 * compiler schedules the surrounding code; each kernel was tuned with its own. This includes the order of argument
 * evaluation, so the second takes a pointer. */
static __device__ __forceinline__ void barrier_wait(unsigned bar, unsigned parity)
{
	asm volatile("{\n"
	             ".reg .pred done;\n"
	             "again:\n"
	             "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
	             "@done bra end;\n"
	             "bra again;\n"
	             "end:\n"
	             "}" ::"r"(bar),
	             "r"(parity)
	             : "memory");
}
static __device__ __forceinline__ void barrier_wait_tight(const void *bar, unsigned parity)
{
	asm volatile("{\n"
	             ".reg .pred done;\n"
	             "again: mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
	             "@!done bra again;\n"
	             "}" ::"r"(address_of(bar)),
	             "r"(parity)
	             : "memory");
}
/* True in exactly one lane, and the compiler knows it. Later bulk copies in a loop take their addresses from uniform
 * registers, without a loop over possible lanes. */
static __device__ __forceinline__ bool elected()
{
	int yes;
	asm volatile("{\n"
	             ".reg .pred one;\n"
	             "elect.sync _|one, 0xffffffff;\n"
	             "selp.b32 %0, 1, 0, one;\n"
	             "}"
	             : "=r"(yes));
	return yes;
}
/* bytes and both addresses must be multiples of 16. */
static __device__ __forceinline__ void bulk_copy(unsigned to, const void *from, unsigned bytes, unsigned bar)
{
	asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to), "l"(from),
	             "r"(bytes), "r"(bar)
	             : "memory");
}
/* Copies the box of a three-axis tensor whose first entry is (x, y, z); `to` must be a multiple of 128 bytes. */
static __device__ __forceinline__ void bulk_copy_box(unsigned to, const CUtensorMap *from, int x, int y, unsigned z, unsigned bar)
{
	asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, %4}], [%5];" ::"r"(to),
	             "l"(from), "r"(x), "r"(y), "r"(z), "r"(bar)
	             : "memory");
}
#endif
#endif
