#ifndef GT_CALIBRATION_NOTE_H
#define GT_CALIBRATION_NOTE_H
#include <gantry/message.h>

/* Sends a message on the geometry to notes; does nothing if notes->say is NULL. */
void gt_calibration_note(const gt_listener *notes, gt_severity severity, const char *format, ...) GT_PRINTF(3, 4);

#endif
