package io.distributedlock.spring;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.Objects;
import java.util.stream.Stream;

import io.distributedlock.LockHandle;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockTemplate;
import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.annotation.DistributedLockSettings;
import io.distributedlock.annotation.InvalidLockOperationException;
import io.distributedlock.engine.DefaultLockTemplate;
import io.distributedlock.local.LocalLockProvider;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.aot.hint.TypeHint;
import org.springframework.aot.hint.TypeReference;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.aot.test.generate.TestGenerationContext;
import org.springframework.beans.factory.aot.AotServices;
import org.springframework.beans.factory.aot.BeanRegistrationAotProcessor;
import org.springframework.beans.factory.aot.BeanRegistrationCode;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.beans.factory.support.RegisteredBean;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.AliasFor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.mockito.Mockito.mock;

/**
 * What is made of an application when it is processed ahead of time: the classes of
 * proxies, and the hints for a native image.
 */
@Tag("proxies")
class LockedBeanAotTests {

	@Test
	void proxyClassIsMadeAheadOfTime() {
		assertThat(hints().reflection().typeHints().map(TypeHint::getType).map(TypeReference::getName))
			.anyMatch((name) -> name.startsWith(Shop.class.getName() + "$$SpringCGLIB$$"));
	}

	@Test
	void methodAndItsFallbackMayBeInvoked() {
		assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(BaseShop.class, "settle")).accepts(hints());
		assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(BaseShop.class, "later")).accepts(hints());
		assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(Parcels.class, "send")).accepts(hints());
	}

	@Test
	void wholeHierarchyOfTheBeanIsKnown() {
		assertThat(RuntimeHintsPredicates.reflection().onType(BaseShop.class)).accepts(hints());
		assertThat(RuntimeHintsPredicates.reflection().onType(Parcels.class)).accepts(hints());
	}

	@Test
	void annotationOfTheApplicationIsKnown() {
		assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(OrderLock.class, "order")).accepts(hints());
		assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(DistributedLock.class, "key"))
			.accepts(hints());
	}

	@Test
	void expressionsMayReadTheArgumentsThatTheyName() {
		RuntimeHints hints = hints();
		assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(Order.class, "id")).accepts(hints);
		assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(Order.class, "isOpen")).accepts(hints);
		assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(OrderNumber.class, "value")).accepts(hints);
		// the parts of a record are looked at when the record is a part of the key
		assertThat(RuntimeHintsPredicates.reflection().onFieldAccess(OrderNumber.class, "value")).accepts(hints);
		assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(Parcel.class, "getCode")).accepts(hints);
	}

	@Test
	void argumentsThatNoExpressionNamesStayUnknown() {
		assertThat(RuntimeHintsPredicates.reflection().onType(Unread.class)).rejects(hints());
		assertThat(RuntimeHintsPredicates.reflection().onType(LockHandle.class)).rejects(hints());
	}

	@Test
	void expressionsMayReadTheTargetAndBeans() {
		assertThat(RuntimeHintsPredicates.reflection()
			.onType(Tenant.class)
			.withMemberCategory(MemberCategory.INVOKE_PUBLIC_METHODS)).accepts(hints());
		assertThat(RuntimeHintsPredicates.reflection()
			.onType(Shop.class)
			.withMemberCategory(MemberCategory.INVOKE_PUBLIC_METHODS)).accepts(hints());
	}

	@Test
	void mistakeInAnAnnotationEndsTheBuild() {
		assertThatExceptionOfType(InvalidLockOperationException.class)
			.isThrownBy(() -> refreshed(Mistaken.class, new RuntimeHints()))
			.withMessageContaining("has no parameter 'oder'");
	}

	/**
	 * The steps of Spring's generator for which this module answers, with what its
	 * aot.factories names.
	 */
	private static RuntimeHints hints() {
		TestGenerationContext generation = new TestGenerationContext();
		AnnotationConfigApplicationContext context = refreshed(Application.class, generation.getRuntimeHints());
		DefaultListableBeanFactory beans = context.getDefaultListableBeanFactory();
		ours(RuntimeHintsRegistrar.class)
			.forEach((each) -> each.registerHints(generation.getRuntimeHints(), beans.getBeanClassLoader()));
		for (String name : beans.getBeanDefinitionNames()) {
			ours(BeanRegistrationAotProcessor.class)
				.map((each) -> each.processAheadOfTime(RegisteredBean.of(beans, name)))
				.filter(Objects::nonNull)
				.forEach((each) -> each.applyTo(generation, mock(BeanRegistrationCode.class)));
		}
		return generation.getRuntimeHints();
	}

	private static AnnotationConfigApplicationContext refreshed(Class<?> configuration, RuntimeHints hints) {
		AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
		context.register(configuration);
		context.refreshForAotProcessing(hints);
		return context;
	}

	private static <T> Stream<T> ours(Class<T> type) {
		return AotServices.factories()
			.load(type)
			.asList()
			.stream()
			.filter((each) -> each.getClass().getName().startsWith("io.distributedlock"));
	}

	@Configuration(proxyBeanMethods = false)
	@EnableDistributedLocks
	static class Application {

		@Bean
		LockTemplate lockTemplate() {
			return DefaultLockTemplate.builder().provider(new LocalLockProvider()).build();
		}

		@Bean
		DistributedLockSettings settings() {
			return new DistributedLockSettings(true, DistributedLockSettings.DEFAULTS.onContention(),
					DistributedLockSettings.DEFAULTS.release(), DistributedLockSettings.DEFAULTS.verifyBeforeCommit(),
					false, false);
		}

		@Bean
		Shop shop() {
			return new Shop();
		}

		@Bean
		Tenant tenant() {
			return new Tenant();
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableDistributedLocks
	static class Mistaken {

		@Bean
		MistakenShop shop() {
			return new MistakenShop();
		}

	}

	static class MistakenShop {

		@DistributedLock(key = "#oder.id")
		void settle(Order order) {
		}

	}

	static class BaseShop {

		@DistributedLock(key = "#order.id", condition = "#order.open", fallback = "later")
		void settle(Order order, Unread unread, LockHandle lock) {
		}

		void later(Order order, Unread unread, LockHandle lock, LockNotAcquiredException contention) {
		}

	}

	static class Shop extends BaseShop implements Parcels {

		@Override
		public void send(Parcel parcel) {
		}

		@OrderLock(order = "@tenant.name + #root.target.region")
		void report() {
		}

		public String region() {
			return "north";
		}

	}

	interface Parcels {

		@DistributedLock(key = "#p0.code")
		void send(Parcel parcel);

	}

	static class Parcel {

		public String getCode() {
			return "code";
		}

	}

	static class Unread {

	}

	static class Tenant {

		public String getName() {
			return "tenant";
		}

	}

	record Order(OrderNumber id) {

		public boolean isOpen() {
			return true;
		}

	}

	record OrderNumber(String value) {
	}

	@Target(ElementType.METHOD)
	@Retention(RetentionPolicy.RUNTIME)
	@DistributedLock
	@interface OrderLock {

		@AliasFor(annotation = DistributedLock.class, attribute = "key")
		String order();

	}

}
