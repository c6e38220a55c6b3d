package io.distributedlock.autoconfigure;

import java.util.List;
import java.util.Objects;
import java.util.Set;

import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.ConfigurationCondition;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.type.AnnotatedTypeMetadata;

/**
 * The condition of {@link ConditionalOnLockProvider}.
 */
class OnLockProviderCondition extends SpringBootCondition implements ConfigurationCondition {

	@Override
	public ConfigurationPhase getConfigurationPhase() {
		// only in this phase the application's own LockProvider beans are visible
		return ConfigurationPhase.REGISTER_BEAN;
	}

	@Override
	public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
		MergedAnnotation<ConditionalOnLockProvider> annotation = metadata.getAnnotations()
			.get(ConditionalOnLockProvider.class);
		String name = annotation.getString("value");
		ConditionMessage.Builder message = ConditionMessage.forCondition(ConditionalOnLockProvider.class, name);
		if (!Binder.get(context.getEnvironment()).bind("lock.enabled", Boolean.class).orElse(true)) {
			return ConditionOutcome.noMatch(message.because("lock.enabled is false"));
		}
		Set<String> named = AheadOfTimeChoice.named(context.getEnvironment()).keySet();
		if (!named.isEmpty()) {
			return new ConditionOutcome(named.contains(name),
					message.because("lock.provider and lock.providers name " + named));
		}
		if (annotation.getBoolean("named")) {
			return ConditionOutcome.noMatch(message.because("neither lock.provider nor lock.providers names it"));
		}
		List<String> own = LockProviderBeans.ofApplication(Objects.requireNonNull(context.getBeanFactory()));
		return new ConditionOutcome(own.isEmpty(), message.because("the application declares " + own));
	}

}
