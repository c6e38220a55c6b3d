/**
 * An application that knows nothing of locks.
 */
@NullMarked
package com.example.shop;

import org.jspecify.annotations.NullMarked;
