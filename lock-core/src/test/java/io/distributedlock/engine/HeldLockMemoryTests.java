package io.distributedlock.engine;

import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

import javax.management.JMException;
import javax.management.ObjectName;

import io.distributedlock.LockHandle;
import io.distributedlock.engine.internal.key.Acquisition;
import io.distributedlock.engine.internal.key.AttemptTimers;
import io.distributedlock.engine.internal.lease.HeldLock;
import io.distributedlock.local.LocalLockProvider;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What stays in memory as long as locks are held. A node may hold thousands, for hours.
 */
class HeldLockMemoryTests {

	private static final int LOCKS = 200;

	@Test
	void callThatAcquiredALockIsNotKept() throws JMException {
		try (DefaultLockTemplate template = DefaultLockTemplate.builder().provider(new LocalLockProvider()).build()) {
			List<LockHandle> held = IntStream.range(0, LOCKS).mapToObj((i) -> template.acquire("order:" + i)).toList();
			assertThat(instancesOf(HeldLock.class)).isGreaterThanOrEqualTo(LOCKS);
			assertThat(instancesOf(Acquisition.class)).isLessThan(LOCKS);
			assertThat(instancesOf(AttemptTimers.class)).isLessThan(LOCKS);
			held.forEach(LockHandle::close);
		}
	}

	/**
	 * Return how many objects of a class can be reached.
	 */
	private static int instancesOf(Class<?> type) throws JMException {
		Object histogram = ManagementFactory.getPlatformMBeanServer()
			.invoke(new ObjectName("com.sun.management:type=DiagnosticCommand"), "gcClassHistogram",
					new Object[] { new String[0] }, new String[] { String[].class.getName() });
		Matcher line = Pattern.compile(": +(\\d+) +\\d+ +" + Pattern.quote(type.getName()) + "\\s")
			.matcher(String.valueOf(histogram));
		return line.find() ? Integer.parseInt(line.group(1)) : 0;
	}

}
