package io.distributedlock.boot.test;

import java.util.List;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.test.context.ContextConfigurationAttributes;
import org.springframework.test.context.ContextCustomizer;
import org.springframework.test.context.ContextCustomizerFactory;
import org.springframework.test.context.MergedContextConfiguration;
import org.springframework.test.context.TestContextAnnotationUtils;

/**
 * Sets the property that {@link AutoConfigureTestLocks} stands for. Spring Boot's
 * {@code @PropertyMapping} would do that, but has another name in Spring Boot 3.
 */
class TestLocksContextCustomizerFactory implements ContextCustomizerFactory {

	@Override
	public @Nullable ContextCustomizer createContextCustomizer(Class<?> testClass,
			List<ContextConfigurationAttributes> configAttributes) {
		AutoConfigureTestLocks annotation = TestContextAnnotationUtils.findMergedAnnotation(testClass,
				AutoConfigureTestLocks.class);
		return (annotation != null) ? new Property(annotation.enabled()) : null;
	}

	/**
	 * Contexts with the same value may be one.
	 *
	 * @param value the value of the property
	 */
	private record Property(boolean value) implements ContextCustomizer {

		@Override
		public void customizeContext(ConfigurableApplicationContext context, MergedContextConfiguration merged) {
			TestPropertyValues.of(TestLocksProperty.ENABLED + "=" + this.value).applyTo(context);
		}

	}

}
