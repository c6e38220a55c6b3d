/**
 * Puts annotated methods of Spring beans under locks: what an application names, and what
 * reads the annotations and puts the advice around beans.
 * <p>
 * Inside {@code internal} an annotation enters as bytecode of a bean class and leaves as
 * a lock operation, in {@code operation}: its expressions are parsed in
 * {@code expression}, its return type is understood in {@code returntype}, {@code reach}
 * says whether a call gets to the lock at all, and {@code invocation} runs each call,
 * with {@code transaction} between the locks and Spring's transactions. Those packages
 * know nothing of this one.
 * <p>
 * Covered by {@code MatrixTests}, {@code BeanShapeTests} and {@code LockedBeanAotTests}.
 */
@NullMarked
package io.distributedlock.spring;

import org.jspecify.annotations.NullMarked;
