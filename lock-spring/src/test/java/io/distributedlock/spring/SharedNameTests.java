package io.distributedlock.spring;

import io.distributedlock.annotation.DistributedLock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Beans of two classes that inherit an annotation share its lock, and the log says so.
 */
@ExtendWith(OutputCaptureExtension.class)
class SharedNameTests {

	private static final String WARNING = "share the lock";

	private final RecordingProvider provider = new RecordingProvider();

	@Test
	void lockOfABaseClassIsWarnedAboutOnce(CapturedOutput output) {
		try (AnnotationConfigApplicationContext context = Contexts.open(this.provider, false, Orders.class,
				Invoices.class, Payments.class)) {
			context.getBean(Orders.class).run("1");
			context.getBean(Invoices.class).run("1");
			assertThat(this.provider.keys()).containsExactly("t:Base.run:1", "t:Base.run:1");
			assertThat(output).containsOnlyOnce(WARNING)
				.contains("SharedNameTests$Orders and ", "SharedNameTests$Base.run(String)", "#root.targetClass.name");
		}
	}

	@Test
	void wayOutGivesEachClassItsLock(CapturedOutput output) {
		try (AnnotationConfigApplicationContext context = Contexts.open(this.provider, false, Orders.class,
				Invoices.class)) {
			context.getBean(Orders.class).separate("1");
			context.getBean(Invoices.class).separate("1");
			assertThat(this.provider.keys()).doesNotHaveDuplicates().hasSize(2);
			assertThat(output).doesNotContain("Base.separate").doesNotContain("Base.named");
		}
	}

	@Test
	void beansOfOneClassAndClassesWithAnnotationsOfTheirOwnAreNot(CapturedOutput output) {
		Contexts.open(this.provider, false, true, (context) -> {
			context.registerBean("one", Orders.class);
			context.registerBean("two", Orders.class);
			context.registerBean("own", Own.class);
		}).close();
		assertThat(output).doesNotContain(WARNING);
	}

	static class Base {

		@DistributedLock("#id")
		public void run(String id) {
		}

		@DistributedLock("#root.targetClass.name + #id")
		public void separate(String id) {
		}

		@DistributedLock(name = "shared", key = "#id")
		public void named(String id) {
		}

	}

	static class Orders extends Base {

	}

	static class Invoices extends Base {

	}

	static class Payments extends Base {

	}

	static class Own extends Base {

		@Override
		@DistributedLock("#id")
		public void run(String id) {
		}

	}

}
