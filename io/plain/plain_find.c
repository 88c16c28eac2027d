/* Finds the pair of files: VOLUME.raw and VOLUME.raw.json or VOLUME.json, or the file that data_file of a JSON
 * names. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include "core/files/opener.h"
#include "core/text.h"
#include "io/plain/plain_json.h"
#include "io/plain/plain_head.h"
#include "io/same_file.h"

enum { MAX_HEAD = 1 << 20 };

static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

static int is_file(const char *path)
{
	struct stat s;
	return stat(path, &s) == 0 && S_ISREG(s.st_mode);
}

static int ends_in(const char *path, const char *end)
{
	const size_t n = strlen(path), m = strlen(end);
	return n > m && !strcasecmp(path + n - m, end);
}

cJSON *gt_plain_json(const char *path)
{
	FILE *file;
	int first = gt_file_stream(path, &file, NULL) == GT_OK ? fgetc(file) : EOF;
	cJSON *root = NULL;
	while (first == ' ' || first == '\t' || first == '\r' || first == '\n')
		first = fgetc(file);
	char *text = first == '{' ? malloc(MAX_HEAD) : NULL;
	if (text) {
		text[0] = '{';
		const size_t n = 1 + fread(text + 1, 1, MAX_HEAD - 1, file);
		root = n < MAX_HEAD ? cJSON_ParseWithLength(text, n) : NULL;
	}
	free(text);
	if (file)
		fclose(file);
	if (root && !cJSON_GetObjectItemCaseSensitive(root, GT_PLAIN_MARK)) {
		cJSON_Delete(root);
		return NULL;
	}
	return root;
}

/* The file that the header names; else the header's name without .json, or with .raw or .npy instead. */
static char *data_of(const char *head, const cJSON *root)
{
	static const char *const ends[] = { "", ".raw", ".npy" };
	const char *named = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(root, "data_file"));
	const size_t stem = strlen(head) - (ends_in(head, ".json") ? 5 : 0);
	char *name = NULL;
	if (named)
		return *named == '/' ? strdup(named) : gt_text("%.*s%s", (int)(base_of(head) - head), head, named);
	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
		free(name);
		name = gt_text("%.*s%s", (int)stem, head, ends[i]);
		if (name && strcmp(name, head) != 0 && is_file(name))
			return name;
	}
	return name;
}

/* 1: a header of that name exists and refers to the data at path. */
static int describes(const char *head, const char *path)
{
	cJSON *root = head ? gt_plain_json(head) : NULL;
	char *data = root ? data_of(head, root) : NULL;
	const int found = data && gt_same_file(data, path);
	cJSON_Delete(root);
	free(data);
	return found;
}

int gt_plain_find(const char *path, char **head, char **data)
{
	cJSON *root = gt_plain_json(path);
	*head = *data = NULL;
	if (root) {
		*head = strdup(path);
		*data = data_of(path, root);
		cJSON_Delete(root);
		return *head && *data;
	}
	const char *dot = strrchr(base_of(path), '.');
	for (int i = 0; i < 2; i++) {
		free(*head);
		*head = i ? gt_text("%.*s.json", (int)(dot ? dot - path : (long)strlen(path)), path) : gt_text("%s.json", path);
		if (describes(*head, path)) {
			*data = strdup(path);
			return *data != NULL;
		}
	}
	free(*head);
	*head = NULL;
	return 0;
}

char *gt_plain_other(const char *path)
{
	char *head, *data, *other = NULL;
	if (gt_plain_find(path, &head, &data)) {
		other = gt_same_file(path, head) ? data : head;
		free(other == head ? data : head);
		return other;
	}
	free(head);
	free(data);
	return NULL;
}

gt_status gt_plain_may_write(const char *path, char **head)
{
	struct stat s;
	*head = gt_text("%s.json", path);
	if (!*head)
		return gt_fail(GT_ERR_MEMORY, "%s: out of memory", path);
	if (lstat(*head, &s) == 0 && !describes(*head, path))
		return gt_fail(GT_ERR_IO, "%s: %s exists and describes another file: expected a new name", path, *head);
	return GT_OK;
}
