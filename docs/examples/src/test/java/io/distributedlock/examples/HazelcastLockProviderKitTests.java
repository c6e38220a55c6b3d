package io.distributedlock.examples;

import java.time.Duration;
import java.util.List;

import com.hazelcast.client.HazelcastClient;
import com.hazelcast.client.config.ClientConfig;
import com.hazelcast.core.HazelcastInstance;
import io.distributedlock.test.LockProviderCompatibilityKit;
import io.distributedlock.test.ProviderFactory;
import io.distributedlock.test.ProviderSource;
import io.distributedlock.test.server.ServerProcess;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;

/**
 * Two members are in this JVM, so that the kit can neither kill nor pause them. Each node
 * has a client of its own.
 */
@DisplayName("hazelcast")
class HazelcastLockProviderKitTests extends LockProviderCompatibilityKit {

	private static final String ADDRESS = "127.0.0.1:" + ServerProcess.freePort();

	private static HazelcastInstance first;

	private static HazelcastInstance second;

	@BeforeAll
	static void startMembers() {
		first = HazelcastMembers.start(ADDRESS, ADDRESS);
		second = HazelcastMembers.start("127.0.0.1:" + ServerProcess.freePort(), ADDRESS);
	}

	@AfterAll
	static void stopMembers() {
		second.getLifecycleService().terminate();
		first.getLifecycleService().terminate();
	}

	@Override
	protected ProviderSource source() {
		return new ProviderSource(Factory.class, List.of(ADDRESS), true, null);
	}

	public static final class Factory implements ProviderFactory {

		@Override
		public Node create(List<String> arguments, Duration commandTimeout) {
			ClientConfig config = new ClientConfig().setClusterName(arguments.get(0))
				.setProperty("hazelcast.logging.type", "none");
			config.getNetworkConfig().addAddress(arguments.get(0));
			HazelcastInstance client = HazelcastClient.newHazelcastClient(config);
			return new Node(new HazelcastLockProvider(client), client::shutdown);
		}

	}

}
