#ifndef GANTRY_STATUS_H
#define GANTRY_STATUS_H
#ifdef __cplusplus
extern "C" {
#endif

/* Status codes: kinds of failures. gt_error() returns the details. */
#define GT_STATUS_LIST(X)                                                      \
	X(GT_OK,              "success")                                       \
	X(GT_ERR_ARG,         "invalid argument")                              \
	X(GT_ERR_UNKNOWN,     "no module of that name")                        \
	X(GT_ERR_UNSUPPORTED, "not possible for this data")                    \
	X(GT_ERR_MEMORY,      "out of memory")                                 \
	X(GT_ERR_IO,          "cannot read or write a file")                   \
	X(GT_ERR_FORMAT,      "malformed file")                                \
	X(GT_ERR_DEVICE,      "the device reported an error")                  \
	X(GT_ERR_DIVERGED,    "the iteration diverged")                        \
	X(GT_STOPPED,         "stopped by the monitor")

#define GT_ENUM(name, text) name,
typedef enum { GT_STATUS_LIST(GT_ENUM) } gt_status;
#undef GT_ENUM

/* Marks exported functions and objects; all others are hidden. */
#ifdef __GNUC__
#define GT_API __attribute__((visibility("default")))
#else
#define GT_API
#endif

#ifdef __GNUC__
#define GT_PRINTF(text, args) __attribute__((format(printf, text, args)))
#else
#define GT_PRINTF(text, args)
#endif

/* Records a message for this thread and returns s: `return gt_fail(GT_ERR_ARG, ...)`. */
GT_API gt_status   gt_fail(gt_status s, const char *format, ...) GT_PRINTF(2, 3);
/* Puts "context: " in front of this thread's message and returns s; does nothing for GT_OK and GT_STOPPED. */
GT_API gt_status   gt_fail_in(gt_status s, const char *format, ...) GT_PRINTF(2, 3);
/* The last message of this thread; never NULL. */
GT_API const char *gt_error(void);
/* Returns a description of the kind of failure. */
GT_API const char *gt_status_text(gt_status s);

#ifdef __cplusplus
}
#endif
#endif
