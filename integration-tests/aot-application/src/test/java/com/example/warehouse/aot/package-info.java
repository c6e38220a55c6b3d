@NullMarked
package com.example.warehouse.aot;

import org.jspecify.annotations.NullMarked;
