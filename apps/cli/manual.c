/* Manual pages, reference pages and shell completion, from the option tables. */
#include <string.h>
#include <gantry/version.h>
#include "apps/cli/cli.h"

/* Escapes text for troff: requests at the start of a line, backslashes, and hyphens as minus signs. */
static void put_roff(const char *text)
{
	int begins = 1;
	for (; *text; text++) {
		if (begins && (*text == '.' || *text == '\''))
			printf("\\&");
		if (*text == '\\')
			printf("\\e");
		else if (*text == '-')
			printf("\\-");
		else
			putchar(*text);
		begins = *text == '\n';
	}
}

static void put_section(const char *name) { printf(".SH %s\n", name); }

/* Prints text with its line breaks. */
static void put_lines(const char *text)
{
	printf(".nf\n");
	put_roff(text);
	printf("%s.fi\n", text[0] && text[strlen(text) - 1] == '\n' ? "" : "\n");
}

static void put_option(const cli_option *o)
{
	char name[192];
	cli_option_text(o, name, sizeof name);
	printf(".TP\n.B ");
	put_roff(name + strspn(name, " "));
	printf("\n");
	put_roff(o->help);
	printf("\n");
}

static void put_header(const char *name)
{
	printf(".TH %s 1 \"\" \"Gantry %s\" \"Gantry\"\n", name, GT_VERSION);
	put_section("NAME");
}

static void print_overview(void)
{
	const cli_command *const *c = cli_commands;
	put_header("GANTRY");
	printf("gantry \\- iterative CT reconstruction with exactly matched projectors\n");
	put_section("SYNOPSIS");
	printf(".B gantry\n.I COMMAND\n[arguments] [options]\n");
	put_section("COMMANDS");
	for (const cli_command_group *g = cli_groups; g->title; g++) {
		printf(".SS %s\n", g->title);
		for (size_t i = 0; i < g->commands; i++, c++) {
			printf(".TP\n.BR gantry\\-%s (1)\n", (*c)->name);
			put_roff((*c)->about);
			printf("\n");
		}
	}
	put_section("EXIT STATUS");
	printf("0: done. 1: failed, or out of tolerance. 2: wrong usage.\n");
}

void cli_print_manual(const cli_command *c)
{
	const cli_option *table[CLI_TABLES];
	char name[64] = "GANTRY-";
	if (!c) {
		print_overview();
		return;
	}
	for (size_t i = 0; c->name[i] && i + 8 < sizeof name; i++)
		name[i + 7] = (char)(c->name[i] >= 'a' && c->name[i] <= 'z' ? c->name[i] - 'a' + 'A' : c->name[i]);
	put_header(name);
	printf("gantry\\-%s \\- ", c->name);
	put_roff(c->about);
	printf("\n");
	put_section("SYNOPSIS");
	printf(".B gantry %s\n", c->name);
	put_roff(c->synopsis);
	printf("\n");
	put_section("OPTIONS");
	cli_option_tables(c, table);
	for (int t = 0; t < CLI_TABLES; t++)
		for (const cli_option *o = table[t]; o->name; o++) {
			if (o->group && cli_has_groups(c))
				printf(".SS %s\n", o->group);
			put_option(o);
		}
	if (c->notes) {
		put_section("NOTES");
		put_lines(c->notes);
	}
	put_section("SEE ALSO");
	printf(".BR gantry (1)\n");
}

static void put_markdown(const char *text)
{
	for (; *text; text++) {
		if (*text == '<')
			printf("&lt;");
		else if (*text == '&')
			printf("&amp;");
		else
			printf(strchr("\\`*_[]{}|", *text) ? "\\%c" : "%c", *text);
	}
}

void cli_print_markdown(const cli_command *c)
{
	const cli_option *table[CLI_TABLES];
	char name[192];
	printf("# gantry %s\n\n", c->name);
	put_markdown(c->about);
	printf("\n\n```text\ngantry %s %s\n```\n\n## Options\n\n", c->name, c->synopsis);
	cli_option_tables(c, table);
	for (int t = 0; t < CLI_TABLES; t++)
		for (const cli_option *o = table[t]; o->name; o++) {
			if (o->group && cli_has_groups(c))
				printf("### %s\n\n", o->group);
			cli_option_text(o, name, sizeof name);
			printf("`%s`{#%s}\n:   ", name + strspn(name, " "), o->name);
			put_markdown(o->help);
			printf("\n\n");
		}
	if (c->notes)
		printf("## Notes\n\n```text\n%s%s```\n", c->notes, c->notes[strlen(c->notes) - 1] == '\n' ? "" : "\n");
}

/* Completion of one command: its options, and the values of those that take names. */
static void complete_command(const cli_command *c)
{
	const cli_option *table[CLI_TABLES];
	cli_option_tables(c, table);
	printf("\t%s)\n\t\tcase $before in\n", c->name);
	for (int t = 0; t < CLI_TABLES; t++)
		for (const cli_option *o = table[t]; o->name; o++)
			if (o->kind == CLI_CHOICE) {
				printf("\t\t--%s) words=\"", o->name);
				for (int i = 0; o->names[i]; i++)
					printf("%s%s", i ? " " : "", o->names[i]);
				printf("\" ;;\n");
			}
	printf("\t\t*) options=\"");
	for (int t = 0; t < CLI_TABLES; t++)
		for (const cli_option *o = table[t]; o->name; o++)
			printf("--%s ", o->name);
	printf("\" ;;\n\t\tesac\n\t\t;;\n");
}

void cli_print_completion(void)
{
	printf("# Completion of gantry in bash: words of options and their values; everything else is a file.\n"
	       "_gantry() {\n\tlocal word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} words= options=\n"
	       "\tCOMPREPLY=()\n\tif [ \"$COMP_CWORD\" -eq 1 ]; then\n\t\twords=\"");
	for (const cli_command *const *c = cli_commands; *c; c++)
		printf("%s ", (*c)->name);
	printf("\"\n\telse\n\tcase ${COMP_WORDS[1]} in\n");
	for (const cli_command *const *c = cli_commands; *c; c++)
		complete_command(*c);
	printf("\tesac\n\tfi\n\t[[ $word == -* ]] && words=$options\n"
	       "\t[ -n \"$words\" ] && mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$word\")\n}\n"
	       "complete -o default -F _gantry gantry\n");
}
