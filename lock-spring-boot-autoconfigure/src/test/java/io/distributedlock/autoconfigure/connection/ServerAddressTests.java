package io.distributedlock.autoconfigure.connection;

import io.distributedlock.annotation.InvalidLockSetupException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class ServerAddressTests {

	@ParameterizedTest
	@CsvSource({ "mc1:11311, mc1, 11311", "mc1, mc1, 11211", "[::1]:11311, [::1], 11311", "[::1], [::1], 11211" })
	void hostAndPortAreRead(String text, String host, int port) {
		assertThat(ServerAddress.parse("servers", text, 11211)).isEqualTo(new ServerAddress(host, port));
	}

	@ParameterizedTest
	@ValueSource(strings = { "mc1:memcached", "mc1:", "mc1:0", "mc1:-1", "mc1:65536", "mc1:99999999999" })
	void portThatIsNoneIsExplained(String text) {
		assertThatExceptionOfType(InvalidLockSetupException.class)
			.isThrownBy(() -> ServerAddress.parse("lock.memcached.servers", text, 11211))
			.withMessage("lock.memcached.servers contains '" + text + "', whose port is not a number from 1 to 65535. "
					+ "Write host:port, such as server1:11211.");
	}

}
