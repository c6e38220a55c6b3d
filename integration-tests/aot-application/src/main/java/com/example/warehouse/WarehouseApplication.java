package com.example.warehouse;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;

import org.springframework.aot.AotDetector;
import org.springframework.boot.ApplicationArguments;
import org.springframework.boot.ApplicationRunner;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;

/**
 * Calls its locked methods, prints what it saw, and ends.
 */
@SpringBootApplication(proxyBeanMethods = false)
public class WarehouseApplication {

	/**
	 * What lines start with that are meant for a test.
	 */
	public static final String PREFIX = "saw ";

	/**
	 * The argument to hold a lock until there is a line on the standard input.
	 */
	public static final String HOLD = "hold";

	/**
	 * Run the application.
	 * @param args {@link #HOLD}, and properties
	 */
	public static void main(String[] args) {
		SpringApplication.run(WarehouseApplication.class, args).close();
	}

	@Bean
	ApplicationRunner calls(Orders orders, Stock stock) {
		return (arguments) -> {
			say("ahead of time: " + AotDetector.useGeneratedArtifacts());
			Order order = new Order(new Order.OrderId(2026, "7"), new Customer("Ada"));
			say("settle: " + orders.settle(order, () -> held(arguments)));
			say("deliver: " + orders.deliver(order));
			say("take: " + stock.take(42));
			say("outside: " + Locks.current());
		};
	}

	private static String held(ApplicationArguments arguments) throws IOException {
		String key = Locks.current();
		if (arguments.containsOption(HOLD)) {
			say("holds: " + key);
			new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8)).readLine();
		}
		return key;
	}

	private static void say(String text) {
		System.out.println(PREFIX + text);
	}

}
