package io.distributedlock.engine.internal.runtime;

import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThatNoException;

class GuardTests {

	@Test
	void failureThatCannotBePrintedIsToldByItsType() {
		RuntimeException unprintable = new RuntimeException() {

			@Override
			public String getMessage() {
				throw new IllegalStateException("the session is closed");
			}

		};
		assertThatNoException().isThrownBy(() -> Guard.log(LoggerFactory.getLogger("unprintable"),
				"A step of {} failed", GuardTests.class, unprintable));
	}

}
