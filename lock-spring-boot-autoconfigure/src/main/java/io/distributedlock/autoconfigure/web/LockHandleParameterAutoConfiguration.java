package io.distributedlock.autoconfigure.web;

import java.util.List;

import io.distributedlock.LockHandle;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.MethodParameter;
import org.springframework.web.bind.support.WebDataBinderFactory;
import org.springframework.web.context.request.NativeWebRequest;
import org.springframework.web.method.support.HandlerMethodArgumentResolver;
import org.springframework.web.method.support.ModelAndViewContainer;
import org.springframework.web.reactive.BindingContext;
import org.springframework.web.reactive.config.WebFluxConfigurer;
import org.springframework.web.reactive.result.method.annotation.ArgumentResolverConfigurer;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

/**
 * Auto-configuration for controllers whose methods have a parameter of type
 * {@link LockHandle}. It resolves the parameter to {@code null}, so that the web
 * framework does not try to bind the request to it. The advice of the locked method then
 * replaces {@code null} by the handle.
 *
 * @since 0.1
 */
@AutoConfiguration
public final class LockHandleParameterAutoConfiguration {

	private LockHandleParameterAutoConfiguration() {
	}

	private static boolean isLockHandle(MethodParameter parameter) {
		return LockHandle.class.equals(parameter.getParameterType());
	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(WebMvcConfigurer.class)
	@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
	static class Servlet implements WebMvcConfigurer, HandlerMethodArgumentResolver {

		@Override
		public void addArgumentResolvers(List<HandlerMethodArgumentResolver> resolvers) {
			resolvers.add(this);
		}

		@Override
		public boolean supportsParameter(MethodParameter parameter) {
			return isLockHandle(parameter);
		}

		@Override
		public @Nullable Object resolveArgument(MethodParameter parameter, @Nullable ModelAndViewContainer container,
				NativeWebRequest request, @Nullable WebDataBinderFactory binders) {
			return null;
		}

	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(WebFluxConfigurer.class)
	@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
	static class Reactive
			implements WebFluxConfigurer, org.springframework.web.reactive.result.method.HandlerMethodArgumentResolver {

		@Override
		public void configureArgumentResolvers(ArgumentResolverConfigurer resolvers) {
			resolvers.addCustomResolver(this);
		}

		@Override
		public boolean supportsParameter(MethodParameter parameter) {
			return isLockHandle(parameter);
		}

		@Override
		public Mono<Object> resolveArgument(MethodParameter parameter, BindingContext binding,
				ServerWebExchange exchange) {
			return Mono.empty();
		}

	}

}
