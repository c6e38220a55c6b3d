package io.distributedlock.examples;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import io.distributedlock.annotation.DistributedLock;

import org.springframework.core.annotation.AliasFor;
import org.springframework.stereotype.Service;

@Service
class FromSetNx {

	@RedisLock(name = "order", key = "#id")
	public String settle(long id) {
		return "settled";
	}

	@Target(ElementType.METHOD)
	@Retention(RetentionPolicy.RUNTIME)
	@DistributedLock
	public @interface RedisLock {

		@AliasFor(annotation = DistributedLock.class)
		String name();

		@AliasFor(annotation = DistributedLock.class)
		String key() default "";

		@AliasFor(annotation = DistributedLock.class)
		String waitTime() default "0";

		@AliasFor(annotation = DistributedLock.class)
		String leaseTime() default "";

		@AliasFor(annotation = DistributedLock.class)
		String holdAtLeast() default "";

	}

}
