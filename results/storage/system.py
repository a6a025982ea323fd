"""The system calls by which this package changes a disk. All changes use this module.

Tests can therefore count the calls, let them fail, kill the process at any of them, and reproduce
the state after a crash. Read access does not need this.
"""

from __future__ import annotations

import fcntl
import os

open = os.open
write = os.write
fsync = os.fsync
replace = os.replace
unlink = os.unlink
mkdir = os.mkdir
truncate = os.ftruncate
close = os.close
flock = fcntl.flock
