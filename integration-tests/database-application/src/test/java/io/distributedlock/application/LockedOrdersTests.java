package io.distributedlock.application;

import com.example.shop.ShopApplication;
import org.junit.jupiter.api.Test;

import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * With the starter and nothing else, annotated methods are locked on the database of the
 * application. A bean of connection details, as a service connection is one, names it.
 */
class LockedOrdersTests {

	@Test
	void lockIsKeptInTheDatabaseOfTheConnectionDetails() {
		try (ConfigurableApplicationContext context = start()) {
			JdbcTemplate database = new JdbcTemplate(new DriverManagerDataSource(ServiceConnection.URL, "sa", ""));
			assertThat(context.getBean(LockedOrders.class)
				.settle("42", () -> database
					.queryForObject("select count(*) from distributed_lock where owner is not null", Integer.class)))
				.isEqualTo(1);
		}
	}

	private static ConfigurableApplicationContext start() {
		return new SpringApplicationBuilder(ShopApplication.class, LockedOrders.class)
			.initializers((GenericApplicationContext context) -> context.registerBean("serviceConnection",
					JdbcConnectionDetails.class, ServiceConnection::new))
			// a JVM that has just started loads the database for seconds
			.run("--spring.datasource.url=jdbc:h2:mem:other", "--spring.cache.type=simple",
					"--lock.command-timeout=20s");
	}

	private static final class ServiceConnection implements JdbcConnectionDetails {

		private static final String URL = "jdbc:h2:mem:details";

		@Override
		public String getUsername() {
			return "sa";
		}

		@Override
		public String getPassword() {
			return "";
		}

		@Override
		public String getJdbcUrl() {
			return URL;
		}

	}

}
