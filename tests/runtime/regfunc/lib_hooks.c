/* SPDX-License-Identifier: MIT */
#include "hooks.h"

struct hooks *hooks_of_module;
