package io.distributedlock.examples;

import java.util.List;

import io.distributedlock.LockType;
import io.distributedlock.annotation.DistributedLock;

import org.springframework.stereotype.Service;

@Service
class Catalog {

	private final Books books;

	Catalog(Books books) {
		this.books = books;
	}

	@DistributedLock(name = "catalog", key = "#shelf", type = LockType.READ)
	public List<String> titles(String shelf) {
		return this.books.titles(shelf);
	}

	@DistributedLock(name = "catalog", key = "#shelf", type = LockType.WRITE)
	public void add(String shelf, String title) {
		this.books.add(shelf, title);
	}

	interface Books {

		List<String> titles(String shelf);

		void add(String shelf, String title);

	}

}
