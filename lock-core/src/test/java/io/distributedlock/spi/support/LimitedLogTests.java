package io.distributedlock.spi.support;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.Test;
import org.slf4j.Marker;
import org.slf4j.event.Level;
import org.slf4j.helpers.LegacyAbstractLogger;
import org.slf4j.helpers.MessageFormatter;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A flood of warnings is cut, and the log says so.
 */
class LimitedLogTests {

	private final AtomicLong now = new AtomicLong(Long.MAX_VALUE - 5);

	private final Lines lines = new Lines();

	private final LimitedLog log = new LimitedLog(this.lines, this.now::get);

	@Test
	void fewWarningsAreAllWritten() {
		for (int i = 0; i < 3; i++) {
			this.log.warn("Lock '{}' is lost.", i);
		}
		assertThat(this.lines.written).containsExactly("Lock '0' is lost.", "Lock '1' is lost.", "Lock '2' is lost.");
	}

	@Test
	void floodIsCutAndCounted() {
		for (int i = 0; i < 1000; i++) {
			this.log.warn("Lock '{}' is lost.", i);
		}
		assertThat(this.lines.written).hasSize(10)
			.last()
			.asString()
			.startsWith("Lock '9' is lost.")
			.contains("left out for up to a minute");
		this.now.addAndGet(Duration.ofMinutes(1).toNanos());
		this.log.warn("Lock '{}' is lost.", "a");
		this.log.warn("Lock '{}' is lost.", "b");
		assertThat(this.lines.written.subList(10, 12))
			.containsExactly("990 warnings like the next one were left out. Lock 'a' is lost.", "Lock 'b' is lost.");
		this.now.addAndGet(Duration.ofMinutes(1).toNanos());
		this.log.warn("Lock '{}' is lost.", "c");
		assertThat(this.lines.written).last().isEqualTo("Lock 'c' is lost.");
	}

	@Test
	void warningsOfAnotherKindAreWritten() {
		for (int i = 0; i < 1000; i++) {
			this.log.warn("Lock '{}' could not be renewed.", i);
		}
		this.log.warn("Lock '{}' is lost.", "k");
		this.log.error("Lock '{}' is lost for good.", "k");
		assertThat(this.lines.written).hasSize(12).endsWith("Lock 'k' is lost.", "Lock 'k' is lost for good.");
	}

	private static final class Lines extends LegacyAbstractLogger {

		private static final long serialVersionUID = 1L;

		private final transient List<String> written = new ArrayList<>();

		@Override
		protected String getFullyQualifiedCallerName() {
			return "test";
		}

		@Override
		protected void handleNormalizedLoggingCall(Level level, Marker marker, String message, Object[] arguments,
				Throwable throwable) {
			this.written.add(MessageFormatter.basicArrayFormat(message, arguments));
		}

		@Override
		public boolean isTraceEnabled() {
			return false;
		}

		@Override
		public boolean isDebugEnabled() {
			return false;
		}

		@Override
		public boolean isInfoEnabled() {
			return false;
		}

		@Override
		public boolean isWarnEnabled() {
			return true;
		}

		@Override
		public boolean isErrorEnabled() {
			return true;
		}

	}

}
