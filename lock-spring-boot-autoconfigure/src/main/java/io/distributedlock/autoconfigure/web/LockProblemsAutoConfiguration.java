package io.distributedlock.autoconfigure.web;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.web.bind.annotation.RestControllerAdvice;

/**
 * Auto-configuration for the answers of controllers, on Spring MVC and WebFlux, to
 * requests whose lock was not acquired, or was lost. It is there only with
 * {@code lock.web.problem-details=true}.
 *
 * @since 0.1
 */
@AutoConfiguration
@ConditionalOnWebApplication
@ConditionalOnClass(RestControllerAdvice.class)
@ConditionalOnBooleanProperty("lock.web.problem-details")
public final class LockProblemsAutoConfiguration {

	@Bean
	LockProblems distributedLockProblems() {
		return new LockProblems();
	}

}
