package io.distributedlock.spring.internal.support;

import java.util.List;

import org.springframework.util.ClassUtils;

/**
 * The optional libraries that are on the class path. A class that uses such a library is
 * only loaded after a check here.
 */
public final class OptionalLibraries {

	private static final String REACTOR_CLASS = "reactor.core.publisher.Flux";

	private static final String TRANSACTIONS_CLASS = "org.springframework.transaction.support.TransactionSynchronization";

	private static final String WEB_CLASS = "org.springframework.http.HttpEntity";

	private static final String ASPECTJ_CLASS = "org.aspectj.lang.Aspects";

	/**
	 * The classes that are looked for.
	 */
	public static final List<String> CLASSES = List.of(REACTOR_CLASS, TRANSACTIONS_CLASS, WEB_CLASS, ASPECTJ_CLASS);

	/**
	 * Reactor, for all reactive types.
	 */
	public static final boolean REACTOR = isPresent(REACTOR_CLASS);

	/**
	 * Spring's transactions.
	 */
	public static final boolean TRANSACTIONS = isPresent(TRANSACTIONS_CLASS);

	/**
	 * Spring's types for HTTP responses.
	 */
	public static final boolean WEB = isPresent(WEB_CLASS);

	/**
	 * AspectJ, for woven methods.
	 */
	public static final boolean ASPECTJ = isPresent(ASPECTJ_CLASS);

	private OptionalLibraries() {
	}

	private static boolean isPresent(String className) {
		return ClassUtils.isPresent(className, OptionalLibraries.class.getClassLoader());
	}

}
