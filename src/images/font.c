#include "font.h"
