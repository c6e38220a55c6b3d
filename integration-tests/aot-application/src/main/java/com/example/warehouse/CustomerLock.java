package com.example.warehouse;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import io.distributedlock.annotation.DistributedLock;

import org.springframework.core.annotation.AliasFor;

/**
 * One call at a time for each customer.
 */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@DistributedLock(name = "customers", condition = "#order.customer.served")
public @interface CustomerLock {

	/**
	 * The customer.
	 * @return an expression
	 */
	@AliasFor(annotation = DistributedLock.class, attribute = "key")
	String value();

}
