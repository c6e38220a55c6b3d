package io.distributedlock.redis.scripts.script;

import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.BooleanSupplier;

/**
 * A script with its keys and arguments, and how it is to be sent.
 * <p>
 * Why: docs/decisions/013-attempts-end-with-their-caller.md
 *
 * @param script the script
 * @param keys its keys; the first one decides which node of a cluster is asked
 * @param arguments its arguments
 * @param wanted whether somebody still wants the answer; if nobody does, nothing more is
 * sent
 * @param inOneMessage whether it is sent with its source in the first message, so that
 * the server executes it before whatever is sent later. By digest it may take a second
 * message, and a later command may overtake that
 * @param removal whether it removes the owner of an attempt that was given up, as the
 * server may have granted it the lock. It is sent after the attempt
 * @param giveUpAtNanos the {@link System#nanoTime()} from which nobody waits for the
 * answer, if that is known
 * @since 0.1
 */
public record ScriptCall(Script script, List<String> keys, List<String> arguments, BooleanSupplier wanted,
		boolean inOneMessage, boolean removal, OptionalLong giveUpAtNanos) {

	// known by its identity
	@SuppressWarnings("UnnecessaryLambda")
	private static final BooleanSupplier ANYWAY = () -> true;

	/**
	 * Create a call that is sent by its digest.
	 * @param script the script
	 * @param keys its keys
	 * @param arguments its arguments
	 */
	public ScriptCall(Script script, List<String> keys, List<String> arguments) {
		this(script, keys, arguments, ANYWAY, false, false, OptionalLong.empty());
	}

	/**
	 * Return a time as scripts take it.
	 * @param time the time
	 * @return its milliseconds
	 */
	public static String millis(Duration time) {
		return Long.toString(time.toMillis());
	}

	/**
	 * Return a call that is not sent any more once its answer is not wanted.
	 * @param isWanted whether the answer is wanted
	 * @return the call
	 */
	public ScriptCall whileWanted(BooleanSupplier isWanted) {
		return new ScriptCall(this.script, this.keys, this.arguments, isWanted, this.inOneMessage, this.removal,
				this.giveUpAtNanos);
	}

	/**
	 * Return a call whose answer nobody waits for from some time on.
	 * @param nanos the {@link System#nanoTime()}
	 * @return the call
	 */
	public ScriptCall until(long nanos) {
		return new ScriptCall(this.script, this.keys, this.arguments, this.wanted, this.inOneMessage, this.removal,
				OptionalLong.of(nanos));
	}

	/**
	 * Return a call that is sent in one message.
	 * @return the call
	 */
	public ScriptCall sentWhole() {
		return new ScriptCall(this.script, this.keys, this.arguments, this.wanted, true, this.removal,
				this.giveUpAtNanos);
	}

	/**
	 * Return a call that removes an owner, in one message.
	 * @return the call
	 */
	public ScriptCall asRemoval() {
		return new ScriptCall(this.script, this.keys, this.arguments, this.wanted, true, true, this.giveUpAtNanos);
	}

	/**
	 * Return a call of another script.
	 * @param other the script
	 * @return the call
	 */
	public ScriptCall running(Script other) {
		return new ScriptCall(other, this.keys, this.arguments, this.wanted, this.inOneMessage, this.removal,
				this.giveUpAtNanos);
	}

	/**
	 * Return whether this call asks for a lock, as only such an answer may be unwanted.
	 * @return {@code true} if the caller asks again by itself, so that the client must
	 * not
	 */
	public boolean asks() {
		return this.wanted != ANYWAY;
	}

	@Override
	public String toString() {
		// the arguments name the owner
		return "ScriptCall[" + this.keys + "]";
	}

}
