package io.distributedlock.spring;

import java.util.List;

import io.distributedlock.LockContext;
import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.annotation.DistributedSemaphore;
import io.distributedlock.local.LocalLockProvider;
import org.aopalliance.intercept.MethodInterceptor;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.aop.framework.ProxyFactory;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Beans that are made in other ways than by their constructor, and keys of all shapes.
 */
class BeanShapeTests {

	private final RecordingProvider provider = new RecordingProvider();

	private AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();

	@AfterEach
	void close() {
		this.context.close();
		assertThat(LockContext.find()).isEmpty();
	}

	@Test
	@Tag("proxies")
	void proxyWithoutATargetIsLockedUnderTheNameOfItsInterface() {
		this.context = Contexts.open(this.provider, false, true,
				(context) -> context.registerBean("client", Client.class, BeanShapeTests::clientOfHttp));
		assertThat(this.context.getBean(Client.class).fetch("1")).isEqualTo("answer");
		assertThat(this.provider.keys()).containsExactly("t:Client.fetch:1");
	}

	/**
	 * A proxy without a target, as the factory of HTTP interface clients makes it.
	 */
	private static Client clientOfHttp() {
		ProxyFactory factory = new ProxyFactory();
		factory.addInterface(Client.class);
		factory.addAdvice((MethodInterceptor) (call) -> "answer");
		return (Client) factory.getProxy(BeanShapeTests.class.getClassLoader());
	}

	@Test
	@Tag("proxies")
	void lambdaIsLockedUnderTheNameOfItsInterface() {
		this.context = Contexts.open(this.provider, false, false,
				(context) -> context.registerBean("client", Client.class, () -> (id) -> "lambda " + id));
		assertThat(this.context.getBean(Client.class).fetch("1")).isEqualTo("lambda 1");
		assertThat(this.provider.keys()).containsExactly("t:Client.fetch:1");
	}

	@Test
	@Tag("proxies")
	void nameIsThatOfTheAnnotatedMethod() {
		RecordingProvider whole = new RecordingProvider() {

			@Override
			void record(String event) {
				super.record(event.replace(BeanShapeTests.class.getName(), "Outer"));
			}

			@Override
			String shown(String key) {
				return key;
			}

		};
		this.context = Contexts.open(whole, false, Named.class, NamedToo.class);
		Named named = this.context.getBean("named", Named.class);
		named.run();
		named.run(1L, new String[0], List.of());
		named.inherited();
		named.generic("x");
		NamedToo too = this.context.getBean(NamedToo.class);
		too.run();
		too.inherited();
		too.generic("x");
		assertThat(whole.keys()).containsExactly("t:Outer$Named.run()",
				"t:Outer$Named.run(Long,String%5B%5D,java.util.List)", "t:Outer$Named.inherited()",
				"t:Outer$Generic.generic(Object):x", "t:Outer$NamedToo.run()", "t:Outer$NamedToo.inherited()",
				"t:Outer$Generic.generic(Object):x");
	}

	@Test
	void beanUnderTwoNamesIsLockedOnce() {
		this.context = Contexts.open(new LocalLockProvider(), false, true, (context) -> {
			context.registerBean("first", Single.class, Single::new);
			context.registerBean("second", Single.class, () -> context.getBean("first", Single.class));
		});
		assertThat(this.context.getBean("second", Single.class).run()).isEqualTo("ran");
	}

	interface Client {

		@DistributedLock(key = "#id")
		String fetch(String id);

	}

	static class Unannotated {

		public void inherited() {
		}

	}

	static class Generic<T> extends Unannotated {

		@DistributedLock("#value")
		public void generic(T value) {
		}

	}

	@DistributedLock
	static class Named extends Generic<String> {

		public void run() {
		}

		public void run(Long number, String[] texts, List<String> list) {
		}

		@Override
		public void generic(String value) {
		}

	}

	@DistributedLock
	static class NamedToo extends Generic<String> {

		public void run() {
		}

	}

	static class Single {

		@DistributedSemaphore(permits = "1", waitTime = "0")
		public String run() {
			return "ran";
		}

	}

}
