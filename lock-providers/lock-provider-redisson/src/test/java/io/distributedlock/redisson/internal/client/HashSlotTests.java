package io.distributedlock.redisson.internal.client;

import io.distributedlock.test.server.RedisTestServer;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class HashSlotTests {

	@Test
	void slotIsThatOfTheServer() {
		try (RedisTestServer server = RedisTestServer.run("--cluster-enabled", "yes")) {
			for (String key : new String[] { "plain", "shop:lock:order:1", "{tag}:permits", "a{b}c{d}", "{}empty",
					"open{only", "closed}{first}", "schl\u00fcssel" }) {
				assertThat((long) HashSlot.of(key)).as(key).isEqualTo(server.command("CLUSTER", "KEYSLOT", key));
			}
		}
	}

}
