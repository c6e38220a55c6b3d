package io.distributedlock.spring;

import io.distributedlock.LockTemplate;
import io.distributedlock.annotation.DistributedLockSettings;
import io.distributedlock.engine.DefaultLockTemplate;
import io.distributedlock.local.LocalLockProvider;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.test.context.bean.override.mockito.MockitoBean;
import org.springframework.test.context.bean.override.mockito.MockitoSpyBean;
import org.springframework.test.context.junit.jupiter.SpringJUnitConfig;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A test may replace a locked bean by a mock, which no post-processor sees.
 */
@Tag("proxies")
@SpringJUnitConfig
class OverriddenBeanTests {

	@MockitoBean
	private EarlyBeanTests.Whole mock;

	@MockitoSpyBean
	private EarlyBeanTests.Service spy;

	@Test
	void mockIsNotRefusedAndSpyIsLocked(@Autowired LockTemplate template) {
		this.mock.run();
		assertThat(this.spy.run()).contains("Service.run");
		assertThat(template).isNotNull();
	}

	@Configuration(proxyBeanMethods = false)
	static class Config {

		@Bean
		DefaultLockTemplate lockTemplate() {
			return DefaultLockTemplate.builder().provider(new LocalLockProvider()).build();
		}

		@Bean
		static DistributedLockBeanPostProcessor locks(ObjectProvider<LockTemplate> template) {
			DistributedLockBeanPostProcessor processor = new DistributedLockBeanPostProcessor(template::getObject,
					DistributedLockSettings.DEFAULTS);
			processor.setProxyTargetClass(true);
			return processor;
		}

		@Bean
		EarlyBeanTests.Whole whole() {
			return new EarlyBeanTests.Whole();
		}

		@Bean
		EarlyBeanTests.Service service() {
			return new EarlyBeanTests.Service();
		}

	}

}
