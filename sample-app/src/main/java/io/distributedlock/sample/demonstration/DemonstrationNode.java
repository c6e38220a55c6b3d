package io.distributedlock.sample.demonstration;

import io.distributedlock.sample.node.NodeApplication;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.core.env.Environment;

/**
 * Starts a node with what the demonstration adds to it.
 */
@Configuration(proxyBeanMethods = false)
public class DemonstrationNode {

	public static void run(String[] args) {
		ParentWatch.endWithParent();
		SpringApplication.from(NodeApplication::main).with(DemonstrationNode.class).run(args);
	}

	@Bean
	static LockSwitch lockSwitch() {
		return new LockSwitch();
	}

	@Bean
	LockSwitchMeters lockSwitchMeters(LockSwitch lockSwitch) {
		return new LockSwitchMeters(lockSwitch);
	}

	@Bean
	CoordinatorLink coordinatorLink(Environment environment) {
		return new CoordinatorLink(environment);
	}

	@Bean
	@Primary
	@ConditionalOnProperty(name = "demo.token-store", havingValue = "coordinator")
	CoordinatorTokenStore coordinatorTokenStore(Environment environment) {
		return new CoordinatorTokenStore(environment.getRequiredProperty("demo.coordinator"));
	}

}
