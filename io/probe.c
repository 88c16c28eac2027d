/* Probe process. HDF5, NetCDF and DCMTK trust their input: a damaged file may crash them, or consume memory and time
 * far beyond its size. A child process parses it first. fork() without exec() needs no other program. The child calls
 * only the library, reports through a pipe and ends by _exit(): it neither prints nor removes files of its parent. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "core/text.h"
#include "io/probe.h"
#include "io/probed_files.h"

/* Limits for each file: seconds of CPU and wall time, bytes of address space beyond the parent's. */
enum { MAX_WALL = 120, MAX_LOCKED = 2, MAX_CPU = 20, MAX_MESSAGE = 480, POLL_MS = 50 };
#define MIN_CPU 0.8
#define BYTES_PER_CPU_SECOND 2e7
/* Steps of a fixed computation, and seconds after which the processor counts as slow: four times those of one with
 * 3 GHz. An emulated or instrumented one gets more time in proportion. */
enum { SPEED_STEPS = 1 << 18 };
#define SPEED_SECONDS 1.5e-3
/* Replaces the wait status of a child that ended; waitpid() never returns it. A lock that another thread held at fork()
 * is free in a later child. */
enum { DEADLOCK = -2, MAX_CHILDREN = 3 };
#define MIN_MEMORY (96.0 * 1048576)
#define MEMORY_PER_BYTE 8
/* Libraries hide failed allocations: if less than this remained below the limit, memory was exhausted. */
#define MEMORY_LEFT (2.0 * 1048576)

/* Result for one file; the child writes it atomically. */
typedef struct {
	gt_status status;
	char message[MAX_MESSAGE];
} report;

typedef struct {
	const char *const *path;
	gt_probed_file *file; /* [n] */
	size_t n, done;
	const char *library;
	gt_probe_walk walk;
} probe_job;

/* Without /proc the memory is not limited. */
static double address_space(void)
{
	char text[64] = "";
	const int file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
	const ssize_t n = file >= 0 ? read(file, text, sizeof text - 1) : 0;
	if (file >= 0)
		close(file);
	return n > 0 ? strtod(text, NULL) * (double)sysconf(_SC_PAGESIZE) : 0;
}

/* Peak address space in bytes; 0: unknown. */
static double peak_address_space(void)
{
	char text[4096] = "";
	const int file = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
	const ssize_t n = file >= 0 ? read(file, text, sizeof text - 1) : 0;
	const char *peak = n > 0 ? strstr(text, "VmPeak:") : NULL;
	if (file >= 0)
		close(file);
	return peak ? 1024 * strtod(peak + 7, NULL) : 0;
}

/* 1: the process waits for a lock. The child has one thread, so no thread can unlock it. */
static int waits_for_lock(pid_t child)
{
	char name[64], text[64] = "";
	snprintf(name, sizeof name, "/proc/%ld/syscall", (long)child);
	const int file = open(name, O_RDONLY | O_CLOEXEC);
	const ssize_t n = file >= 0 ? read(file, text, sizeof text - 1) : 0;
	char *end = text;
	const long call = n > 0 ? strtol(text, &end, 10) : -1;
	if (file >= 0)
		close(file);
	return end > text && call == SYS_futex;
}

static double seconds_used(void)
{
	struct rusage u;
	getrusage(RUSAGE_SELF, &u);
	return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) + 1e-6 * (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}

/* Returns the time of a fixed computation over that of a slow processor, at least 1. */
static double slowness(void)
{
	const double begin = seconds_used();
	volatile uint32_t result;
	uint32_t x = 1;
	for (int i = 0; i < SPEED_STEPS; i++)
		x = (x ^ x >> 15) * 2654435769u + 1;
	result = x;
	(void)result;
	return fmax(1, (seconds_used() - begin) / SPEED_SECONDS);
}

static void limit(int resource, double value)
{
	struct rlimit r;
	if (getrlimit(resource, &r) != 0)
		return;
	if (r.rlim_max == RLIM_INFINITY || value < (double)r.rlim_max)
		r.rlim_cur = (rlim_t)value;
	setrlimit(resource, &r);
}

/* Limit of the address space; 0: none. A soft limit can be raised again for the next file. slow: slowness(). */
static double limit_for(double bytes, double slow)
{
	const double used = address_space(), cpu = slow * (MIN_CPU + bytes / BYTES_PER_CPU_SECOND), max = slow * MAX_CPU;
	if (used > 0)
		limit(RLIMIT_AS, used + MIN_MEMORY + MEMORY_PER_BYTE * bytes);
	limit(RLIMIT_CPU, ceil(seconds_used() + fmin(cpu, max)));
	alarm(MAX_WALL);
	return used > 0 ? used + MIN_MEMORY + MEMORY_PER_BYTE * bytes : 0;
}

/* Default signal handlers, no core dump, no output. */
static void become_child(void)
{
	static const int fatal[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGALRM, SIGXCPU, SIGTERM, SIGINT, SIGPIPE };
	const struct rlimit none = { 0, 0 };
	const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
	sigset_t empty;
	for (size_t i = 0; i < sizeof fatal / sizeof *fatal; i++)
		signal(fatal[i], SIG_DFL);
	sigemptyset(&empty);
	sigprocmask(SIG_SETMASK, &empty, NULL);
	setrlimit(RLIMIT_CORE, &none);
	if (nowhere >= 0) {
		dup2(nowhere, STDOUT_FILENO);
		dup2(nowhere, STDERR_FILENO);
	}
}

static void walk_and_exit(const probe_job *j, int to)
{
	become_child();
	const double slow = slowness();
	for (size_t i = j->done; i < j->n; i++) {
		report r;
		memset(&r, 0, sizeof r);
		const double max = limit_for((double)j->file[i].size, slow), before = peak_address_space();
		r.status = j->walk(j->path[i]);
		const double peak = peak_address_space();
		if (r.status == GT_OK && max > 0 && peak > before && peak > max - MEMORY_LEFT)
			r.status = GT_ERR_MEMORY;
		if (r.status != GT_OK)
			snprintf(r.message, sizeof r.message, "%s", gt_error());
		if (write(to, &r, sizeof r) != sizeof r || r.status != GT_OK)
			break;
	}
	_exit(0);
}

/* 1: the child has ended with *status, or -1 if other code of the process collected it. */
static int has_ended(pid_t child, int wait_for_it, int *status)
{
	pid_t ended;
	do
		ended = waitpid(child, status, wait_for_it ? 0 : WNOHANG);
	while (ended < 0 && errno == EINTR);
	if (ended < 0)
		*status = -1;
	return ended != 0;
}

/* 0: the child ended without a report. Its end counts, not the end of the pipe: other child processes may hold it
 * open. */
static int next_report(pid_t child, int from, report *r, int *ended, int *status)
{
	struct pollfd p = { .fd = from, .events = POLLIN };
	for (int locked = 0;;) {
		const int last = *ended;
		const int ready = poll(&p, 1, last ? 0 : POLL_MS);
		if (ready > 0)
			return read(from, r, sizeof *r) == sizeof *r;
		if (last)
			return 0;
		*ended = has_ended(child, 0, status);
		locked = !*ended && waits_for_lock(child) ? locked + 1 : 0;
		if (locked > MAX_LOCKED * 1000 / POLL_MS) {
			kill(child, SIGKILL);
			has_ended(child, 1, status);
			*ended = 1;
			*status = DEADLOCK;
			return 0;
		}
	}
}

static gt_status judge(const char *path, const char *library, int status)
{
	if (status == DEADLOCK)
		return gt_fail(
			GT_ERR_IO,
			"%s: not read: %d probe processes of %s wait for a lock that another thread held when they were started: try "
			"again",
			path, MAX_CHILDREN, library);
	const int signal = status >= 0 && WIFSIGNALED(status) ? WTERMSIG(status) : 0;
	if (signal == SIGALRM || signal == SIGXCPU || signal == SIGKILL)
		return gt_fail(GT_ERR_FORMAT, "%s: damaged: %s does not terminate (parsed in a probe process)", path, library);
	if (signal == SIGINT || signal == SIGTERM)
		return gt_fail(GT_ERR_IO, "%s: the probe process was stopped: %s", path, strsignal(signal));
	return gt_fail(GT_ERR_FORMAT, "%s: damaged: %s crashes on it (parsed in a probe process: %s)", path, library,
	               signal ? strsignal(signal) : "it exited");
}

static gt_status too_much_memory(const char *path, const char *library, const gt_probed_file *f)
{
	char has[GT_BYTES_TEXT], limit_text[GT_BYTES_TEXT];
	return gt_fail(GT_ERR_FORMAT, "%s: damaged: %s needs more than %s of memory for the %s of the file (parsed in a probe process)",
	               path, library, gt_bytes_text(MIN_MEMORY + MEMORY_PER_BYTE * (double)f->size, limit_text),
	               gt_bytes_text((double)f->size, has));
}

/* Continues with the first file without a result, until a failure. *is_locked: 1 if the child waited for a lock. */
static gt_status collect(probe_job *j, pid_t child, int from, int *is_locked)
{
	gt_status st = GT_OK;
	int ended = 0, status = 0;
	while (st == GT_OK && j->done < j->n) {
		const char *path = j->path[j->done];
		report r;
		if (!next_report(child, from, &r, &ended, &status)) {
			if (!ended)
				has_ended(child, 1, &status);
			*is_locked = status == DEADLOCK;
			return judge(path, j->library, status);
		}
		if (r.status == GT_ERR_MEMORY)
			st = too_much_memory(path, j->library, &j->file[j->done]);
		else if (r.status != GT_OK)
			st = gt_fail(r.status, "%s", r.message);
		else
			gt_probed_remember(&j->file[j->done++]);
	}
	if (!ended)
		has_ended(child, 1, &status);
	return st;
}

static gt_status run_child(probe_job *j, int *is_locked)
{
	int end[2] = { -1, -1 };
	*is_locked = 0;
	fflush(stdout);
	const pid_t child = pipe2(end, O_CLOEXEC) == 0 ? fork() : -1;
	if (child == 0)
		walk_and_exit(j, end[1]);
	const int why = errno;
	if (end[1] >= 0)
		close(end[1]);
	const gt_status st = child > 0 ? collect(j, child, end[0], is_locked)
	                               : gt_fail(GT_ERR_IO,
	                                         "%s: not read: %s requires a test in a child process, which could not be "
	                                         "started: %s; raise the limits for processes (ulimit -u) or memory",
	                                         j->path[j->done], j->library, strerror(why));
	if (end[0] >= 0)
		close(end[0]);
	return st;
}

static gt_status run(probe_job *j)
{
	gt_status st = GT_OK;
	for (int is_locked = 1, i = 0; is_locked && i < MAX_CHILDREN; i++)
		st = run_child(j, &is_locked);
	if (st == GT_ERR_FORMAT && j->done < j->n)
		gt_probed_remember_failure(j->path[j->done], &j->file[j->done]);
	return st;
}

gt_status gt_probe(const char *path, const char *library, gt_probe_walk walk)
{
	gt_probed_file file;
	gt_status st = gt_probed_identify(path, walk, &file);
	if (st == GT_OK)
		st = gt_probed_failure(path, &file);
	probe_job j = { .path = &path, .file = &file, .n = 1, .library = library, .walk = walk };
	return st != GT_OK || gt_probed_is_known(&file) ? st : run(&j);
}

void gt_probe_ahead(const char *const *path, size_t n, const char *library, gt_probe_walk walk)
{
	probe_job j = { .library = library, .walk = walk };
	const char **left = malloc((n ? n : 1) * sizeof *left);
	j.file = malloc((n ? n : 1) * sizeof *j.file);
	for (size_t i = 0; left && j.file && i < n; i++)
		if (gt_probed_identify(path[i], walk, &j.file[j.n]) == GT_OK && !gt_probed_is_known(&j.file[j.n]) &&
		    gt_probed_failure(path[i], &j.file[j.n]) == GT_OK)
			left[j.n++] = path[i];
	j.path = left;
	if (j.n)
		run(&j);
	free(left);
	free(j.file);
}
