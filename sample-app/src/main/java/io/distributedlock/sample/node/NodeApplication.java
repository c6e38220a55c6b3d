package io.distributedlock.sample.node;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.context.properties.ConfigurationPropertiesScan;

/**
 * Sends messages to the customers of WeChat accounts.
 */
@SpringBootApplication
@ConfigurationPropertiesScan
public class NodeApplication {

	public static void main(String[] args) {
		SpringApplication.run(NodeApplication.class, args);
	}

}
