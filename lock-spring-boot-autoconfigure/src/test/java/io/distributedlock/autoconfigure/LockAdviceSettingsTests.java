package io.distributedlock.autoconfigure;

import io.distributedlock.annotation.DistributedLockSettings;
import io.distributedlock.annotation.OnContention;
import io.distributedlock.annotation.ReleaseTime;
import io.distributedlock.spring.DistributedLockBeanPostProcessor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.mock.env.MockEnvironment;

import static org.assertj.core.api.Assertions.assertThat;

class LockAdviceSettingsTests {

	@Test
	void defaultsAreThoseOfTheAdvice() {
		LockProperties properties = LockAdviceSettings.bind(new MockEnvironment());
		assertThat(LockAdviceSettings.settings(properties, new MockEnvironment()))
			.isEqualTo(DistributedLockSettings.DEFAULTS);
		assertThat(properties.mode()).isEqualTo(LockProperties.Mode.PROXY);
		assertThat(properties.order()).isEqualTo(DistributedLockBeanPostProcessor.DEFAULT_ORDER);
	}

	@Test
	void propertiesAreRead() {
		MockEnvironment environment = new MockEnvironment().withProperty("lock.spel.bean-references", "true")
			.withProperty("lock.on-contention", "skip")
			.withProperty("lock.transaction.release", "after-method")
			.withProperty("lock.transaction.verify-before-commit", "false")
			.withProperty("lock.require-name", "true")
			.withProperty("lock.mode", "aspectj");
		assertThat(LockAdviceSettings.settings(LockAdviceSettings.bind(environment), environment)).isEqualTo(
				new DistributedLockSettings(true, OnContention.SKIP, ReleaseTime.AFTER_METHOD, false, true, false));
		assertThat(LockAdviceSettings.bind(environment).mode()).isEqualTo(LockProperties.Mode.ASPECTJ);
	}

	@ParameterizedTest
	@CsvSource({ "jdbc:mysql://db/shop, , true", "jdbc:aws-wrapper:mysql://db/shop, , true",
			"jdbc:mariadb://db/shop?x=1, , true", "jdbc:mysql://db/shop, TRANSACTION_READ_COMMITTED, false",
			"jdbc:postgresql://mysql:5432/mariadb, , false", ", , false" })
	void isolationLevelOfTheDatabaseIsKnownFromItsAddress(String url, String level, boolean repeatable) {
		MockEnvironment environment = new MockEnvironment();
		if (url != null) {
			environment.setProperty("spring.datasource.url", url);
		}
		if (level != null) {
			environment.setProperty("spring.datasource.hikari.transaction-isolation", level);
		}
		assertThat(LockAdviceSettings.settings(LockAdviceSettings.bind(environment), environment).repeatableRead())
			.isEqualTo(repeatable);
	}

	@Test
	void applicationDoesNotStartIfWeavingHasNoAgent() {
		new ApplicationContextRunner()
			.withConfiguration(
					AutoConfigurations.of(DistributedLockAutoConfiguration.class, LocalLockAutoConfiguration.class))
			.withPropertyValues("lock.provider=local", "lock.mode=aspectj")
			.run((context) -> assertThat(context).getFailure()
				.hasMessageContainingAll("lock.mode", "-javaagent", "lock.mode=proxy"));
	}

}
