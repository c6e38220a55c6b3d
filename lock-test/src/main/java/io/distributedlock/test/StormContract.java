package io.distributedlock.test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.distributedlock.LockHandle;
import io.distributedlock.LockRequest;
import io.distributedlock.LockTemplate;
import io.distributedlock.LockType;
import io.distributedlock.engine.DefaultLockTemplate;
import io.distributedlock.test.patience.Patience;
import io.distributedlock.test.process.ChildJvm;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Checks that somebody gets a free key within a bounded time while many calls come that
 * end soon, and that these calls leave nothing behind.
 */
abstract class StormContract extends CrowdContract {

	private static final Logger logger = LoggerFactory.getLogger(StormContract.class);

	/**
	 * How long a storm lasts, in cycles of a caller that has a key for itself.
	 */
	private static final int CYCLES = THOROUGH ? 2000 : 200;

	/**
	 * How many of these cycles a key may be without an owner. Calls that end before a
	 * grant could reach them may miss it many times in a row, on a busy machine more
	 * often: there a single statement of a database was seen to take a hundred cycles.
	 * Where nobody is granted the key at all, that lasts as long as the storm.
	 */
	private static final int LONGEST_GAP = THOROUGH ? CYCLES / 2 : 130;

	/**
	 * How often a key is granted at least. A caller that has it for itself would get it
	 * once in each cycle.
	 */
	private static final int FEWEST_GRANTS = CYCLES / 20;

	private static final Duration FREE_WITHIN = Patience.stretched(Duration.ofSeconds(1));

	private static final int FEW_REFUSALS = 20;

	/**
	 * How many JVMs the long form starts beside this one.
	 */
	static final int JVMS = 3;

	@Test
	final void callsThatDoNotWaitAreGranted(@TempDir Path folder) throws Exception {
		List<DefaultLockTemplate> nodes = nodes();
		for (List<LockType> types : eachType().toList()) {
			storm(types, nodes.subList(0, 1), 2, 8, 1);
			if (THOROUGH) {
				storm(types, nodes, 1, 24, 1);
				storm(types, nodes, 6, 24, 1);
				stormOfThreeJvms(folder, nodes.get(0), types, 1, 24, 1);
			}
		}
	}

	@Test
	final void callsThatEndSoonAreGranted(@TempDir Path folder) throws Exception {
		List<DefaultLockTemplate> nodes = nodes();
		int kinds = StormCall.values().length;
		for (List<LockType> types : eachTypeAndMixed().toList()) {
			storm(types, nodes, 1, 6, kinds);
			if (THOROUGH) {
				storm(types, nodes.subList(0, 1), 2, 24, kinds);
				storm(types, nodes, 6, 24, kinds);
				stormOfThreeJvms(folder, nodes.get(0), types, 2, 24, kinds);
			}
		}
	}

	/**
	 * Return what each storm asks for: one of the types that are asked for most, or of
	 * all if there is time.
	 */
	private Stream<List<LockType>> eachType() {
		return types().stream()
			.filter((type) -> THOROUGH || type == LockType.EXCLUSIVE || type == LockType.FAIR)
			.map(List::of);
	}

	/**
	 * Return the same, and all types that exclude each other.
	 */
	private Stream<List<LockType>> eachTypeAndMixed() {
		return Stream
			.concat(eachType(), Stream.of(types().stream().filter((type) -> type != LockType.SEMAPHORE).toList()))
			.distinct();
	}

	private List<DefaultLockTemplate> nodes() {
		return Stream.generate(this::node).limit(3).toList();
	}

	private void storm(List<LockType> types, List<DefaultLockTemplate> nodes, int keys, int threads, int kinds)
			throws Exception {
		String name = "%s-%s-%s-%s-%s".formatted(names(types), nodes.size(), keys, threads, kinds);
		Storm storm = new Storm(types, key() + name, keys, threads, kinds, SharedNumber.inThisJvm());
		LockTemplate alone = nodes.get(nodes.size() - 1);
		storm.rage(nodes, 1, () -> storm.cycle(alone, LockRequest.of(key() + name + "alone"), CYCLES));
		check(name, storm, alone);
	}

	private void stormOfThreeJvms(Path folder, LockTemplate node, List<LockType> types, int keys, int threads,
			int kinds) throws IOException {
		if (!source().sharedBetweenJvms()) {
			return;
		}
		String name = "%s-JVMs-%s-%s-%s".formatted(names(types), keys, threads, kinds);
		Path numbers = Files.createFile(folder.resolve(name));
		Storm storm = new Storm(types, key() + name, keys, threads, kinds, SharedNumber.in(numbers));
		List<String> arguments = new ArrayList<>(List.of(source().factory().getName(), numbers.toString(), names(types),
				key() + name, Integer.toString(keys), Integer.toString(threads), Integer.toString(kinds)));
		arguments.addAll(source().arguments());
		List<ChildJvm> jvms = new ArrayList<>();
		try {
			for (int i = 0; i < JVMS; i++) {
				jvms.add(ChildJvm.start(KitStorm.class, arguments.toArray(String[]::new)));
			}
			jvms.forEach((jvm) -> jvm.awaitLine("READY"));
			storm.cycle(node, LockRequest.of(key() + name + "alone"), CYCLES);
			jvms.forEach((jvm) -> jvm.send("end"));
			jvms.forEach((jvm) -> jvm.awaitLine("OVER"));
			check(name, storm, node);
		}
		finally {
			jvms.forEach(ChildJvm::close);
		}
	}

	private static String names(List<LockType> types) {
		return types.stream().map(LockType::name).collect(Collectors.joining("+"));
	}

	private void check(String name, Storm storm, LockTemplate node) {
		logger.info("Storm {}: {}", name, storm.keys());
		for (StormKey key : storm.keys()) {
			assertThat(key.overlaps()).as("%s in storm %s: too many owners", key, name).isZero();
			assertThat(key.grants()).as("%s in storm %s", key, name).isGreaterThan(FEWEST_GRANTS);
			assertThat(key.longestGap()).as("%s in storm %s", key, name).isLessThan(LONGEST_GAP);
		}
		storm.keys().forEach((key) -> assertFreeSoon(name, node, key.requests().get(0)));
		assertNothingIsLeft();
	}

	/**
	 * Check that a call gets a key within a second. It does not wait: the poll of a
	 * waiting call might remove what others have left.
	 */
	private static void assertFreeSoon(String name, LockTemplate node, LockRequest request) {
		LockRequest atOnce = alone(request).withWaitTime(Duration.ZERO);
		long start = System.nanoTime();
		for (int refusals = 0;; refusals++) {
			Optional<LockHandle> handle = node.tryAcquire(atOnce);
			Duration passed = Duration.ofNanos(System.nanoTime() - start);
			if (handle.isPresent()) {
				handle.get().close();
				return;
			}
			// on a busy machine a single call may take longer
			assertThat(passed.compareTo(FREE_WITHIN) < 0 || refusals < FEW_REFUSALS)
				.as("'%s' is free %s after storm %s", atOnce.key(), passed, name)
				.isTrue();
			LockSupport.parkNanos(FREE_WITHIN.dividedBy(2 * FEW_REFUSALS).toNanos());
		}
	}

}
