package io.distributedlock.spring;

import java.util.concurrent.CompletableFuture;

import io.distributedlock.LockHandle;
import io.distributedlock.LockTemplate;
import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.annotation.DistributedSemaphore;
import io.distributedlock.annotation.ScheduledLock;
import io.distributedlock.engine.DefaultLockTemplate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.BeanCreationException;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Runs under the agent of AspectJ, which weaves the locks into the methods.
 */
class WovenTests {

	private final RecordingProvider provider = new RecordingProvider();

	@Test
	void callsWithinTheSameObjectPrivateAndFinalMethodsAreLocked() {
		try (AnnotationConfigApplicationContext context = open(Woven.class)) {
			Woven woven = context.getBean(Woven.class);
			assertThat(AopUtils.isAopProxy(woven)).isFalse();
			assertThat(woven.outer("1", null)).isEqualTo("t:Woven.outer:1 secret fixed");
			assertThat(this.provider.keys()).containsExactly("t:Woven.outer:1", "t:Woven.secret:1", "t:Woven.fixed:1");
			assertThat(this.provider.events()).hasSize(6);
			assertThat(woven.future("1").join()).isEqualTo("future");
			woven.scheduled();
			assertThat(this.provider.keys()).endsWith("t:Woven.future:1", "t::Woven.scheduled");
		}
		this.provider.events().clear();
		new Woven().outer("1", null);
		assertThat(this.provider.events()).as("after the context was closed").isEmpty();
	}

	@Test
	void annotationOnTheClassStandsForItsPublicMethods() {
		try (AnnotationConfigApplicationContext context = open(WovenClass.class)) {
			context.getBean(WovenClass.class).open();
			assertThat(this.provider.keys()).containsExactly("t::WovenClass.open");
		}
	}

	@Test
	void mistakesAreFoundAtTheStart() {
		assertThatExceptionOfType(BeanCreationException.class).isThrownBy(() -> open(Mistaken.class).close())
			.withMessageContaining("#nobody");
		assertThatExceptionOfType(InvalidLockOperationException.class)
			.isThrownBy(() -> open(WovenSemaphore.class).close())
			.withMessageContaining("SEMAPHORE");
	}

	@Test
	void newestContextCounts() {
		RecordingProvider second = new RecordingProvider();
		try (AnnotationConfigApplicationContext first = open(Woven.class)) {
			try (AnnotationConfigApplicationContext other = open(Woven.class, second)) {
				other.getBean(Woven.class).outer("2", null);
			}
			assertThat(second.keys()).hasSize(3);
			assertThat(this.provider.keys()).isEmpty();
			first.getBean(Woven.class).outer("1", null);
			assertThat(this.provider.keys()).hasSize(3);
		}
	}

	private AnnotationConfigApplicationContext open(Class<?> type) {
		return open(type, this.provider);
	}

	private static AnnotationConfigApplicationContext open(Class<?> type, RecordingProvider provider) {
		AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
		context.registerBean(DefaultLockTemplate.class,
				() -> DefaultLockTemplate.builder().provider(provider).keyPrefix("t").build());
		context.registerBean(DistributedLockBeanPostProcessor.class, () -> {
			DistributedLockBeanPostProcessor processor = new DistributedLockBeanPostProcessor(
					() -> context.getBean(LockTemplate.class), DistributedLockSettings.DEFAULTS);
			processor.setProxying(false);
			return processor;
		});
		context.registerBean(type);
		context.refresh();
		return context;
	}

	static class Woven {

		@DistributedLock("#id")
		public String outer(String id, @Nullable LockHandle handle) {
			return ((handle != null) ? handle.key() : "unlocked") + " " + secret(id) + " " + fixed(id);
		}

		@DistributedLock("#id")
		private String secret(String id) {
			return "secret" + (id.isEmpty() ? "?" : "");
		}

		@DistributedLock("#id")
		public final String fixed(String id) {
			return "fixed";
		}

		@DistributedLock("#id")
		public CompletableFuture<String> future(String id) {
			return CompletableFuture.completedFuture("future");
		}

		@ScheduledLock(holdAtLeast = "0")
		void scheduled() {
		}

	}

	@DistributedLock
	static class WovenClass {

		public void open() {
			hidden();
		}

		private void hidden() {
		}

	}

	static class Mistaken {

		@DistributedLock("#nobody")
		private void run() {
		}

		public void call() {
			run();
		}

	}

	static class WovenSemaphore {

		@DistributedSemaphore(permits = "2")
		public void run() {
		}

	}

}
