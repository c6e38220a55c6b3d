package com.example.shop;

import java.math.BigDecimal;

import org.springframework.cache.annotation.Cacheable;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/**
 * Prices, which are kept in a cache.
 */
@Service
public class Prices {

	private final Articles articles;

	Prices(Articles articles) {
		this.articles = articles;
	}

	/**
	 * Return the price of an article.
	 * @param article the name of the article
	 * @return its price
	 */
	@Cacheable("prices")
	@Transactional(readOnly = true)
	public BigDecimal of(String article) {
		return BigDecimal.valueOf(this.articles.count() + article.length());
	}

	/**
	 * Read the prices again.
	 */
	@Async
	@Scheduled(fixedDelayString = "1h", initialDelayString = "1h")
	public void refresh() {
		this.articles.findAll();
	}

}
