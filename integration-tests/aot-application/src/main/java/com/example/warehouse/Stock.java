package com.example.warehouse;

import io.distributedlock.annotation.DistributedLock;

/**
 * What is in the warehouse.
 */
public interface Stock {

	/**
	 * Take a part out.
	 * @param part the number of the part
	 * @return the key of the lock
	 */
	@DistributedLock(name = "parts", key = "#part")
	String take(long part);

}
