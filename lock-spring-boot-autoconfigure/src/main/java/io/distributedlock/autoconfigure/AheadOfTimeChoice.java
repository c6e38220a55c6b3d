package io.distributedlock.autoconfigure;

import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.distributedlock.annotation.InvalidLockSetupException;

import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.env.Environment;

/**
 * What cannot change any more when an application has been processed ahead of time:
 * Spring evaluates the conditions of beans then. Without a check, an application that
 * names another provider at its start, or switches locks off, would get what was chosen
 * in the build.
 *
 * @param switches the properties that decide on beans, and their values
 * @param providers the names of the providers
 * @param others whether the application declares providers whose names only show when
 * they are created
 */
record AheadOfTimeChoice(Map<String, Boolean> switches, List<String> providers, boolean others) {

	private static final String ENABLED = "lock.enabled";

	/**
	 * The properties of conditions, and what applies without them.
	 */
	private static final Map<String, Boolean> DEFAULTS = Map.of(ENABLED, true, "lock.fail-fast", false,
			"lock.observations.enabled", true, "lock.web.problem-details", false);

	/**
	 * Return what is chosen now.
	 */
	static AheadOfTimeChoice of(ConfigurableListableBeanFactory beans, Environment environment) {
		Set<String> providers = new LinkedHashSet<>(named(environment).keySet());
		LockProviderBeans.all(beans).stream().map(LockProviderBeans::providerName).forEach(providers::add);
		return new AheadOfTimeChoice(switches(environment), List.copyOf(providers),
				!LockProviderBeans.ofApplication(beans).isEmpty());
	}

	/**
	 * Refuse to start an application that chooses something else.
	 */
	void require(Environment environment) {
		switches(environment).forEach((name, value) -> requireSame(name, value));
		if (!this.others && Boolean.TRUE.equals(this.switches.get(ENABLED))) {
			named(environment).forEach((name, property) -> requireProvider(name, property));
		}
	}

	private void requireSame(String name, boolean value) {
		if (this.switches.getOrDefault(name, value) != value) {
			throw new InvalidLockSetupException(
					"%s is %s, but it was %s when the application was processed ahead of time (Spring AOT). Its beans are fixed since then, so the property has no effect."
						.formatted(name, value, !value),
					"Set %1$s=%2$s where process-aot runs, and build the application again; or start it with %1$s=%3$s. On a JVM, a start without -Dspring.aot.enabled=true chooses anew."
						.formatted(name, value, !value),
					null);
		}
	}

	private void requireProvider(String name, String property) {
		if (!this.providers.contains(name)) {
			throw new InvalidLockSetupException(
					"%s names '%s', but the application was processed ahead of time (Spring AOT) with %s. Its providers are fixed since then."
						.formatted(property, name, this.providers.isEmpty() ? "no lock provider" : this.providers),
					action(name), null);
		}
	}

	/**
	 * Return what to do to get a provider that the build has left out.
	 */
	static String action(String provider) {
		return "Set lock.provider=%s where process-aot runs, in the configuration of the application, in its profiles or in its arguments, and build the application again; or start it with a provider that it has. On a JVM, a start without -Dspring.aot.enabled=true chooses anew."
			.formatted(provider);
	}

	private static Map<String, Boolean> switches(Environment environment) {
		Map<String, Boolean> switches = new LinkedHashMap<>();
		DEFAULTS
			.forEach((name, byDefault) -> switches.put(name, environment.getProperty(name, Boolean.class, byDefault)));
		return switches;
	}

	/**
	 * Return the providers that properties name, and the property that names each.
	 */
	static Map<String, String> named(Environment environment) {
		Binder binder = Binder.get(environment);
		Map<String, String> named = new LinkedHashMap<>();
		binder.bind("lock.provider", String.class).ifBound((name) -> named.put(name, "lock.provider"));
		binder.bind("lock.providers", Bindable.listOf(String.class))
			.ifBound((names) -> names.forEach((name) -> named.putIfAbsent(name, "lock.providers")));
		return named;
	}

}
