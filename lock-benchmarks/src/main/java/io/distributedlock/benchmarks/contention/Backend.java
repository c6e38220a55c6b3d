package io.distributedlock.benchmarks.contention;

/**
 * Where a lock is. Contenders of one backend are compared with each other.
 */
enum Backend {

	/**
	 * In the JVM alone: a limit.
	 */
	JVM,

	REDIS, ETCD, ZOOKEEPER, POSTGRESQL, H2, MARIADB

}
