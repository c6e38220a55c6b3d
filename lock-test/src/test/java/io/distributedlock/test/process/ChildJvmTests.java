package io.distributedlock.test.process;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class ChildJvmTests {

	@Test
	void printsAndIsKilled() {
		try (ChildJvm child = ChildJvm.start(Talker.class, "hello")) {
			assertThat(child.awaitLine("hello")).isEqualTo("hello");
			child.suspend();
			child.resume();
			assertThat(child.isAlive()).isTrue();
			child.kill();
			Awaitility.await().until(() -> !child.isAlive());
			assertThat(child.awaitExit()).isEqualTo(137);
		}
	}

	static final class Talker {

		@SuppressWarnings("SystemOut")
		public static void main(String[] args) throws java.io.IOException {
			System.out.println(args[0]);
			while (System.in.read() >= 0) {
				Thread.onSpinWait();
			}
		}

	}

}
