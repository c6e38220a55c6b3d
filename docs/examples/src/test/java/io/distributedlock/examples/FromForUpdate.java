package io.distributedlock.examples;

import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.annotation.OnContention;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

@Service
class FromForUpdate {

	private final JdbcTemplate jdbcTemplate;

	FromForUpdate(JdbcTemplate jdbcTemplate) {
		this.jdbcTemplate = jdbcTemplate;
	}

	@Transactional
	@DistributedLock(name = "stock", key = "#item", waitTime = "50s")
	public void take(int item) {
		int amount = this.jdbcTemplate.queryForObject("select amount from stock where id = ?", Integer.class, item);
		this.jdbcTemplate.update("update stock set amount = ? where id = ?", amount - 1, item);
	}

	@Transactional
	@DistributedLock(name = "stock", key = "#item", waitTime = "50s")
	public void takeUnderBoth(int item) {
		int amount = this.jdbcTemplate.queryForObject("select amount from stock where id = ? for update", Integer.class,
				item);
		this.jdbcTemplate.update("update stock set amount = ? where id = ?", amount - 1, item);
	}

	@Transactional
	@DistributedLock(name = "stock", key = "#item", waitTime = "0", onContention = OnContention.SKIP)
	public void takeUnlessBusy(int item) {
		this.jdbcTemplate.update("update stock set amount = amount - 1 where id = ?", item);
	}

	@Transactional
	@DistributedLock(name = "stock", key = "{#from, #to}", waitTime = "0", onContention = OnContention.SKIP)
	public void move(int from, int to) {
		this.jdbcTemplate.update("update stock set amount = amount - 1 where id = ?", from);
		this.jdbcTemplate.update("update stock set amount = amount + 1 where id = ?", to);
	}

}
