package io.distributedlock.examples;

import io.distributedlock.annotation.DistributedLock;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

@Service
class Stock {

	private final JdbcTemplate jdbcTemplate;

	Stock(JdbcTemplate jdbcTemplate) {
		this.jdbcTemplate = jdbcTemplate;
	}

	@Transactional
	@DistributedLock(name = "stock", key = "#item")
	public void take(int item) {
		int amount = this.jdbcTemplate.queryForObject("select amount from stock where id = ?", Integer.class, item);
		this.jdbcTemplate.update("update stock set amount = ? where id = ?", amount - 1, item);
	}

}
