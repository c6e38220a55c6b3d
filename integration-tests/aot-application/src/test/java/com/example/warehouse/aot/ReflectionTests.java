package com.example.warehouse.aot;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;

import com.example.warehouse.WarehouseApplication;
import org.junit.jupiter.api.Test;

import org.springframework.aot.AotDetector;
import org.springframework.aot.agent.HintType;
import org.springframework.aot.agent.RecordedInvocation;
import org.springframework.aot.agent.RecordedInvocationsListener;
import org.springframework.aot.agent.RecordedInvocationsPublisher;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.test.agent.EnabledIfRuntimeHintsAgent;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Spring's agent records what the running application does by reflection, and this
 * compares what the library does with what a native image would be told. Nothing but a
 * native image would need these hints, and this build makes none.
 */
// Spring would rather have a native image tested; the agent works without one
@SuppressWarnings({ "removal", "deprecation" })
@EnabledIfRuntimeHintsAgent
class ReflectionTests {

	/**
	 * What Spring does in another way in a native image: it wraps no types there, makes
	 * the objects of proxies by their constructors, and knows its own optional libraries.
	 * An image has the proxy of each annotation that it knows.
	 */
	private static final List<String> OTHERWISE_IN_AN_IMAGE = List.of(
			"org.springframework.core.SerializableTypeWrapper",
			"org.springframework.core.annotation.SynthesizedMergedAnnotationInvocationHandler",
			"org.springframework.cglib.", "org.springframework.objenesis.",
			"org.springframework.transaction.support.TransactionSynchronizationUtils");

	@Test
	void libraryDoesNothingByReflectionThatAnImageIsNotToldOf() throws IOException {
		RuntimeHints told = ImageMetadata.read();
		List<RecordedInvocation> recorded = record();
		assertThat(recorded).extracting(ReflectionTests::describe)
			.as("what is recorded at all")
			.anyMatch((text) -> text.contains("schema-h2.sql"))
			.anyMatch((text) -> text.contains("Method#invoke") && text.contains("Order.id()"));
		assertThat(recorded.stream().filter((each) -> !each.matches(told)).map(ReflectionTests::describe).distinct())
			.isEmpty();
	}

	private static List<RecordedInvocation> record() {
		List<RecordedInvocation> recorded = new CopyOnWriteArrayList<>();
		RecordedInvocationsListener listener = (invocation) -> {
			if (isOurs(invocation) && isOfInterest(invocation)) {
				recorded.add(invocation);
			}
		};
		System.setProperty(AotDetector.AOT_ENABLED, "true");
		RecordedInvocationsPublisher.addListener(listener);
		try {
			WarehouseApplication.main(new String[0]);
		}
		finally {
			RecordedInvocationsPublisher.removeListener(listener);
			System.clearProperty(AotDetector.AOT_ENABLED);
		}
		return recorded;
	}

	/**
	 * Leave out who only looks at the methods of beans in general: the advice looks at
	 * all of them, and a bean that is not locked needs no hint.
	 */
	private static boolean isOfInterest(RecordedInvocation invocation) {
		return invocation.isStatic() || !(invocation.getInstance() instanceof Class<?> type)
				|| invocation.getHintType() != HintType.REFLECTION
				|| (type.getCanonicalName() != null && !type.getName().contains("$$")
						&& (type.getName().startsWith("com.example.")
								|| type.getName().startsWith("io.distributedlock.annotation.")));
	}

	/**
	 * Whether the library has called, or Spring for it.
	 */
	private static boolean isOurs(RecordedInvocation invocation) {
		return caller(invocation).filter((name) -> name.startsWith("io.distributedlock.")).isPresent()
				&& invocation.getStackFrames()
					.noneMatch((frame) -> OTHERWISE_IN_AN_IMAGE.stream().anyMatch(frame.getClassName()::startsWith));
	}

	private static Optional<String> caller(RecordedInvocation invocation) {
		return invocation.getStackFrames()
			.map(StackWalker.StackFrame::getClassName)
			.filter((name) -> !name.startsWith("java.") && !name.startsWith("jdk.")
					&& !name.startsWith("org.springframework."))
			.findFirst();
	}

	private static String describe(RecordedInvocation invocation) {
		return "%s of %s %s by %s".formatted(invocation.getMethodReference(),
				invocation.isStatic() ? "" : String.valueOf(invocation.<Object>getInstance()),
				invocation.getArguments(), caller(invocation).orElse(""));
	}

}
