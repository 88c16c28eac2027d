#!/bin/bash
# Several members compute what one does, by the command: methods, starts, helices; a run that is saved by four is continued by three and
# by one; what is refused.
. "$(dirname "$0")/common.sh"
