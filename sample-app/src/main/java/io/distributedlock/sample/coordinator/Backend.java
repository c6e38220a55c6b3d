package io.distributedlock.sample.coordinator;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.distributedlock.test.server.EtcdTestServer;
import io.distributedlock.test.server.MemcachedTestServer;
import io.distributedlock.test.server.RedisTestServer;
import io.distributedlock.test.server.ServerProcess;
import org.apache.curator.test.TestingServer;
import org.h2.tools.Server;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.core.env.Environment;
import org.springframework.core.env.Profiles;
import org.springframework.stereotype.Component;

/**
 * The backend of the nodes' locks, by the profile that is active: a server that is
 * started here, or the Redis that the configuration names.
 */
@Component
class Backend implements DisposableBean {

	private static final List<String> OF_REDIS = List.of("url", "host", "port", "username", "password", "database");

	private final Map<String, String> settings = new LinkedHashMap<>();

	private final List<ServerProcess> processes = new ArrayList<>();

	private final List<AutoCloseable> servers = new ArrayList<>();

	private final String description;

	Backend(Environment environment) throws Exception {
		this.settings.put("demo.token-store", "coordinator");
		if (environment.acceptsProfiles(Profiles.of("jdbc"))) {
			this.description = startH2();
		}
		else if (environment.acceptsProfiles(Profiles.of("zookeeper"))) {
			TestingServer server = opened(new TestingServer());
			use("zookeeper", "lock.zookeeper.connect-string", server.getConnectString());
			this.description = "ZooKeeper on " + server.getConnectString();
		}
		else if (environment.acceptsProfiles(Profiles.of("etcd"))) {
			EtcdTestServer server = started(EtcdTestServer.run());
			use("etcd", "lock.etcd.endpoints", server.url());
			this.description = "etcd on " + server.url();
		}
		else if (environment.acceptsProfiles(Profiles.of("memcached"))) {
			MemcachedTestServer server = started(MemcachedTestServer.run());
			use("memcached", "lock.memcached.servers", "127.0.0.1:" + server.port());
			this.description = "Memcached on port " + server.port();
		}
		else if (environment.acceptsProfiles(Profiles.of("redlock"))) {
			List<RedisTestServer> masters = Stream.generate(() -> started(RedisTestServer.run())).limit(3).toList();
			String urls = masters.stream().map(RedisTestServer::url).collect(Collectors.joining(","));
			use("redlock", "lock.redis.redlock.nodes", urls);
			this.description = "Redlock over " + urls;
		}
		else {
			this.description = useRedis(environment, environment.acceptsProfiles(Profiles.of("redis")));
		}
	}

	/**
	 * Return what the nodes are to be configured with. Best handed on by the environment:
	 * it may hold a password.
	 */
	Map<String, String> settings() {
		return this.settings;
	}

	/**
	 * Return the processes that the nodes end if this one is killed.
	 */
	List<Long> pids() {
		return this.processes.stream().map(ServerProcess::pid).toList();
	}

	String description() {
		return this.description;
	}

	@Override
	public void destroy() throws Exception {
		for (AutoCloseable server : this.servers) {
			server.close();
		}
	}

	private String startH2() throws Exception {
		Server server = Server.createTcpServer("-tcpPort", "0", "-ifNotExists").start();
		this.servers.add(server::stop);
		use("jdbc", "lock.jdbc.url",
				"jdbc:h2:tcp://127.0.0.1:%d/mem:demo;DB_CLOSE_DELAY=-1".formatted(server.getPort()));
		this.settings.put("lock.jdbc.username", "sa");
		return "H2 on port " + server.getPort();
	}

	private String useRedis(Environment environment, boolean lettuce) {
		this.settings.put("lock.provider", lettuce ? "redis" : "redisson");
		this.settings.put("demo.token-store", "redis");
		for (String name : OF_REDIS) {
			String value = environment.getProperty("spring.data.redis." + name);
			if (value != null) {
				this.settings.put("spring.data.redis." + name, value);
			}
		}
		if (this.settings.keySet().stream().anyMatch((name) -> name.startsWith("spring.data.redis."))) {
			return "Redis as configured";
		}
		RedisTestServer server = started(RedisTestServer.run());
		this.settings.put("spring.data.redis.host", "127.0.0.1");
		this.settings.put("spring.data.redis.port", Integer.toString(server.port()));
		return "Redis on port " + server.port();
	}

	private void use(String provider, String property, String value) {
		this.settings.put("lock.provider", provider);
		this.settings.put(property, value);
	}

	private <S extends ServerProcess> S started(S server) {
		this.processes.add(server);
		return opened(server);
	}

	private <S extends AutoCloseable> S opened(S server) {
		this.servers.add(server);
		return server;
	}

}
