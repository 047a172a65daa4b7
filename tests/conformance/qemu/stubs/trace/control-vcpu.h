/* SPDX-License-Identifier: MIT */
#include "trace/control.h"
