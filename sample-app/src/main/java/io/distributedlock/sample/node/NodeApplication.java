package io.distributedlock.sample.node;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.builder.SpringApplicationBuilder;

/**
 * One node.
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
