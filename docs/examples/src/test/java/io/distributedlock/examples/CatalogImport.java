package io.distributedlock.examples;

import java.util.concurrent.locks.ReadWriteLock;

import io.distributedlock.LockRequest;
import io.distributedlock.LockTemplate;
import io.distributedlock.examples.Catalog.Books;

import org.springframework.stereotype.Service;

@Service
class CatalogImport {

	private final ReadWriteLock catalog;

	private final Books books;

	CatalogImport(LockTemplate lockTemplate, Books books) {
		this.catalog = lockTemplate.asReadWriteLock(LockRequest.of("catalog"));
		this.books = books;
	}

	void addAndRead(String shelf, String title) {
		this.catalog.writeLock().lock();
		try {
			this.books.add(shelf, title);
			this.catalog.readLock().lock();
		}
		finally {
			this.catalog.writeLock().unlock(); // from here on others can read
		}
		try {
			this.books.titles(shelf); // no writer has changed the shelf since add(…)
		}
		finally {
			this.catalog.readLock().unlock();
		}
	}

}
