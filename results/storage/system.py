"""The calls by which this package changes a disk: all of them go through here.

So tests can count them, let them fail, kill the process at any of them, and build what a crash
leaves. Reading needs no such care.
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
