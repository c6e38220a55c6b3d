package com.example.shop;

import com.example.shop.report.ApplicationReport;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.scheduling.annotation.EnableScheduling;

/**
 * An application that uses much of Spring Boot: web, data on a database and on Redis,
 * caches, validation, schedules, health.
 */
@SpringBootApplication
@EnableAsync
@EnableCaching
@EnableScheduling
public class ShopApplication {

	/**
	 * Start the application, print what it consists of, and end.
	 * @param arguments properties of the application
	 */
	public static void main(String[] arguments) {
		try (ConfigurableApplicationContext context = SpringApplication.run(ShopApplication.class, arguments)) {
			ApplicationReport.of(context).forEach(ApplicationReport::print);
		}
	}

}
