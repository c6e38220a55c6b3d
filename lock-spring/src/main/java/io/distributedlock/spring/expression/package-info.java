/**
 * The expressions of annotations: what gives the keys of a call, and its condition. Texts
 * of annotations enter, parsed and checked keys leave. Used by the package that reads
 * annotations; uses Spring's expression language only.
 */
@NullMarked
package io.distributedlock.spring.expression;

import org.jspecify.annotations.NullMarked;
