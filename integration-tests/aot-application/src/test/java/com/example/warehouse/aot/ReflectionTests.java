package com.example.warehouse.aot;

import java.io.IOException;
import java.util.List;
import java.util.Optional;

import com.example.warehouse.WarehouseApplication;
import org.assertj.core.api.ListAssert;
import org.junit.jupiter.api.Test;

import org.springframework.aot.AotDetector;
import org.springframework.aot.agent.RecordedInvocation;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.test.agent.EnabledIfRuntimeHintsAgent;
import org.springframework.aot.test.agent.RuntimeHintsInvocations;
import org.springframework.aot.test.agent.RuntimeHintsRecorder;

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

	@Test
	void libraryDoesNothingByReflectionThatAnImageIsNotToldOf() throws IOException {
		RuntimeHints told = ImageMetadata.read();
		RuntimeHintsInvocations recorded = record();
		assertThat(unknown(recorded, new RuntimeHints())).as("what is recorded at all").isNotEmpty();
		assertThat(unknown(recorded, told)).isEmpty();
	}

	private static List<String> unknown(RuntimeHintsInvocations recorded, RuntimeHints hints) {
		ListAssert<RecordedInvocation> unknown = recorded.assertThat().notMatching(hints);
		return unknown.actual()
			.stream()
			.filter(ReflectionTests::isOurs)
			.map(ReflectionTests::describe)
			.distinct()
			.toList();
	}

	private static RuntimeHintsInvocations record() {
		System.setProperty(AotDetector.AOT_ENABLED, "true");
		try {
			return RuntimeHintsRecorder.record(() -> WarehouseApplication.main(new String[0]));
		}
		finally {
			System.clearProperty(AotDetector.AOT_ENABLED);
		}
	}

	/**
	 * Whether the library has called, or Spring for it.
	 */
	private static boolean isOurs(RecordedInvocation invocation) {
		return caller(invocation).filter((name) -> name.startsWith("io.distributedlock.")).isPresent();
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
