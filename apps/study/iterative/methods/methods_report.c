/* Figures and the report of all solvers and penalties. */
#include "apps/study/iterative/methods/methods.h"

/* Sizes in pixels; FIXED: pictures before those of the penalties. */
enum { WIDTH = 1500, HEIGHT = 620, MAX_PICTURES = 32, PICTURE = 300, ACROSS = 4, GAP = 28, MARGIN = 16, FIXED = 2 };
#define LOW -150
#define HIGH 250

/* Draws curves of one object: those with a penalty, or those without. */
static void curves(study_plot *p, const char *object, const char *penalty)
{
	const study_table *t = &p->s->table[STUDY_PATHS];
	const char *before = "";
	for (size_t i = 0; i < study_rows(t); i++) {
		const char *name = study_text_at(t, i, 1);
		if (strcmp(study_text_at(t, i, 0), object) || strcmp(study_text_at(t, i, 2), penalty) || !strcmp(name, before))
			continue;
		study_series(p,
		             "'solver-paths.csv' using (strcol(1) eq '%s' && strcol(2) eq '%s' ? $5 : NaN):6 with lines lt %d dt %d title "
		             "'%s'",
		             object, name, p->series % 12 + 1, p->series / 12 + 1, name);
		before = name;
	}
	study_series_end(p);
}

static void draw_paths(study *s, const quality_case *c)
{
	study_plot p = study_plot_new(s, WIDTH, HEIGHT, "solvers-%s", c->key);
	study_multiplot(&p, "layout 1,2");
	study_put(&p, "set logscale x\n" STUDY_LOGARITHMIC "set xlabel 'time [s]'\nset ylabel 'error [HU]'\nset key outside right\n"
	              "set title 'no penalty, up to the target noise'\n");
	curves(&p, c->key, "no");
	study_put(&p, "set title 'with a penalty'\n");
	curves(&p, c->key, "yes");
	study_plot_draw(&p);
}

static size_t side(const study *s, size_t n)
{
	const quality_size size = methods_size(s);
	return size == QUALITY_TINY ? n / 4 : size == QUALITY_COARSE ? n / 2 : n;
}

/* Names of the pictures: the truth, the direct method, and the penalties of the table. */
static size_t pictures_of(const study *s, const char *name[MAX_PICTURES])
{
	const study_table *t = &s->table[STUDY_PRIORS];
	size_t n = 0;
	name[n++] = "truth";
	name[n++] = "fdk"; /* FIXED */
	for (size_t i = 0; i < study_rows(t) && n < MAX_PICTURES; i++)
		name[n++] = study_text_at(t, i, 0);
	return n;
}

static void draw_priors(study *s)
{
	const study_table *t = &s->table[STUDY_PRIORS];
	const quality_case *c = methods_prior_case();
	const char *name[MAX_PICTURES];
	const size_t all = pictures_of(s, name), n[2] = { side(s, c->n[0]), side(s, c->n[1]) }, down = (all + ACROSS - 1) / ACROSS;
	study_plot p = study_plot_new(s, ACROSS * (PICTURE + MARGIN) + MARGIN, (double)(down * (PICTURE + GAP) + MARGIN), "priors");
	study_images(&p);
	study_put(&p, "unset colorbox\n");
	study_greys(&p, LOW, HIGH);
	for (size_t i = 0; i < all; i++) {
		const double left = MARGIN + (double)(i % ACROSS) * (PICTURE + MARGIN), top = GAP + (double)(i / ACROSS) * (PICTURE + GAP);
		const char *title = i == 0      ? QUOTE("%s, %d to %d HU", name[i], LOW, HIGH)
		                    : i < FIXED ? QUOTE("%s", name[i])
		                                : QUOTE("%s: %.0f HU%s", name[i], study_at(t, i - FIXED, METHODS_ERROR),
		                                        strcmp(study_text_at(t, i - FIXED, METHODS_EQUAL), "yes") ? " *" : "");
		study_panel(&p, left, left + PICTURE, top, top + PICTURE);
		study_image(&p, n, FORMAT("prior-%s", name[i]), FORMAT("%s offset 0,-0.6", title));
	}
	study_plot_draw(&p);
}

/* Returns 1 if paths with and without a penalty were measured: --seconds may end before. */
static int is_drawn(const study *s, const char *object)
{
	const study_table *t = &s->table[STUDY_PATHS];
	int with = 0, without = 0;
	for (size_t i = 0; i < study_rows(t); i++)
		if (!strcmp(study_text_at(t, i, 0), object))
			*(strcmp(study_text_at(t, i, 2), "yes") ? &without : &with) = 1;
	return with && without;
}

void methods_figures(study *s)
{
	for (int i = 0; methods_object(s, i); i++)
		if (is_drawn(s, methods_object(s, i)->key))
			draw_paths(s, methods_object(s, i));
	draw_priors(s);
}

static void viewer(const study *s, study_page *p)
{
	const quality_case *c = methods_prior_case();
	const char *name[MAX_PICTURES];
	const size_t all = pictures_of(s, name), n[2] = { side(s, c->n[0]), side(s, c->n[1]) };
	const double pitch = c->pitch * (double)c->n[0] / (double)n[0];
	study_pictures how = {
		.heading = "The same, to be windowed", .n = { n[0], n[1] }, .pitch = { pitch, pitch }, .low = LOW, .high = HIGH
	};
	for (size_t i = 0; i < all; i++)
		study_add_picture(&how, name[i], "prior-%s", name[i]);
	study_page_pictures(p, &how);
}

void methods_parts(const study *s, study_page *p)
{
	const quality_case *few = methods_prior_case();
	study_page_text(p, "All solvers at equal noise",
	                "Every solver of the library from zero, one slice of each object, data without weights. The strength of the "
	                "penalty (q-GGMRF if the solver takes a gradient, else tv) is set so that %d draws of the noise differ in soft "
	                "tissue by the target noise to %g %%; hybrid-lsqr is set by its lambda, asd-pocs by the length of its steps. "
	                "Other solvers end when their noise reaches it, interpolated between two iterations. Errors are root mean squares "
	                "from the means of the object over voxels. Times are of %s, without copies of pictures to the host; one slice is "
	                "small, so launches weigh more than in volumes.",
	                QUALITY_DRAWS, 100 * QUALITY_MAX_OFF, s->gpu[0] ? s->gpu : s->cpu);
	for (int i = 0; methods_object(s, i); i++) {
		const quality_case *c = methods_object(s, i);
		if (is_drawn(s, c->key))
			study_page_figure(p, FORMAT("solvers-%s", c->key),
			                  FORMAT("%s, noise of %g HU: error of the first draw after each iteration, against time.",
			                         c->title, c->noise));
	}
	study_page_table(p, STUDY_METHODS);
	study_page_text(p, "Cost of the solvers",
	                "Projections and backprojections of all views per iteration, counted; arrays like the volume and like the data "
	                "that the solver allocates in addition to these two and the operators, in a dry run; iterations until the picture "
	                "stays within 1 HU (root mean square) of the result of three times the iterations, or of the last iteration of a "
	                "solver without a penalty; empty: not in %s iterations.",
	                s->quick ? "these few" : "40 (sirt and mlem 200)");
	study_page_table(p, STUDY_COSTS);
	study_page_text(p, "All penalties at equal noise, few views",
	                "%s, noise of %g HU in soft tissue, from zero, data without weights; strengths give the same noise, nlm by its h. "
	                "piccs and nltv use an earlier scan with all views and %d times the photons. Window of %d to %d HU.",
	                few->title, few->noise, 10, LOW, HIGH);
	study_page_figure(p, "priors",
	                  "The phantom, filtered backprojection of the same views, and the first draw by each penalty, with its error: "
	                  "root mean square over all voxels and three draws. All but fdk have the same noise in soft tissue, except *.");
	viewer(s, p);
	study_page_table(p, STUDY_PRIORS);
}
