package com.example.shop;

import org.springframework.data.repository.ListCrudRepository;

interface Articles extends ListCrudRepository<Article, Long> {

}
