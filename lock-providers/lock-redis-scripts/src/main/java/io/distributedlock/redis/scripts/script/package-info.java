/**
 * Internal: scripts, how they are called, and what a server lacks.
 */
@NullMarked
package io.distributedlock.redis.scripts.script;

import org.jspecify.annotations.NullMarked;
