package io.distributedlock.benchmarks.contention.contender;

/**
 * Where a lock is. Contenders of one backend are compared with each other.
 */
public enum Backend {

	/**
	 * In the JVM alone.
	 */
	JVM("JVM"),

	REDIS("Redis"), ETCD("etcd"), ZOOKEEPER("ZooKeeper"), POSTGRESQL("PostgreSQL"), H2("H2"), MARIADB("MariaDB"),
	MEMCACHED("Memcached");

	private final String title;

	Backend(String title) {
		this.title = title;
	}

	public String title() {
		return this.title;
	}

}
