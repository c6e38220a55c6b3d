package io.distributedlock.application;

import io.distributedlock.boot.test.AutoConfigureTestLocks;
import io.distributedlock.test.locks.TestLocks;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.autoconfigure.web.servlet.WebMvcTest;
import org.springframework.test.context.ContextConfiguration;
import org.springframework.test.context.TestPropertySource;
import org.springframework.test.web.servlet.MockMvc;

import static org.hamcrest.Matchers.endsWith;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.post;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.content;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.status;

/**
 * A slice with controllers alone answers as the application does.
 */
@WebMvcTest
@ContextConfiguration(classes = Shop.OrderController.class)
@TestPropertySource(properties = { "lock.provider=redisson", "lock.web.problem-details=true" })
@AutoConfigureTestLocks
class ControllerSliceTests {

	@Autowired
	private MockMvc web;

	@Autowired
	private TestLocks locks;

	@Test
	void contentionIsAConflict() throws Exception {
		this.web.perform(post("/orders/7")).andExpect(content().string(endsWith("order:7")));
		this.locks.contend("order:7");
		this.web.perform(post("/orders/7")).andExpect(status().isConflict());
	}

}
