package io.distributedlock.examples;

import java.time.Duration;

import io.distributedlock.LockRequest;
import io.distributedlock.LockTemplate;
import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.spring.integration.LockTemplateLockRegistry;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

@Configuration(proxyBeanMethods = false)
class FromSpringIntegration {

	@Bean
	LockTemplateLockRegistry lockRegistry(LockTemplate lockTemplate) {
		return new LockTemplateLockRegistry(lockTemplate,
				LockRequest.ofExactKey("files").withLeaseTime(Duration.ofSeconds(60)));
	}

	@Bean
	Files files(LockTemplate lockTemplate) {
		return new Files(lockTemplate);
	}

	static class Files {

		private final LockTemplate lockTemplate;

		Files(LockTemplate lockTemplate) {
			this.lockTemplate = lockTemplate;
		}

		@DistributedLock(key = "files:#{#name}", exactKey = true, waitTime = "5s")
		public String load(String name) {
			return "loaded";
		}

		public String reload(String name) {
			LockRequest request = LockRequest.ofExactKey("files:" + name).withWaitTime(Duration.ofSeconds(5));
			return this.lockTemplate.execute(request, () -> "loaded again");
		}

	}

}
