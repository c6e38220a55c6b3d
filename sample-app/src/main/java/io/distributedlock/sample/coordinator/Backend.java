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
 * The backend that keeps the locks of the nodes. The active profile names the provider.
 * Its server is started here, unless the configuration names a Redis.
 */
@Component
class Backend implements DisposableBean {

	/**
	 * The profiles that choose a provider; without one it is Redisson.
	 */
	private static final List<String> PROVIDERS = List.of("jdbc", "zookeeper", "etcd", "memcached", "redlock", "redis");

	private static final List<String> OF_REDIS = List.of("url", "host", "port", "username", "password", "database");

	private final Map<String, String> settings = new LinkedHashMap<>();

	private final List<ServerProcess> processes = new ArrayList<>();

	private final List<AutoCloseable> servers = new ArrayList<>();

	private final String description;

	Backend(Environment environment) throws Exception {
		String provider = PROVIDERS.stream()
			.filter((name) -> environment.acceptsProfiles(Profiles.of(name)))
			.findFirst()
			.orElse("redisson");
		this.settings.put("lock.provider", provider);
		this.settings.put("demo.token-store", "coordinator");
		this.settings.put("management.health.redis.enabled", "false");
		this.description = switch (provider) {
			case "jdbc" -> startH2();
			case "zookeeper" -> startZooKeeper();
			case "etcd" -> startEtcd();
			case "memcached" -> startMemcached();
			case "redlock" -> startRedisServers();
			default -> useRedis(environment);
		};
	}

	/**
	 * Return the properties for the nodes. Pass them on as environment variables, because
	 * they may contain a password.
	 */
	Map<String, String> settings() {
		return this.settings;
	}

	/**
	 * Return the servers' process ids. The nodes end these processes if the coordinator
	 * is killed.
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
		this.settings.put("lock.jdbc.url",
				"jdbc:h2:tcp://127.0.0.1:%s/mem:demo;DB_CLOSE_DELAY=-1".formatted(server.getPort()));
		this.settings.put("lock.jdbc.username", "sa");
		return "H2 on port " + server.getPort();
	}

	private String startZooKeeper() throws Exception {
		TestingServer server = opened(new TestingServer());
		this.settings.put("lock.zookeeper.connect-string", server.getConnectString());
		return "ZooKeeper on " + server.getConnectString();
	}

	private String startEtcd() {
		EtcdTestServer server = started(EtcdTestServer.run());
		this.settings.put("lock.etcd.endpoints", server.url());
		return "etcd on " + server.url();
	}

	private String startMemcached() {
		MemcachedTestServer server = started(MemcachedTestServer.run());
		this.settings.put("lock.memcached.servers", "127.0.0.1:" + server.port());
		return "Memcached on port " + server.port();
	}

	private String startRedisServers() {
		List<RedisTestServer> masters = Stream.generate(() -> started(RedisTestServer.run())).limit(3).toList();
		String urls = masters.stream().map(RedisTestServer::url).collect(Collectors.joining(","));
		this.settings.put("lock.redis.redlock.nodes", urls);
		return "Redlock on " + urls;
	}

	private String useRedis(Environment environment) {
		this.settings.put("demo.token-store", "redis");
		this.settings.put("management.health.redis.enabled", "true");
		boolean configured = false;
		for (String name : OF_REDIS) {
			String value = environment.getProperty("spring.data.redis." + name);
			if (value != null) {
				this.settings.put("spring.data.redis." + name, value);
				configured = true;
			}
		}
		if (configured) {
			return "Redis as configured";
		}
		RedisTestServer server = started(RedisTestServer.run());
		this.settings.put("spring.data.redis.host", "127.0.0.1");
		this.settings.put("spring.data.redis.port", Integer.toString(server.port()));
		return "Redis on port " + server.port();
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
