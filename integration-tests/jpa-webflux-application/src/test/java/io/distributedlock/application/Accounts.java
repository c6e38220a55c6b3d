package io.distributedlock.application;

import java.util.concurrent.atomic.AtomicReference;

import io.distributedlock.LockContext;
import io.distributedlock.LockHandle;
import io.distributedlock.annotation.DistributedLock;
import jakarta.persistence.EntityManager;
import jakarta.persistence.LockModeType;
import jakarta.persistence.PersistenceContext;

import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * A service of JPA: lock and transaction on the same method.
 */
class Accounts {

	@PersistenceContext
	private EntityManager entities;

	@Transactional
	public void open(long id) {
		this.entities.persist(new Account(id));
	}

	@Transactional
	@DistributedLock(name = "account", key = "#id")
	public void deposit(long id, AtomicReference<String> atCommit) {
		this.entities.find(Account.class, id).add(1);
		LockHandle handle = LockContext.current();
		TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
			@Override
			public void afterCommit() {
				atCommit.set(handle.isValid() ? "held" : "free");
			}
		});
	}

	/**
	 * Deposit on what is in the database now: the transaction of the caller may have
	 * loaded the account before the lock.
	 */
	@Transactional
	@DistributedLock(name = "account", key = "#id")
	public void refreshAndDeposit(long id) {
		Account account = this.entities.find(Account.class, id);
		this.entities.refresh(account, LockModeType.PESSIMISTIC_WRITE);
		account.add(1);
	}

	@Transactional(readOnly = true)
	public Account reference(long id) {
		return this.entities.getReference(Account.class, id);
	}

	@DistributedLock("#account")
	public void use(Account account) {
	}

	@Transactional(readOnly = true)
	public int balance(long id) {
		return this.entities.find(Account.class, id).balance();
	}

}
