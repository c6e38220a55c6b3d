package io.distributedlock.sample.node;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.builder.SpringApplicationBuilder;

/**
 * A node: it sends messages, and refreshes the token.
 */
@SpringBootApplication
public class NodeApplication {

	public static void run(String[] args) {
		ParentWatch.endWithParent();
		new SpringApplicationBuilder(NodeApplication.class).web(WebApplicationType.NONE)
			.properties("spring.main.banner-mode=off", "logging.level.root=WARN")
			.run(args);
	}

}
