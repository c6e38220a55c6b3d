package com.example.warehouse;

import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronizationManager;

@Service
class Orders extends BaseOrders {

	@CustomerLock("#order.customer.name")
	@Transactional
	public String deliver(Order order) {
		return Locks.current() + " in transaction: " + TransactionSynchronizationManager.isActualTransactionActive();
	}

}
