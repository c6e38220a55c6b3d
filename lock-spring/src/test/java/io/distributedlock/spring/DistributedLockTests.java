package io.distributedlock.spring;

import java.io.IOException;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;

import io.distributedlock.InvalidLockKeyException;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockRequest;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.annotation.DistributedLockSettings;
import io.distributedlock.annotation.InvalidLockOperationException;
import io.distributedlock.spring.internal.expression.LockExpressionParser;
import io.distributedlock.spring.internal.operation.LockOperation;
import io.distributedlock.spring.internal.operation.LockOperationSource;
import io.distributedlock.test.patience.Patience;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.BeanCreationException;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.AliasFor;
import org.springframework.core.env.MapPropertySource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class DistributedLockTests {

	private final RecordingProvider provider = new RecordingProvider();

	private AnnotationConfigApplicationContext context;

	@AfterEach
	void closeContext() {
		if (this.context != null) {
			this.context.close();
		}
	}

	private <T> T bean(Class<T> type, Class<?>... more) {
		this.context = Contexts.open(this.provider, false, type, more);
		return this.context.getBean(type);
	}

	@Test
	void methodRunsUnderItsLock() {
		Orders orders = bean(Orders.class);
		assertThat(orders.settle(new Order("42"))).isEqualTo("settled 42");
		assertThat(this.provider.events()).containsExactly("acquire t:Orders.settle:42", "release t:Orders.settle:42");
	}

	@Test
	void everyFormOfExpressionGivesItsKey() {
		Orders orders = bean(Orders.class);
		Order order = new Order("7");
		orders.byIndex(order, 3);
		orders.byRoot(order);
		orders.byTemplate(order);
		orders.byValueAlias(order);
		orders.literal();
		orders.wholeMethod();
		assertThat(this.provider.keys()).containsExactly("t:Orders.byIndex:7-3", "t:Orders.byRoot:byRoot-1-Orders",
				"t:Orders.byTemplate:order-7", "t:Orders.byValueAlias:7", "t:Orders.literal:all",
				"t:Orders.wholeMethod");
	}

	/**
	 * Spring makes a subclass of a configuration class, with a number in its name.
	 */
	@Test
	void targetClassIsThatOfTheApplication() {
		try (AnnotationConfigApplicationContext context = Contexts.open(this.provider, false, Configured.class)) {
			context.getBean(Configured.class).run();
			assertThat(this.provider.keys()).containsExactly("t:Configured.run:Configured");
		}
	}

	@Test
	void sameNameSharesALockAndOtherNamesDoNot() {
		Orders orders = bean(Orders.class);
		orders.sharedA("1");
		orders.sharedB("1");
		orders.settle(new Order("1"));
		assertThat(this.provider.keys()).containsExactly("t:shared:1", "t:shared:1", "t:Orders.settle:1");
	}

	@Test
	void timesTypeAndPlaceholdersReachTheProvider() {
		Orders orders = bean(Orders.class);
		orders.timed("1");
		assertThat(this.provider.leases()).containsExactly(java.time.Duration.ofSeconds(17));
	}

	@Test
	void leaseOfMinusOneIsAutoRenewedWhateverTheDefault() throws NoSuchMethodException {
		LockOperationSource source = new LockOperationSource(new LockExpressionParser(null, null),
				UnaryOperator.identity(), DistributedLockSettings.DEFAULTS, null);
		LockOperation autoRenewed = source.find(Orders.class.getMethod("autoRenewed", String.class), Orders.class);
		assertThat(autoRenewed.requests().get(0).prototype().autoRenew()).isTrue();
		assertThat(autoRenewed.requests().get(0).prototype().leaseTime()).isNull();
		LockOperation timed = source.find(Orders.class.getMethod("settle", Order.class), Orders.class);
		assertThat(timed.requests().get(0).prototype().autoRenew()).isFalse();
	}

	@Test
	@Tag("proxies")
	void annotationIsFoundOnClassInterfaceAndMetaAnnotation() {
		OnClass onClass = bean(OnClass.class, Composed.class, ThroughInterface.class);
		onClass.any("1");
		onClass.own("2");
		this.context.getBean(Composed.class).settle("3");
		Settling settling = this.context.getBean(Settling.class);
		assertThat(AopUtils.isJdkDynamicProxy(settling)).isFalse();
		settling.settleIt("4");
		assertThat(this.provider.keys()).containsExactly("t:on-class:k", "t:OnClass.own:2", "t:Composed.settle:3",
				"t:Settling.settleIt:4");
	}

	@Test
	@Tag("proxies")
	void jdkProxyAndGenericBridgeWork() {
		this.context = Contexts.openWithInterfaceProxies(this.provider, ThroughInterface.class);
		Settling settling = this.context.getBean(Settling.class);
		assertThat(AopUtils.isJdkDynamicProxy(settling)).isTrue();
		settling.settleIt("4");
		assertThat(this.provider.keys()).containsExactly("t:Settling.settleIt:4");
		this.context.close();
		Generic<String> generic = bean(StringGeneric.class);
		generic.take("5");
		assertThat(this.provider.keys()).contains("t:StringGeneric.take:5");
	}

	@Test
	void unusableKeysAreRefusedAndTheMethodDoesNotRun() {
		Orders orders = bean(Orders.class);
		assertThatIllegalArgumentException().isThrownBy(() -> orders.settle(new Order(null)))
			.withMessageContaining("#order.id")
			.withMessageContaining("Orders.settle")
			.withMessageContaining("is null");
		assertThatIllegalArgumentException().isThrownBy(() -> orders.settle(new Order("  ")))
			.withMessageContaining("blank");
		assertThatIllegalArgumentException().isThrownBy(() -> orders.anything(List.of()))
			.withMessageContaining("no key");
		assertThatIllegalArgumentException().isThrownBy(() -> orders.anything(List.of("a", List.of("b"))))
			.withMessageContaining("collection or an array of keys");
		assertThatIllegalArgumentException().isThrownBy(() -> orders.anything(List.of("a", " ")))
			.withMessageContaining("blank");
		assertThatIllegalArgumentException().isThrownBy(() -> orders.anything(new Object()))
			.withMessageContaining("part of a key");
		assertThatIllegalArgumentException().isThrownBy(() -> orders.anything(java.util.Map.of("a", "b")))
			.withMessageContaining("Map");
		assertThat(orders.runs()).isZero();
		assertThat(this.provider.events()).isEmpty();
	}

	/**
	 * What is missing may be the fault of whoever calls the application.
	 */
	@Test
	void missingKeysAreToldFromOtherMistakes() {
		Orders orders = bean(Orders.class);
		for (Object missing : Arrays.asList(null, " ", List.of(), Arrays.asList("a", null))) {
			assertThatExceptionOfType(InvalidLockKeyException.class).isThrownBy(() -> orders.anything(missing));
		}
		assertThatExceptionOfType(InvalidLockKeyException.class).isThrownBy(() -> orders.settle(new Order(null)));
		assertThatExceptionOfType(InvalidLockKeyException.class).as("what the property is read from is missing")
			.isThrownBy(() -> orders.settle(null))
			.withMessageContaining("Use a value that is never null");
		assertThatIllegalArgumentException().isThrownBy(() -> orders.anything(new Object()))
			.isNotInstanceOf(InvalidLockKeyException.class);
	}

	@Test
	void keyIsEvaluatedOnceBeforeTheBody() {
		Orders orders = bean(Orders.class);
		Order order = new Order("before");
		orders.changing(order);
		assertThat(this.provider.events()).containsExactly("acquire t:Orders.changing:before",
				"release t:Orders.changing:before");
	}

	@Test
	void callersTextIsNeverParsed() {
		Orders orders = bean(Orders.class);
		orders.sharedA("#{T(java.lang.System).exit(1)}");
		assertThat(this.provider.keys()).hasSize(1);
	}

	@Test
	void exceptionOfTheMethodArrivesUnchangedAndWinsOverAFailedRelease() {
		Orders orders = bean(Orders.class);
		this.provider.failReleases();
		assertThatExceptionOfType(IOException.class).isThrownBy(() -> orders.failing("1"))
			.withMessage("disk")
			.satisfies((ex) -> assertThat(ex.getSuppressed()).hasOnlyElementsOfType(LockUnavailableException.class)
				.hasSize(1));
		assertThat(orders.settle(new Order("2"))).as("a result survives a failed release").isEqualTo("settled 2");
	}

	@Test
	void methodDoesNotRunWhileAnotherHoldsTheLockOrTheBackendIsDown() {
		Orders orders = bean(Orders.class);
		this.provider.contended(true);
		assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> orders.once("1"))
			.withMessageContaining("Orders.once(");
		this.provider.contended(false);
		this.provider.down(true);
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> orders.once("1"));
		assertThat(orders.runs()).isZero();
	}

	@Test
	void futureHoldsTheLockUntilItCompletes() {
		Orders orders = bean(Orders.class);
		CompletableFuture<String> result = orders.later("1");
		io.distributedlock.test.patience.Patience.await().until(() -> orders.pending() != null);
		assertThat(this.provider.events()).containsExactly("acquire t:Orders.later:1");
		orders.pending().complete("done");
		assertThat(result.join()).isEqualTo("done");
		assertThat(this.provider.events()).containsExactly("acquire t:Orders.later:1", "release t:Orders.later:1");
	}

	@Test
	void beanReferencesAreOptIn() {
		this.context = Contexts.open(this.provider, true, WithBean.class, Tenant.class);
		this.context.getBean(WithBean.class).run();
		assertThat(this.provider.keys()).containsExactly("t:WithBean.run:acme");
		assertThatStartFails(WithBean.class, "WithBean.run()", "lock.spel.bean-references=true");
	}

	@Test
	void mistakesInAnnotationsDoNotStart() {
		assertThatStartFails(BadSyntax.class, "BadSyntax.run(String)", "key = \"#id +\"", "position");
		assertThatStartFails(UnquotedLiteral.class, "key = \"all orders\"", "'all orders'");
		assertThatStartFails(PropertyLiteral.class, "key = \"orders-all\"", "no property 'orders'", "#orders",
				"'orders'");
		assertThatStartFails(UnknownVariable.class, "#ordr", "no parameter 'ordr'", "order", "p0");
		assertThatStartFails(Assignment.class, "#id = '1'", "may only read");
		assertThatStartFails(BadDuration.class, "leaseTime = \"30 parsecs\"", "30s");
		assertThatStartFails(BareNumber.class, "waitTime = \"30\"", "without a unit");
		assertThatStartFails(NegativeWait.class, "waitTime = \"-5s\"", "0 makes one attempt");
		assertThatStartFails(ZeroLease.class, "leaseTime = \"0s\"", "-1");
		assertThatStartFails(ExpressionInName.class, "name = \"#id\"", "into key");
		assertThatStartFails(PlaceholderInKey.class, "key = \"${orders.name}\"", "into name");
		assertThatStartFails(UnresolvedName.class, "name = \"${no.such.property}\"", "no.such.property",
				"Set the property");
		assertThatStartFails(NegativeMaxWaiters.class, "maxWaiters = \"-2\"", "from 0");
		assertThatStartFails(Publishing.class, "returns java.util.concurrent.Future<", "CompletableFuture");
	}

	@Test
	void durationsAreWrittenAsInProperties() {
		for (Class<?> type : List.of(Composite.class, CompositeOfProperty.class, BlankBefore.class)) {
			assertThatStartFails(type, "waitTime", "500ms, 30s, 5m or PT30S");
		}
		assertThatStartFails(Composite.class, "\"1m30s\"");
	}

	@Test
	void unknownPropertyOfTheRootIsFoundAtStart() {
		assertThatStartFails(UnknownOfRoot.class, "key = \"#root.metodName\"", "there is no property 'metodName'",
				"methodName");
		assertThatStartFails(UnknownOfRootBehind.class, "condition", "there is no property 'arguments'", "args");
	}

	/**
	 * Every object has a class and a text, and those of the root say nothing of the call.
	 */
	@Test
	void classAndTextOfTheRootAreNoKeys() {
		assertThatStartFails(ClassOfRoot.class, "there is no property 'class'", "targetClass");
		assertThatStartFails(ClassOfRootAlone.class, "there is no property 'class'");
		assertThatStartFails(TextOfRoot.class, "there is no method 'toString'");
		assertThatStartFails(TextOfRootAlone.class, "there is no method 'toString'");
	}

	@Test
	@Tag("proxies")
	void parameterNamesOfTheAnnotatedMethodAreUsed() {
		bean(OtherNames.class).settleAs("2", "1");
		this.context.getBean(OtherNames.class).settleBy("3");
		assertThat(this.provider.keys()).containsExactly("t:Named.settleAs:2", "t:Named.settleBy:3");
		assertThatStartFails(BadlyNamed.class, "Misnamed.run has no parameter 'ordr'", "#id, #orderId, #p0, #a0");
	}

	@Test
	void beansWithoutTheAnnotationAreNotProxied() {
		assertThat(AopUtils.isAopProxy(bean(Tenant.class))).isFalse();
	}

	@Test
	void templateAndAnnotationShareALock() {
		Orders orders = bean(Orders.class);
		orders.settle(new Order("9"));
		this.context.getBean(io.distributedlock.LockTemplate.class)
			.execute(LockRequest.of("9").withName("Orders.settle"), () -> {
			});
		assertThat(this.provider.keys()).containsExactly("t:Orders.settle:9", "t:Orders.settle:9");
	}

	private void assertThatStartFails(Class<?> type, String... fragments) {
		assertThatExceptionOfType(BeanCreationException.class)
			.isThrownBy(() -> Contexts.open(this.provider, false, type, Tenant.class).close())
			.satisfies((ex) -> assertThat(String.valueOf(ex.getCause().getMessage())).contains(fragments))
			.withCauseInstanceOf(InvalidLockOperationException.class);
	}

	static Map<String, Object> properties() {
		return Map.of("orders.lease", "17s", "orders.name", "shared", "orders.composite", "1h30m");
	}

	static MapPropertySource propertySource() {
		return new MapPropertySource("test", properties());
	}

	static class Order {

		private String id;

		Order(String id) {
			this.id = id;
		}

		public String getId() {
			return this.id;
		}

	}

	static class Orders {

		private int runs;

		private volatile CompletableFuture<String> pending;

		// fields of the proxy are not those of its target, so these are methods
		int runs() {
			return this.runs;
		}

		CompletableFuture<String> pending() {
			return this.pending;
		}

		@DistributedLock(key = "#order.id")
		public String settle(Order order) {
			this.runs++;
			return "settled " + order.getId();
		}

		@DistributedLock(key = "#p0.id + '-' + #a1")
		public void byIndex(Order order, int number) {
		}

		@DistributedLock(key = "#root.methodName + '-' + #root.args.length + '-' + #root.targetClass.simpleName")
		public void byRoot(Order order) {
		}

		@DistributedLock(key = "order-#{#order.id}")
		public void byTemplate(Order order) {
		}

		@DistributedLock("#order.id")
		public void byValueAlias(Order order) {
		}

		@DistributedLock("'all'")
		public void literal() {
		}

		@DistributedLock
		public void wholeMethod() {
		}

		@DistributedLock(name = "shared", key = "#id")
		public void sharedA(String id) {
		}

		@DistributedLock(name = "${orders.name}", key = "#id")
		public void sharedB(String id) {
		}

		@DistributedLock(key = "#id", leaseTime = "${orders.lease}", waitTime = "PT2S")
		public void timed(String id) {
		}

		@DistributedLock(key = "#id", leaseTime = "-1")
		public void autoRenewed(String id) {
		}

		@DistributedLock("#thing")
		public void anything(Object thing) {
			this.runs++;
		}

		@DistributedLock("#order.id")
		public void changing(Order order) {
			order.id = "after";
		}

		@DistributedLock("#id")
		public void failing(String id) throws IOException {
			throw new IOException("disk");
		}

		@DistributedLock(key = "#id", waitTime = "0")
		public void once(String id) {
			this.runs++;
		}

		@DistributedLock("#id")
		public CompletableFuture<String> later(String id) {
			this.pending = new CompletableFuture<>();
			return this.pending;
		}

	}

	@DistributedLock(name = "on-class", key = "'k'")
	static class OnClass {

		public void any(String id) {
		}

		@DistributedLock("#id")
		public void own(String id) {
		}

	}

	@Target(ElementType.METHOD)
	@Retention(RetentionPolicy.RUNTIME)
	@DistributedLock(waitTime = "0")
	@interface SettlesOrder {

		@AliasFor(annotation = DistributedLock.class, attribute = "key")
		String order();

	}

	static class Composed {

		@SettlesOrder(order = "#id")
		public void settle(String id) {
		}

	}

	interface Settling {

		@DistributedLock("#p0")
		void settleIt(String id);

	}

	static class ThroughInterface implements Settling {

		@Override
		public void settleIt(String id) {
		}

	}

	interface Generic<T> {

		void take(T value);

	}

	static class StringGeneric implements Generic<String> {

		@Override
		@DistributedLock("#value")
		public void take(String value) {
		}

	}

	static class Tenant {

		public String getName() {
			return "acme";
		}

	}

	static class WithBean {

		@DistributedLock("@tenant.name")
		public void run() {
		}

	}

	static class BadSyntax {

		@DistributedLock("#id +")
		public void run(String id) {
		}

	}

	static class UnquotedLiteral {

		@DistributedLock("all orders")
		public void run(String id) {
		}

	}

	static class PropertyLiteral {

		@DistributedLock("orders-all")
		public void run(String id) {
		}

	}

	static class UnknownVariable {

		@DistributedLock("#ordr.id")
		public void run(Order order) {
		}

	}

	static class Assignment {

		@DistributedLock("#id = '1'")
		public void run(String id) {
		}

	}

	static class BadDuration {

		@DistributedLock(leaseTime = "30 parsecs")
		public void run() {
		}

	}

	static class BareNumber {

		@DistributedLock(waitTime = "30")
		public void run() {
		}

	}

	static class Composite {

		@DistributedLock(waitTime = "1m30s")
		public void run() {
		}

	}

	static class CompositeOfProperty {

		@DistributedLock(waitTime = "${orders.composite}")
		public void run() {
		}

	}

	static class BlankBefore {

		@DistributedLock(waitTime = " 5s ")
		public void run() {
		}

	}

	static class UnknownOfRoot {

		@DistributedLock(key = "#root.metodName")
		public void run() {
		}

	}

	static class UnknownOfRootBehind {

		@DistributedLock(condition = "#root?.arguments.length > 0")
		public void run() {
		}

	}

	static class ClassOfRoot {

		@DistributedLock(key = "#root.class.name")
		public void run() {
		}

	}

	static class ClassOfRootAlone {

		@DistributedLock(key = "class.name")
		public void run() {
		}

	}

	static class TextOfRoot {

		@DistributedLock(key = "#root.toString()")
		public void run() {
		}

	}

	static class TextOfRootAlone {

		@DistributedLock(key = "'run-' + toString()")
		public void run() {
		}

	}

	interface Named {

		@DistributedLock("#from")
		void settleAs(String from, String to);

		@DistributedLock("#id")
		void settleBy(String id);

	}

	static class OtherNames implements Named {

		@Override
		@SuppressWarnings("OverridingMethodInconsistentArgumentNamesChecker")
		public void settleAs(String to, String from) {
		}

		@Override
		public void settleBy(String orderId) {
		}

	}

	interface Misnamed {

		@DistributedLock("#ordr")
		void run(String id);

	}

	static class BadlyNamed implements Misnamed {

		@Override
		public void run(String orderId) {
		}

	}

	static class NegativeWait {

		@DistributedLock(waitTime = "-5s")
		public void run() {
		}

	}

	static class ZeroLease {

		@DistributedLock(leaseTime = "0s")
		public void run() {
		}

	}

	static class ExpressionInName {

		@DistributedLock(name = "#id", key = "#id")
		public void run(String id) {
		}

	}

	static class PlaceholderInKey {

		@DistributedLock(key = "${orders.name}")
		public void run() {
		}

	}

	static class UnresolvedName {

		@DistributedLock(name = "${no.such.property}")
		public void run() {
		}

	}

	static class NegativeMaxWaiters {

		@DistributedLock(maxWaiters = -2)
		public void run() {
		}

	}

	static class Publishing {

		@DistributedLock
		public java.util.concurrent.Future<String> run() {
			throw new UnsupportedOperationException();
		}

	}

	@Configuration
	static class Configured {

		@Bean
		String bean() {
			return "bean";
		}

		@DistributedLock("#root.targetClass.simpleName")
		public void run() {
		}

	}

}
