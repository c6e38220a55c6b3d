package io.distributedlock.application;

import io.distributedlock.LockHandle;
import io.distributedlock.annotation.DistributedLock;
import jakarta.persistence.EntityManager;
import jakarta.persistence.PersistenceContext;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.context.annotation.Import;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * An application as many are: it answers requests and keeps entities.
 */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
@EnableCaching
@Import({ Shop.Orders.class, Shop.OrderController.class })
class Shop {

	static class Orders {

		@PersistenceContext
		private EntityManager entities;

		/**
		 * Settle an order.
		 * @param work runs after the order has been written, and before the commit
		 */
		@Transactional
		@DistributedLock(name = "order", key = "#id", waitTime = "0")
		public void settle(String id, Runnable work) {
			this.entities.persist(new Sale(id));
			this.entities.flush();
			work.run();
		}

		@Transactional(readOnly = true)
		public boolean isSettled(String id) {
			return this.entities.find(Sale.class, id) != null;
		}

	}

	@RestController
	static class OrderController {

		@PostMapping("/orders/{id}")
		@DistributedLock(name = "order", key = "#id", waitTime = "0")
		public String key(@PathVariable String id, LockHandle lock) {
			return lock.key();
		}

	}

}
