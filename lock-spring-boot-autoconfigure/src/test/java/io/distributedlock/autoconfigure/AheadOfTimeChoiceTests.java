package io.distributedlock.autoconfigure;

import java.util.List;
import java.util.Map;

import io.distributedlock.annotation.InvalidLockSetupException;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.mock.env.MockEnvironment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNoException;

/**
 * What may change between the build and the start of an application that is processed
 * ahead of time.
 */
class AheadOfTimeChoiceTests {

	private static final AheadOfTimeChoice BUILD = new AheadOfTimeChoice(Map.of("lock.enabled", true, "lock.fail-fast",
			false, "lock.observations.enabled", true, "lock.web.problem-details", false), List.of("jdbc", "redis"),
			false);

	@Test
	void providerOfTheBuildMayBeNamedOrNot() {
		assertThatNoException().isThrownBy(() -> BUILD.require(new MockEnvironment()));
		assertThatNoException()
			.isThrownBy(() -> BUILD.require(new MockEnvironment().withProperty("lock.provider", "redis")));
		assertThatNoException().isThrownBy(() -> BUILD.require(
				new MockEnvironment().withProperty("lock.provider", "redis").withProperty("lock.providers", "jdbc")));
	}

	@Test
	void otherProviderIsRefused() {
		assertThatExceptionOfType(InvalidLockSetupException.class)
			.isThrownBy(() -> BUILD.require(new MockEnvironment().withProperty("lock.providers", "jdbc,etcd")))
			.withMessageContaining("lock.providers names 'etcd'")
			.withMessageContaining("with [jdbc, redis]")
			.satisfies((ex) -> assertThat(ex.getAction()).startsWith("Set lock.provider=etcd where process-aot runs"));
	}

	/**
	 * A provider of the application has its name in its code. The template finds out.
	 */
	@Test
	void unknownNameMayBeThatOfAProviderOfTheApplication() {
		AheadOfTimeChoice build = new AheadOfTimeChoice(BUILD.switches(), List.of("mine"), true);
		assertThatNoException()
			.isThrownBy(() -> build.require(new MockEnvironment().withProperty("lock.provider", "own")));
	}

	@Test
	void propertyThatDecidesOnBeansIsRefused() {
		for (String property : List.of("lock.enabled=false", "lock.fail-fast=true", "lock.observations.enabled=false",
				"lock.web.problem-details=true")) {
			String[] parts = property.split("=", -1);
			assertThatExceptionOfType(InvalidLockSetupException.class)
				.isThrownBy(() -> BUILD.require(new MockEnvironment().withProperty(parts[0], parts[1])))
				.withMessageStartingWith("%s is %s, but it was".formatted(parts[0], parts[1]));
		}
	}

	@Test
	void providersDoNotMatterWhileLocksAreOff() {
		AheadOfTimeChoice off = new AheadOfTimeChoice(Map.of("lock.enabled", false), List.of(), false);
		assertThatNoException().isThrownBy(() -> off.require(
				new MockEnvironment().withProperty("lock.enabled", "false").withProperty("lock.provider", "redis")));
		assertThatExceptionOfType(InvalidLockSetupException.class).isThrownBy(() -> off.require(new MockEnvironment()))
			.withMessageStartingWith("lock.enabled is true, but it was false");
	}

	@Test
	void choiceIsReadFromBeansAndProperties() {
		ApplicationContextRunner runner = new ApplicationContextRunner().withConfiguration(
				AutoConfigurations.of(LocalLockAutoConfiguration.class, DistributedLockAutoConfiguration.class));
		runner.withPropertyValues("lock.provider=local", "lock.fail-fast=true").run((context) -> {
			AheadOfTimeChoice choice = AheadOfTimeChoice.of(context.getBeanFactory(), context.getEnvironment());
			assertThat(choice.providers()).containsExactly("local");
			assertThat(choice.others()).isFalse();
			assertThat(choice.switches()).containsEntry("lock.fail-fast", true).containsEntry("lock.enabled", true);
		});
	}

}
