package io.distributedlock.boot.test;

import io.distributedlock.LockTemplate;
import io.distributedlock.engine.DefaultLockTemplate;
import io.distributedlock.local.LocalLockProvider;
import io.distributedlock.test.locks.TestLocks;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * An application may have several templates of which none is primary.
 */
@SpringBootTest(classes = SeveralTemplatesTests.Application.class, properties = "lock.provider=local")
@AutoConfigureTestLocks
class SeveralTemplatesTests {

	@Test
	void testBegins(@Autowired ObjectProvider<LockTemplate> templates, @Autowired TestLocks locks) {
		assertThat(templates.stream()).hasSize(2);
		assertThat(locks).hasNothingHeld();
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Application {

		@Bean
		DefaultLockTemplate first() {
			return template();
		}

		@Bean
		DefaultLockTemplate second() {
			return template();
		}

		private static DefaultLockTemplate template() {
			return DefaultLockTemplate.builder().provider(new LocalLockProvider()).build();
		}

	}

}
