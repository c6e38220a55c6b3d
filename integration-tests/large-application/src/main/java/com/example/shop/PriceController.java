package com.example.shop;

import java.math.BigDecimal;

import jakarta.validation.constraints.NotBlank;

import org.springframework.validation.annotation.Validated;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

@RestController
@Validated
class PriceController {

	private final Prices prices;

	PriceController(Prices prices) {
		this.prices = prices;
	}

	@GetMapping("/prices/{article}")
	BigDecimal price(@PathVariable @NotBlank String article) {
		return this.prices.of(article);
	}

}
