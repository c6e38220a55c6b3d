/**
 * Recipes of OpenRewrite for those who come from other libraries. Those to run are in
 * {@code META-INF/rewrite/from.yml}.
 * <p>
 * Covered by {@code FromLock4jTests} and {@code FromShedLockTests}.
 */
@NullMarked
package io.distributedlock.rewrite;

import org.jspecify.annotations.NullMarked;
