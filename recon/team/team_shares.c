/* Cache of ranges: $XDG_CACHE_HOME/gantry/shares, else ~/.cache/gantry/shares; lines "PROBLEM<tab>COUNT COUNT ...". The
 * file is replaced by renaming, so readers see the old or the new one. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <gantry/io.h>
#include "core/files/opener.h"
#include "core/text.h"
#include "recon/team/team_balance.h"

enum { MAX_LINES = 500 };

/* NULL: no cache folder. */
static char *path_of(int make)
{
	const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	char *folder = NULL, *above = NULL, *path = NULL;
	if (cache && *cache == '/')
		above = gt_text("%s", cache);
	else if (home && *home == '/')
		above = gt_text("%s/.cache", home);
	if (above && (folder = gt_text("%s/gantry", above)) && make) {
		mkdir(above, 0700);
		mkdir(folder, 0700);
	}
	if (folder)
		path = gt_text("%s/shares", folder);
	free(above);
	free(folder);
	return path;
}

/* NULL: no such file. */
static FILE *open_old(const char *path)
{
	FILE *f = NULL;
	if (path)
		gt_file_stream(path, &f, NULL);
	return f;
}

/* Parses a line of this problem; 0: another problem, or another number of ranks. */
static int parse(const char *line, const char *problem, int ranks, size_t *share)
{
	const size_t n = strlen(problem);
	if (strncmp(line, problem, n) || line[n] != '\t')
		return 0;
	const char *c = line + n + 1;
	for (int i = 0; i < ranks; i++) {
		char *end;
		const unsigned long long v = strtoull(c, &end, 10);
		if (end == c || !v)
			return 0;
		share[i] = (size_t)v;
		c = end;
	}
	return *c == '\n' || !*c;
}

int gt_ranges_recall(const char *problem, int ranks, size_t *share)
{
	char *path = path_of(0), *line = NULL;
	size_t room = 0;
	int found = 0;
	FILE *f = open_old(path);
	while (f && !found && getline(&line, &room, f) > 0)
		found = parse(line, problem, ranks, share);
	if (f)
		fclose(f);
	free(line);
	free(path);
	return found;
}

/* Copies the lines of other problems, up to the maximum. */
static void copy_others(FILE *from, const char *problem, FILE *to)
{
	char *line = NULL;
	size_t room = 0;
	const size_t n = strlen(problem);
	for (int k = 1; k < MAX_LINES && getline(&line, &room, from) > 0;)
		if ((strncmp(line, problem, n) || line[n] != '\t') && line[strlen(line) - 1] == '\n') {
			fputs(line, to);
			k++;
		}
	free(line);
}

void gt_ranges_remember(const char *problem, int ranks, const size_t *share)
{
	char *path = path_of(1), *tmp = NULL;
	if (!path || gt_tmp_path(path, &tmp) != GT_OK) {
		free(path);
		return;
	}
	FILE *to = fopen(tmp, "w"), *from = open_old(path);
	if (to) {
		fprintf(to, "%s\t", problem);
		for (int i = 0; i < ranks; i++)
			fprintf(to, "%zu%c", share[i], i + 1 == ranks ? '\n' : ' ');
	}
	if (to && from)
		copy_others(from, problem, to);
	if (from)
		fclose(from);
	const int bad = !to || ferror(to);
	if ((to && fclose(to)) || bad)
		gt_tmp_drop(tmp);
	else
		gt_tmp_commit(tmp, path);
	free(path);
}
