package io.distributedlock.boot.test;

import io.distributedlock.local.LocalLockProvider;
import io.distributedlock.spi.LockProvider;
import io.distributedlock.test.locks.TestLocks;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A test that does not ask for test locks is not changed by their module.
 */
class NotEnabledTests {

	@Nested
	@SpringBootTest(classes = Application.class, properties = "lock.provider=local")
	class WithoutTheAnnotation {

		@Test
		void providerIsTheRealOne(@Autowired LockProvider provider, @Autowired ObjectProvider<TestLocks> locks) {
			assertThat(provider).isInstanceOf(LocalLockProvider.class);
			assertThat(locks).isEmpty();
		}

	}

	@Nested
	@SpringBootTest(classes = Application.class, properties = "lock.provider=local")
	@AutoConfigureTestLocks(enabled = false)
	class SwitchedOff {

		@Test
		void providerIsTheRealOne(@Autowired LockProvider provider, @Autowired ObjectProvider<TestLocks> locks) {
			assertThat(provider).isInstanceOf(LocalLockProvider.class);
			assertThat(locks).isEmpty();
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Application {

	}

}
