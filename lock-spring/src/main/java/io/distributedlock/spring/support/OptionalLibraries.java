package io.distributedlock.spring.support;

import org.springframework.util.ClassUtils;

/**
 * The optional libraries that are on the class path. A class that uses such a library is
 * only loaded after a check here. Internal: public only for the other packages of this
 * module.
 */
public final class OptionalLibraries {

	/**
	 * Reactor, for all reactive types.
	 */
	public static final boolean REACTOR = isPresent("reactor.core.publisher.Flux");

	/**
	 * Spring's transactions.
	 */
	public static final boolean TRANSACTIONS = isPresent(
			"org.springframework.transaction.support.TransactionSynchronization");

	/**
	 * Spring's types for HTTP responses.
	 */
	public static final boolean WEB = isPresent("org.springframework.http.HttpEntity");

	/**
	 * AspectJ, for woven methods.
	 */
	public static final boolean ASPECTJ = isPresent("org.aspectj.lang.Aspects");

	private OptionalLibraries() {
	}

	private static boolean isPresent(String className) {
		return ClassUtils.isPresent(className, OptionalLibraries.class.getClassLoader());
	}

}
