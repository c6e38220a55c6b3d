package io.distributedlock.sample.coordinator;

import io.distributedlock.sample.wechat.TokenIssuer;
import io.distributedlock.sample.wechat.WeChatApi;

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

	public static void run(String[] args) {
		ConfigurableApplicationContext context = new SpringApplicationBuilder(CoordinatorApplication.class)
			.properties("lock.enabled=false", "spring.main.banner-mode=off", "logging.level.root=WARN")
			.run(args);
		DemoRun run = context.getBean(DemoRun.class);
		if (run.isBounded()) {
			boolean asExpected = run.runBounded();
			System.exit(SpringApplication.exit(context, () -> asExpected ? 0 : 1));
		}
		run.runUntilStopped();
	}

	@Bean
	TokenIssuer tokenIssuer() {
		return new TokenIssuer();
	}

}
