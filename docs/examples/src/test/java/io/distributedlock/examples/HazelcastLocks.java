package io.distributedlock.examples;

import com.hazelcast.core.HazelcastInstance;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

@Configuration(proxyBeanMethods = false)
class HazelcastLocks {

	@Bean
	HazelcastLockProvider hazelcastLockProvider(HazelcastInstance hazelcast) {
		return new HazelcastLockProvider(hazelcast);
	}

}
