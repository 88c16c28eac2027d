/* Finds the pair of files: VOLUME.raw and VOLUME.raw.json or VOLUME.json, or the file that data_file of a JSON
 * names. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include "core/files/opener.h"
#include "core/text.h"
#include "io/plain/json_text.h"
#include "io/plain/plain_json.h"
#include "io/plain/plain_header.h"
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

gt_status gt_plain_json(const char *path, cJSON **root)
{
	FILE *file;
	int first = gt_file_stream(path, &file, NULL) == GT_OK ? fgetc(file) : EOF;
	gt_status st = GT_OK;
	*root = NULL;
	while (first == ' ' || first == '\t' || first == '\r' || first == '\n')
		first = fgetc(file);
	char *text = first == '{' ? malloc(MAX_HEAD + 1) : NULL;
	if (text) {
		text[0] = '{';
		const size_t n = 1 + fread(text + 1, 1, MAX_HEAD - 1, file);
		text[n] = 0;
		if (n < MAX_HEAD && strstr(text, "\"" GT_PLAIN_MARK "\""))
			st = gt_json_parse(path, text, n, root);
	}
	free(text);
	if (file)
		fclose(file);
	if (*root && !cJSON_GetObjectItemCaseSensitive(*root, GT_PLAIN_MARK)) {
		cJSON_Delete(*root);
		*root = NULL;
	}
	return st;
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

/* 1: a header of that name exists and refers to the data at path. if_invalid: result for an invalid header. */
static int describes(const char *head, const char *path, int if_invalid)
{
	cJSON *root = NULL;
	const int is_valid = !head || gt_plain_json(head, &root) == GT_OK;
	char *data = root ? data_of(head, root) : NULL;
	const int found = is_valid ? data && gt_same_file(data, path) : if_invalid;
	cJSON_Delete(root);
	free(data);
	return found;
}

int gt_plain_find(const char *path, char **head, char **data)
{
	cJSON *root;
	const int is_valid = gt_plain_json(path, &root) == GT_OK;
	*head = *data = NULL;
	if (root || !is_valid) {
		*head = strdup(path);
		*data = root ? data_of(path, root) : strdup(path);
		cJSON_Delete(root);
		return *head && *data;
	}
	const char *dot = strrchr(base_of(path), '.');
	for (int i = 0; i < 2; i++) {
		free(*head);
		*head = i ? gt_text("%.*s.json", (int)(dot ? dot - path : (long)strlen(path)), path) : gt_text("%s.json", path);
		if (describes(*head, path, 1)) {
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
	if (lstat(*head, &s) == 0 && !describes(*head, path, 0))
		return gt_fail(GT_ERR_IO, "%s: %s exists and describes another file: expected a new name", path, *head);
	return GT_OK;
}
