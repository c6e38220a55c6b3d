package io.distributedlock.spring.support;

import org.springframework.util.ClassUtils;

/**
 * What may be on the class path beside Spring's core. A class that uses it is only
 * touched after a look here. Internal: public only for the other packages of this module.
 */
public final class OptionalLibraries {

	/**
	 * Reactor, which all reactive types are adapted to.
	 */
	public static final boolean REACTOR = isPresent("reactor.core.publisher.Flux");

	/**
	 * Spring's transactions.
	 */
	public static final boolean TRANSACTIONS = isPresent(
			"org.springframework.transaction.support.TransactionSynchronization");

	/**
	 * Spring's view of HTTP.
	 */
	public static final boolean WEB = isPresent("org.springframework.http.HttpEntity");

	/**
	 * AspectJ, which weaves.
	 */
	public static final boolean ASPECTJ = isPresent("org.aspectj.lang.Aspects");

	private OptionalLibraries() {
	}

	private static boolean isPresent(String className) {
		return ClassUtils.isPresent(className, OptionalLibraries.class.getClassLoader());
	}

}
