package io.distributedlock.autoconfigure;

import javax.lang.model.element.Modifier;

import org.jspecify.annotations.Nullable;

import org.springframework.aot.generate.GeneratedMethod;
import org.springframework.aot.generate.ValueCodeGenerator;
import org.springframework.beans.factory.aot.BeanFactoryInitializationAotContribution;
import org.springframework.beans.factory.aot.BeanFactoryInitializationAotProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.Environment;
import org.springframework.javapoet.MethodSpec;

/**
 * Writes into the generated code what the build has chosen, and a check of it, which runs
 * before the first bean is created.
 */
class AheadOfTimeChoiceProcessor implements BeanFactoryInitializationAotProcessor {

	@Override
	public @Nullable BeanFactoryInitializationAotContribution processAheadOfTime(
			ConfigurableListableBeanFactory beanFactory) {
		if (beanFactory.getBeanNamesForType(DistributedLockAutoConfiguration.class, false, false).length == 0) {
			return null;
		}
		AheadOfTimeChoice choice = AheadOfTimeChoice.of(beanFactory, beanFactory.getBean(Environment.class));
		return (generation, code) -> {
			GeneratedMethod check = generation.getGeneratedClasses()
				// in this package, whose types the code uses
				.addForFeatureComponent("AheadOfTimeChoice", DistributedLockAutoConfiguration.class,
						(type) -> type.addModifiers(Modifier.PUBLIC)
							.addJavadoc("What the build has chosen for distributed locks."))
				.getMethods()
				.add("require", (method) -> check(choice, method));
			code.addInitializer(check.toMethodReference());
		};
	}

	private static void check(AheadOfTimeChoice choice, MethodSpec.Builder method) {
		ValueCodeGenerator values = ValueCodeGenerator.withDefaults();
		method.addJavadoc("Refuse to start with another choice.")
			.addModifiers(Modifier.PUBLIC, Modifier.STATIC)
			.addParameter(ConfigurableEnvironment.class, "environment")
			.addStatement("new $T($L, $L, $L).require(environment)", AheadOfTimeChoice.class,
					values.generateCode(choice.switches()), values.generateCode(choice.providers()), choice.others());
	}

}
