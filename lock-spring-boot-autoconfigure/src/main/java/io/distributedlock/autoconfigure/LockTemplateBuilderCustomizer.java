package io.distributedlock.autoconfigure;

import io.distributedlock.engine.LockTemplateBuilder;

/**
 * A bean that changes the builder of the auto-configured template, after the properties
 * were applied: for what no property sets. Several are called in their order.
 *
 * @since 0.1
 */
@FunctionalInterface
public interface LockTemplateBuilderCustomizer {

	/**
	 * Change the builder.
	 * @param builder the builder, with providers, properties and listeners
	 */
	void customize(LockTemplateBuilder builder);

}
