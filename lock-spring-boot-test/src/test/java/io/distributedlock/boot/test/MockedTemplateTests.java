package io.distributedlock.boot.test;

import io.distributedlock.LockTemplate;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.test.context.bean.override.mockito.MockitoBean;

import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * A mock of the template gives no lock. The error names what to use instead.
 */
@SpringBootTest(classes = OrdersApplication.class, properties = "lock.provider=local")
@MockitoBean(types = LockTemplate.class)
class MockedTemplateTests {

	@Test
	void errorSaysWhatToUseInstead(@Autowired Orders orders) {
		assertThatIllegalStateException().isThrownBy(() -> orders.settle(42, () -> {
		}))
			.withMessageContaining("Orders.settle")
			.withMessageContaining("@AutoConfigureTestLocks")
			.withMessageContaining("lock-spring-boot-test");
	}

}
