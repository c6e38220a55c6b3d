package com.example.shop.report;

import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.StreamSupport;

import org.springframework.beans.factory.annotation.AnnotatedBeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.condition.ConditionEvaluationReport;
import org.springframework.boot.health.actuate.endpoint.HealthEndpoint;
import org.springframework.boot.health.registry.HealthContributorRegistry;
import org.springframework.cache.CacheManager;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.type.MethodMetadata;
import org.springframework.http.converter.HttpMessageConverter;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerAdapter;

/**
 * What a running application consists of, one line for each part: beans with their
 * classes, conditions, health, converters of messages, the cache manager.
 */
public final class ApplicationReport {

	static final String PREFIX = "report: ";

	private final Set<String> lines = new TreeSet<>();

	private ApplicationReport() {
	}

	/**
	 * Look at an application.
	 * @param context the running application
	 * @return the lines, sorted
	 */
	public static Set<String> of(ConfigurableApplicationContext context) {
		ApplicationReport report = new ApplicationReport();
		report.beans(context.getBeanFactory());
		report.conditions(context.getBeanFactory());
		report.health(context);
		report.caches(context);
		for (HttpMessageConverter<?> converter : context.getBean(RequestMappingHandlerAdapter.class)
			.getMessageConverters()) {
			report.add("converter", converter.getClass().getName() + " " + converter.getSupportedMediaTypes());
		}
		return report.lines;
	}

	/**
	 * Print a line, for the JVM that compares.
	 * @param line the line
	 */
	public static void print(String line) {
		System.out.println(PREFIX + line);
	}

	private void beans(ConfigurableListableBeanFactory beans) {
		for (String name : beans.getBeanDefinitionNames()) {
			add("bean", "%s of %s from %s".formatted(name, type(Objects.requireNonNull(beans.getType(name))),
					declaredIn(beans, name)));
		}
	}

	private void conditions(ConfigurableListableBeanFactory beans) {
		ConditionEvaluationReport.get(beans)
			.getConditionAndOutcomesBySource()
			.forEach((source, outcomes) -> add("condition", source + (outcomes.isFullMatch() ? " met" : " not met")));
	}

	private void health(ConfigurableApplicationContext context) {
		StreamSupport.stream(context.getBean(HealthContributorRegistry.class).spliterator(), false)
			.forEach((entry) -> add("health", entry.name() + " by " + type(entry.contributor().getClass())));
		add("health", context.getBean(HealthEndpoint.class).health().getStatus().toString());
	}

	private void caches(ConfigurableApplicationContext context) {
		CacheManager manager = context.getBean(CacheManager.class);
		add("cache", type(manager.getClass()) + " " + (manager.getCache("prices") != null));
		// by its name, as the JCache API may be missing
		if (context.containsBean("jCacheCacheManager")) {
			add("jcache", type(context.getBean("jCacheCacheManager").getClass()));
		}
	}

	private void add(String what, String text) {
		this.lines.add(what + " " + text);
	}

	private static String declaredIn(ConfigurableListableBeanFactory beans, String name) {
		if (beans.getBeanDefinition(name) instanceof AnnotatedBeanDefinition definition) {
			MethodMetadata method = definition.getFactoryMethodMetadata();
			return (method != null) ? method.getDeclaringClassName() : definition.getMetadata().getClassName();
		}
		return "?";
	}

	/**
	 * Return the name of a class, without what is another one in each JVM.
	 */
	private static String type(Class<?> type) {
		return type.getName().replaceAll("(\\$Proxy|\\$\\$Lambda|\\$\\$SpringCGLIB\\$\\$).*", "$1");
	}

}
