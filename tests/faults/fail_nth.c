/* Makes one call of a program fail (LD_PRELOAD). GT_FAULT is the kind; GT_FAULT_AT is the index of the call, from 0.
 * `alloc`: an allocation by the program or libgantry.
 * `netcdf`: an allocation by libnetcdf.
 * `hdf5`: an allocation by libhdf5.
 * `read`: one read of a file below the working directory at the start, by any caller: EIO.
 * `system`: one read of any other file, such as /proc, /sys and dictionaries: EIO.
 * `write`: a write, reservation, sync or rename, and all later ones: ENOSPC, like a full disk.
 * GT_FAULT_COUNT names a file that gets a line KIND NUMBER for each kind at exit. The date stands still, so that
 * files do not differ. GT_CLOCK_STEP: each reading of the monotonic clock is this many seconds after the one before.
 * GT_FAULT_CRASH names a file that gets the innermost frame outside the C library after a
 * crash. */
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { ALLOC, NETCDF, HDF5, READ, SYSTEM, WRITE, NONE, RANGES = 16, IO_ERR_SEEN = 0x20 };
static const char *const kinds[] = { "alloc", "netcdf", "hdf5", "read", "system", "write" };
static int kind;
static long at = -1;
static atomic_long calls[NONE];
static char home[4096]; /* working directory at the start, with a slash */
static size_t ranges;
static struct {
	const char *from, *to;
	int kind;
} counted[RANGES];
static size_t (*real_fread)(void *, size_t, size_t, FILE *);
static size_t (*real_fwrite)(const void *, size_t, size_t, FILE *);
static char *(*real_fgets)(char *, int, FILE *);
static ssize_t (*real_getdelim)(char **, size_t *, int, FILE *);
static int (*real_fclose)(FILE *);
static int (*real_fflush)(FILE *);

static int add_range(struct dl_phdr_info *info, size_t size, void *self)
{
	static const char *const libraries[] = { "libgantry", "libnetcdf", "libhdf5" };
	int whose = *info->dlpi_name ? NONE : ALLOC;
	(void)size, (void)self;
	for (int k = ALLOC; k <= HDF5; k++)
		if (strstr(info->dlpi_name, libraries[k]))
			whose = k;
	if (whose == NONE)
		return 0;
	for (int i = 0; i < info->dlpi_phnum && ranges < RANGES; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		if (p->p_type != PT_LOAD || !(p->p_flags & PF_X))
			continue;
		counted[ranges].from = (const char *)info->dlpi_addr + p->p_vaddr;
		counted[ranges].to = counted[ranges].from + p->p_memsz;
		counted[ranges].kind = whose;
		ranges++;
	}
	return 0;
}

/* dlsym() returns functions as objects; ISO C converts them only by memcpy(). */
static void find(const char *name, void *function)
{
	void *found = dlsym(RTLD_NEXT, name);
	memcpy(function, &found, sizeof found);
}
/* Other libraries begin before this one, and may read files then. */
#define REAL(name) ((real_##name ? (void)0 : find(#name, &real_##name)), real_##name)

/* Signal actions of the program, which run after the report of a crash. */
static const int crashes[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT };
static struct sigaction meant[NSIG];
static volatile sig_atomic_t watched;
static int (*real_sigaction)(int, const struct sigaction *, struct sigaction *);

int sigaction(int number, const struct sigaction *act, struct sigaction *before)
{
	int ours = 0;
	for (size_t i = 0; watched && i < sizeof crashes / sizeof *crashes; i++)
		ours |= crashes[i] == number;
	if (!ours)
		return REAL(sigaction)(number, act, before);
	if (before)
		*before = meant[number];
	if (act)
		meant[number] = *act;
	return 0;
}

/* Skips this file and the C library, whose functions surround the caller of abort() or memcpy(). */
static void report_crash(int number)
{
	enum { FRAMES = 64 };
	static const char *const not_it[] = { "/libc.so", "/libpthread", "/ld-linux", "/libgcc_s", "/libstdc++", "fail_nth" };
	void *frames[FRAMES];
	const int n = backtrace(frames, FRAMES);
	const char *path = getenv("GT_FAULT_CRASH"), *who = "?";
	Dl_info info;
	for (int i = 0, passed = 0; i < n; i++, passed = 0) {
		if (!dladdr(frames[i], &info) || !info.dli_fname)
			continue;
		for (size_t k = 0; k < sizeof not_it / sizeof *not_it; k++)
			passed |= strstr(info.dli_fname, not_it[k]) != NULL;
		if (passed)
			continue;
		who = strrchr(info.dli_fname, '/') ? strrchr(info.dli_fname, '/') + 1 : info.dli_fname;
		break;
	}
	const int file = path ? open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666) : -1;
	if (file >= 0 && syscall(SYS_write, file, who, strlen(who)) >= 0)
		close(file);
	/* raised again for the program's own action */
	watched = 0;
	REAL(sigaction)(number, &meant[number], NULL);
	raise(number);
}

/* Uses a stack of its own, because infinite recursion is a crash too. */
static void watch_for_crashes(void)
{
	static char room[1 << 16];
	const stack_t stack = { .ss_sp = room, .ss_size = sizeof room };
	struct sigaction act = { .sa_handler = report_crash, .sa_flags = SA_ONSTACK };
	void *first[1];
	if (!getenv("GT_FAULT_CRASH"))
		return;
	backtrace(first, 1); /* loads its libraries */
	sigaltstack(&stack, NULL);
	for (size_t i = 0; i < sizeof crashes / sizeof *crashes; i++)
		sigaction(crashes[i], &act, NULL);
	watched = 1;
}

__attribute__((constructor)) static void begin(void)
{
	watch_for_crashes();
	const char *what = getenv("GT_FAULT"), *which = getenv("GT_FAULT_AT");
	at = which ? atol(which) : -1;
	memset(calls, 0, sizeof calls);
	if (getcwd(home, sizeof home - 1))
		strcat(home, "/");
	for (kind = 0; kind < NONE && (!what || strcmp(what, kinds[kind]));)
		kind++;
	dl_iterate_phdr(add_range, NULL);
}

__attribute__((destructor)) static void end(void)
{
	const char *path = getenv("GT_FAULT_COUNT");
	char text[32 * NONE];
	int n = 0;
	for (int k = 0; k < NONE; k++)
		n += snprintf(text + n, sizeof text - (size_t)n, "%s %ld\n", kinds[k], atomic_load(&calls[k]));
	const int file = path ? open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666) : -1;
	if (file >= 0 && syscall(SYS_write, file, text, (size_t)n) != n)
		_exit(99);
	if (file >= 0)
		close(file);
}

static int fails(int what)
{
	const long call = atomic_fetch_add(&calls[what], 1);
	if (kind != what || at < 0 || (what == WRITE ? call < at : call != at))
		return 0;
	errno = what <= HDF5 ? ENOMEM : what == WRITE ? ENOSPC : EIO;
	return 1;
}

static int memory_fails(const void *caller)
{
	const char *c = caller;
	for (size_t i = 0; i < ranges; i++)
		if (c >= counted[i].from && c < counted[i].to)
			return fails(counted[i].kind);
	return 0;
}

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *memory, size_t size);
#define CALLER __builtin_return_address(0)
void *malloc(size_t size) { return memory_fails(CALLER) ? NULL : __libc_malloc(size); }
void *calloc(size_t n, size_t size) { return memory_fails(CALLER) ? NULL : __libc_calloc(n, size); }
void *realloc(void *memory, size_t size) { return memory_fails(CALLER) ? NULL : __libc_realloc(memory, size); }

static char *copy(const char *text, size_t n)
{
	char *to = __libc_malloc(n + 1);
	if (to) {
		memcpy(to, text, n);
		to[n] = 0;
	}
	return to;
}

#undef strdup
#undef strndup
char *strdup(const char *text) { return memory_fails(CALLER) ? NULL : copy(text, strlen(text)); }
char *strndup(const char *text, size_t n) { return memory_fails(CALLER) ? NULL : copy(text, strnlen(text, n)); }

/* Returns 1 if the name of an open file begins with the prefix. */
static int is_below(const char *prefix, int file)
{
	char link[64], name[sizeof home];
	const size_t n = strlen(prefix);
	const int before = errno;
	snprintf(link, sizeof link, "/proc/self/fd/%d", file);
	const ssize_t length = readlink(link, name, sizeof name);
	errno = before;
	return length >= (ssize_t)n && !strncmp(name, prefix, n);
}
static int read_fails(int file) { return fails(is_below(home, file) ? READ : SYSTEM); }

ssize_t read(int file, void *to, size_t n) { return read_fails(file) ? -1 : syscall(SYS_read, file, to, n); }
ssize_t pread(int file, void *to, size_t n, off_t from) { return read_fails(file) ? -1 : syscall(SYS_pread64, file, to, n, from); }
ssize_t pread64(int file, void *to, size_t n, off64_t from) { return read_fails(file) ? -1 : syscall(SYS_pread64, file, to, n, from); }

size_t fread(void *to, size_t size, size_t n, FILE *f)
{
	if (!read_fails(fileno(f)))
		return REAL(fread)(to, size, n, f);
	f->_flags |= IO_ERR_SEEN;
	return 0;
}

char *fgets(char *to, int n, FILE *f)
{
	if (!read_fails(fileno(f)))
		return REAL(fgets)(to, n, f);
	f->_flags |= IO_ERR_SEEN;
	return NULL;
}

/* The headers may replace getline() by this function. */
ssize_t getdelim(char **to, size_t *room, int end, FILE *f)
{
	if (!read_fails(fileno(f)))
		return REAL(getdelim)(to, room, end, f);
	f->_flags |= IO_ERR_SEEN;
	return -1;
}
ssize_t __getdelim(char **to, size_t *room, int end, FILE *f);
ssize_t __getdelim(char **to, size_t *room, int end, FILE *f) { return getdelim(to, room, end, f); }
ssize_t getline(char **to, size_t *room, FILE *f) { return getdelim(to, room, '\n', f); }

/* Memory files and pipes are on no disk. */
static int disk_fails(int file) { return !is_below("/memfd:", file) && !is_below("pipe:", file) && fails(WRITE); }

/* stdout and stderr are not on the disk. */
ssize_t write(int file, const void *from, size_t n) { return file > 2 && disk_fails(file) ? -1 : syscall(SYS_write, file, from, n); }
ssize_t pwrite(int file, const void *from, size_t n, off_t to) { return disk_fails(file) ? -1 : syscall(SYS_pwrite64, file, from, n, to); }
ssize_t pwrite64(int file, const void *from, size_t n, off64_t to)
{
	return disk_fails(file) ? -1 : syscall(SYS_pwrite64, file, from, n, to);
}
int fsync(int file) { return fails(WRITE) ? -1 : (int)syscall(SYS_fsync, file); }
int fallocate(int file, int how, off_t from, off_t n) { return fails(WRITE) ? -1 : (int)syscall(SYS_fallocate, file, how, from, n); }
int fallocate64(int file, int how, off64_t from, off64_t n) { return fails(WRITE) ? -1 : (int)syscall(SYS_fallocate, file, how, from, n); }
int posix_fallocate(int file, off_t from, off_t n) { return fails(WRITE) ? ENOSPC : syscall(SYS_fallocate, file, 0, from, n) ? errno : 0; }
int posix_fallocate64(int file, off64_t from, off64_t n)
{
	return fails(WRITE) ? ENOSPC : syscall(SYS_fallocate, file, 0, from, n) ? errno : 0;
}
int rename(const char *from, const char *to) { return fails(WRITE) ? -1 : (int)syscall(SYS_rename, from, to); }

static int is_output(FILE *f) { return f && f != stdout && f != stderr && (fcntl(fileno(f), F_GETFL) & O_ACCMODE) != O_RDONLY; }

size_t fwrite(const void *from, size_t size, size_t n, FILE *f)
{
	if (!is_output(f) || !fails(WRITE))
		return REAL(fwrite)(from, size, n, f);
	f->_flags |= IO_ERR_SEEN;
	return 0;
}

int fflush(FILE *f)
{
	if (!is_output(f) || !fails(WRITE))
		return REAL(fflush)(f);
	f->_flags |= IO_ERR_SEEN;
	return EOF;
}

int fclose(FILE *f)
{
	if (!is_output(f) || !fails(WRITE))
		return REAL(fclose)(f);
	REAL(fclose)(f);
	errno = ENOSPC;
	return EOF;
}

time_t time(time_t *to)
{
	const time_t then = 1700000000;
	if (to)
		*to = then;
	return then;
}

int clock_gettime(clockid_t clock, struct timespec *to)
{
	static atomic_long readings;
	const char *step = getenv("GT_CLOCK_STEP");
	if (!step || (clock != CLOCK_MONOTONIC && clock != CLOCK_MONOTONIC_COARSE))
		return (int)syscall(SYS_clock_gettime, clock, to);
	const double now = 1000 + atof(step) * (double)atomic_fetch_add(&readings, 1);
	*to = (struct timespec){ (time_t)now, (long)(1e9 * (now - (double)(time_t)now)) };
	return 0;
}
