package io.distributedlock.examples;

import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * An example that runs on Redisson, Lettuce, a database and inside the JVM.
 */
@ParameterizedClass(name = "{0}")
@ValueSource(strings = { "redisson", "redis", "jdbc", "local" })
abstract class OnEveryProvider extends Nodes {

}
