package io.distributedlock.examples;

import com.hazelcast.config.Config;
import com.hazelcast.config.JoinConfig;
import com.hazelcast.config.NetworkConfig;
import com.hazelcast.core.Hazelcast;
import com.hazelcast.core.HazelcastInstance;

/**
 * Members that talk with nobody outside this machine.
 */
final class HazelcastMembers {

	private HazelcastMembers() {
	}

	/**
	 * Start a member.
	 * @param address its host and port
	 * @param first the host and port of the first member, which also names the cluster
	 */
	static HazelcastInstance start(String address, String first) {
		String[] hostAndPort = address.split(":", -1);
		Config config = new Config().setClusterName(first)
			.setProperty("hazelcast.phone.home.enabled", "false")
			.setProperty("hazelcast.logging.type", "none");
		NetworkConfig network = config.getNetworkConfig()
			.setPort(Integer.parseInt(hostAndPort[1]))
			.setPortAutoIncrement(false);
		network.getInterfaces().setEnabled(true).addInterface(hostAndPort[0]);
		JoinConfig join = network.getJoin();
		join.getAutoDetectionConfig().setEnabled(false);
		join.getMulticastConfig().setEnabled(false);
		join.getTcpIpConfig().setEnabled(true).addMember(first);
		return Hazelcast.newHazelcastInstance(config);
	}

}
