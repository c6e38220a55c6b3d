package io.distributedlock.engine;

import java.time.Duration;
import java.util.function.Consumer;

import io.distributedlock.LockEvent;
import io.distributedlock.LockListener;
import io.distributedlock.LockLostException;

/**
 * A listener that wants to know of losses only.
 *
 * @param onLoss gets each loss
 */
public record LossListener(Consumer<LockLostException> onLoss) implements LockListener {

	@Override
	public void lost(LockEvent event, Duration held, LockLostException loss) {
		this.onLoss.accept(loss);
	}

}
