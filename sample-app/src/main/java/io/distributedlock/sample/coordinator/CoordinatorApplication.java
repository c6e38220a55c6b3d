package io.distributedlock.sample.coordinator;

import io.distributedlock.sample.wechat.TokenIssuer;
import io.distributedlock.sample.wechat.WeChatApi;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;

/**
 * Serves the page and the simulated API, and runs the nodes. It acquires no locks itself.
 */
@SpringBootApplication
@Import(WeChatApi.class)
public class CoordinatorApplication {

	private static final Logger logger = LoggerFactory.getLogger(CoordinatorApplication.class);

	public static void run(String[] args) {
		ConfigurableApplicationContext context = new SpringApplicationBuilder(CoordinatorApplication.class)
			// application.yml is that of the nodes
			.properties("spring.config.name=coordinator")
			.run(args);
		DemoRun run = context.getBean(DemoRun.class);
		try {
			if (run.isBounded()) {
				boolean asExpected = run.runBounded();
				System.exit(SpringApplication.exit(context, () -> asExpected ? 0 : 1));
			}
			run.runUntilStopped();
		}
		catch (NodesNotStartedException ex) {
			logger.error("The demonstration ends", ex);
			System.exit(SpringApplication.exit(context, () -> 1));
		}
	}

	@Bean
	TokenIssuer tokenIssuer() {
		return new TokenIssuer();
	}

}
