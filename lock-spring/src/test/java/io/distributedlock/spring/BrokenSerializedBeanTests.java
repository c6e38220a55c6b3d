package io.distributedlock.spring;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.util.function.Consumer;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.context.annotation.AnnotationConfigApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Broken: beans that are read where several contexts have one id.
 */
@Tag("proxies")
class BrokenSerializedBeanTests {

	private final RecordingProvider provider = new RecordingProvider();

	@Test
	void beanIsReadByTheContextThatIsStillOpen() throws Exception {
		try (AnnotationConfigApplicationContext first = open((context) -> {
		})) {
			byte[] written = written(first.getBean(SerializedBeanTests.Cart.class));
			open((context) -> {
			}).close();
			assertThat(((SerializedBeanTests.Cart) read(written)).add("pear")).endsWith("under t:cart:x");
		}
	}

	@Test
	void beanOfAParentIsReadWhereTheChildIsClosed() throws Exception {
		try (AnnotationConfigApplicationContext parent = open((context) -> {
		})) {
			byte[] written = written(parent.getBean(SerializedBeanTests.Cart.class));
			open((context) -> context.setParent(parent)).close();
			assertThat(((SerializedBeanTests.Cart) read(written)).add("pear")).endsWith("under t:cart:x");
		}
	}

	private AnnotationConfigApplicationContext open(Consumer<AnnotationConfigApplicationContext> beans) {
		return Contexts.open(this.provider, false, true, (context) -> {
			context.setId("carts");
			context.registerBean("cart", SerializedBeanTests.SimpleCart.class);
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

}
