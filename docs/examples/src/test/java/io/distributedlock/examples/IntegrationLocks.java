package io.distributedlock.examples;

import io.distributedlock.LockRequest;
import io.distributedlock.LockTemplate;
import io.distributedlock.spring.integration.LockTemplateLockRegistry;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.integration.leader.DefaultCandidate;
import org.springframework.integration.support.leader.LockRegistryLeaderInitiator;

@Configuration(proxyBeanMethods = false)
class IntegrationLocks {

	@Bean
	LockTemplateLockRegistry lockRegistry(LockTemplate lockTemplate) {
		return new LockTemplateLockRegistry(lockTemplate, LockRequest.of("integration"));
	}

	@Bean
	LockRegistryLeaderInitiator leaderInitiator(LockTemplateLockRegistry lockRegistry) {
		return new LockRegistryLeaderInitiator(lockRegistry, new DefaultCandidate("node", "cluster"));
	}

}
