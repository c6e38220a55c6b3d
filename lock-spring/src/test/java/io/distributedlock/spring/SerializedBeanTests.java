package io.distributedlock.spring;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InvalidObjectException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import java.util.function.Consumer;

import io.distributedlock.LockContext;
import io.distributedlock.LockHandle;
import io.distributedlock.annotation.DistributedLock;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.aop.support.AopUtils;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.interceptor.BeanFactoryTransactionAttributeSourceAdvisor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * A bean of an HTTP session is serialized and read again, and is still locked.
 */
@Tag("proxies")
class SerializedBeanTests {

	private final RecordingProvider provider = new RecordingProvider();

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void beanIsLockedAfterItWasRead(boolean proxyTargetClass) throws Exception {
		try (AnnotationConfigApplicationContext context = open(proxyTargetClass,
				(beans) -> beans.registerBean("cart", SimpleCart.class))) {
			Cart cart = context.getBean(Cart.class);
			cart.add("apple");
			Cart read = (Cart) read(written(cart));
			assertThat(AopUtils.isAopProxy(read)).isTrue();
			assertThat(read.add("pear")).isEqualTo("apple pear under t:cart:x");
			assertThat(cart.add("fig")).isEqualTo("apple fig under t:cart:x");
		}
	}

	@Test
	void transactionOfABeanThatWasReadIsInsideOfTheLock() throws Exception {
		try (AnnotationConfigApplicationContext context = open(true, (beans) -> {
			beans.registerBean(RecordingProvider.class, () -> this.provider);
			beans.register(TransactionReleaseTests.Config.class);
			beans.registerBean("cart", TransactionalCart.class);
		})) {
			// as in XML: the advice of @EnableTransactionManagement cannot be
			// deserialized
			context.getBean(BeanFactoryTransactionAttributeSourceAdvisor.class)
				.setAdviceBeanName("transactionInterceptor");
			Cart read = (Cart) read(written(context.getBean(Cart.class)));
			read.add("pear");
			assertThat(this.provider.events()).containsExactly("acquire t:cart:x", "begin", "commit",
					"release t:cart:x");
		}
	}

	@Test
	void beanIsNotReadWithoutItsApplication() throws Exception {
		byte[] written;
		try (AnnotationConfigApplicationContext context = open(false,
				(beans) -> beans.registerBean("cart", SimpleCart.class))) {
			written = written(context.getBean(Cart.class));
		}
		assertThatExceptionOfType(InvalidObjectException.class).isThrownBy(() -> read(written))
			.withMessageContaining("spring.application.name");
	}

	private AnnotationConfigApplicationContext open(boolean proxyTargetClass,
			Consumer<AnnotationConfigApplicationContext> beans) {
		return Contexts.open(this.provider, false, proxyTargetClass, (context) -> {
			context.setId("carts");
			beans.accept(context);
		});
	}

	private static byte[] written(Object bean) throws IOException {
		ByteArrayOutputStream bytes = new ByteArrayOutputStream();
		try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
			out.writeObject(bean);
		}
		return bytes.toByteArray();
	}

	private static Object read(byte[] bytes) throws IOException, ClassNotFoundException {
		try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes))) {
			return in.readObject();
		}
	}

	interface Cart {

		String add(String item);

	}

	static class SimpleCart implements Cart, Serializable {

		private static final long serialVersionUID = 1L;

		private String items = "";

		@Override
		@DistributedLock(name = "cart", key = "'x'")
		public String add(String item) {
			this.items = (this.items + " " + item).trim();
			return this.items + " under " + LockContext.find().map(LockHandle::key).orElse("no lock");
		}

	}

	static class TransactionalCart extends SimpleCart {

		private static final long serialVersionUID = 1L;

		@Override
		@Transactional
		@DistributedLock(name = "cart", key = "'x'")
		public String add(String item) {
			return item;
		}

	}

}
