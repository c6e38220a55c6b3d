package io.distributedlock.examples;

import java.sql.Connection;

import io.distributedlock.jdbc.JdbcFencedResource;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Repository;
import org.springframework.transaction.annotation.Transactional;

@Repository
class PriceWriter {

	private final JdbcFencedResource fence = JdbcFencedResource.named("prices");

	private final JdbcFencedResource.Rows rows = JdbcFencedResource.rows("price", "id", "fence");

	private final JdbcTemplate jdbcTemplate;

	PriceWriter(JdbcTemplate jdbcTemplate) {
		this.jdbcTemplate = jdbcTemplate;
	}

	@Transactional
	public void writeAll(int amount, long token) {
		this.jdbcTemplate.execute((Connection connection) -> {
			this.fence.check(connection, token); // or StaleTokenException
			return null;
		});
		this.jdbcTemplate.update("update price set amount = ?", amount);
	}

	public void writeOne(int id, int amount, long token) {
		this.jdbcTemplate
			.execute((Connection connection) -> this.rows.update(connection, id, token, "amount = ?", amount));
	}

}
