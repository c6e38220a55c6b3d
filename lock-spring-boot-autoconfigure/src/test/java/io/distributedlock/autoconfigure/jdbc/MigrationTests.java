package io.distributedlock.autoconfigure.jdbc;

import java.util.UUID;

import io.distributedlock.LockTemplate;
import io.distributedlock.autoconfigure.DistributedLockAutoConfiguration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.flyway.autoconfigure.FlywayAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.liquibase.autoconfigure.LiquibaseAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Migrations come before the tables of locks, also if a bean takes a lock when it is
 * created: Flyway refuses a schema that is neither empty nor its own, and the changes of
 * Liquibase one with our tables.
 */
class MigrationTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class, JdbcLockAutoConfiguration.class,
				DistributedLockAutoConfiguration.class))
		.withPropertyValues("spring.datasource.url=jdbc:h2:mem:" + UUID.randomUUID(),
				"spring.flyway.locations=classpath:migrations",
				"spring.liquibase.change-log=classpath:migrations/changes.sql", "lock.provider=jdbc");

	@ParameterizedTest
	@ValueSource(classes = { Late.class, Early.class })
	void migrationsOfFlywayComeFirst(Class<?> type) {
		requireFirst(FlywayAutoConfiguration.class, type);
	}

	@ParameterizedTest
	@ValueSource(classes = { Late.class, Early.class })
	void migrationsOfLiquibaseComeFirst(Class<?> type) {
		requireFirst(LiquibaseAutoConfiguration.class, type);
	}

	private void requireFirst(Class<?> migrations, Class<?> type) {
		this.runner.withConfiguration(AutoConfigurations.of(migrations)).withBean("aaa", type).run((context) -> {
			assertThat(context).hasNotFailed();
			assertThat(context.getBean(LockTemplate.class).tryAcquire("orders")).isPresent();
		});
	}

	static class Late {

	}

	static class Early {

		Early(LockTemplate template) {
			template.execute("early", () -> {
			});
		}

	}

}
