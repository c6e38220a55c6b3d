package io.distributedlock.examples;

import java.util.List;

import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * An example that runs on Redisson, and in the long command on Lettuce, a database and
 * inside the JVM, too.
 */
@ParameterizedClass(name = "{0}")
@MethodSource("providers")
abstract class OnEveryProvider extends Nodes {

	static List<String> providers() {
		return "false".equals(System.getProperty("lock.test.one-generation"))
				? List.of("redisson", "redis", "jdbc", "local") : List.of("redisson");
	}

}
