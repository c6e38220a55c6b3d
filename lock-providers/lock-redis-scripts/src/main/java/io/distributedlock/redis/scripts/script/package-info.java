/**
 * Internal: scripts, how they are called, and what a server lacks.
 * <p>
 * Covered by {@code ScriptRulesTests} and {@code RedisEdgeCaseTests}.
 */
@NullMarked
package io.distributedlock.redis.scripts.script;

import org.jspecify.annotations.NullMarked;
