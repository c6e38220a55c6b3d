package io.distributedlock.autoconfigure.connection;

import io.distributedlock.annotation.InvalidLockSetupException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class ServerAddressTests {

	@ParameterizedTest
	@CsvSource({ "mc1:11311, mc1, 11311", "mc1, mc1, 11211", "[::1]:11311, [::1], 11311", "[::1], [::1], 11211" })
	void hostAndPortAreRead(String text, String host, int port) {
		assertThat(ServerAddress.parse("servers", text, 11211)).isEqualTo(new ServerAddress(host, port));
	}

	@Test
	void portThatIsNoNumberIsExplained() {
		assertThatExceptionOfType(InvalidLockSetupException.class)
			.isThrownBy(() -> ServerAddress.parse("lock.memcached.servers", "mc1:memcached", 11211))
			.withMessage("lock.memcached.servers contains 'mc1:memcached', whose port is not a number. "
					+ "Write host:port, such as server1:11211.");
	}

}
