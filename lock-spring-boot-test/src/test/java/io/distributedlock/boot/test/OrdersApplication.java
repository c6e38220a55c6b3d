package io.distributedlock.boot.test;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * An application on Redis, which is not there.
 */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
class OrdersApplication {

	@Bean
	Orders orders() {
		return new Orders();
	}

}
