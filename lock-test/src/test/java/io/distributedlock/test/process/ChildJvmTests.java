package io.distributedlock.test.process;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Scanner;

import io.distributedlock.test.patience.Patience;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class ChildJvmTests {

	@Test
	void printsAndReadsAndIsKilled() {
		try (ChildJvm child = ChildJvm.start(Talker.class, "hello")) {
			assertThat(child.awaitLine("hello")).isEqualTo("hello");
			child.send("are you there?");
			assertThat(child.awaitLine("are")).isEqualTo("are you there?");
			child.suspend();
			child.resume();
			assertThat(child.isAlive()).isTrue();
			child.kill();
			Patience.await().until(() -> !child.isAlive());
			assertThat(child.awaitExit()).isEqualTo(137);
		}
	}

	@Test
	void hasItsOptions() {
		try (ChildJvm child = ChildJvm.start(List.of("-Dgreeting=hello"), Greeter.class)) {
			child.awaitLine("hello");
			assertThat(child.awaitExit()).isZero();
		}
	}

	static final class Greeter {

		@SuppressWarnings("SystemOut")
		public static void main(String[] args) {
			System.out.println(System.getProperty("greeting"));
		}

	}

	static final class Talker {

		@SuppressWarnings("SystemOut")
		public static void main(String[] args) {
			System.out.println(args[0]);
			Scanner input = new Scanner(System.in, StandardCharsets.UTF_8);
			while (input.hasNextLine()) {
				System.out.println(input.nextLine());
			}
		}

	}

}
