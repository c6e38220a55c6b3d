/**
 * An application that is processed ahead of time. Its beans have what the advice of locks
 * handles by reflection: arguments that expressions read, a fallback, an annotation in an
 * interface and one of the application's own.
 */
@NullMarked
package com.example.warehouse;

import org.jspecify.annotations.NullMarked;
