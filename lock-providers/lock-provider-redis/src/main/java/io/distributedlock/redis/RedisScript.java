package io.distributedlock.redis;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;

import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.async.RedisScriptingAsyncCommands;

/**
 * What the server does in one step. Each script may be executed twice for one call, as a
 * client does that sends a command anew after its connection was lost: the second time
 * changes nothing.
 */
enum RedisScript {

	/**
	 * Takes the lock for an owner and gives it a token: the number after the last one, or
	 * the server's clock in microseconds if that is higher. So tokens rise also after the
	 * counter was lost or has expired, or a replica took over that had not seen the last
	 * ones. The lock is written last: a script that fails has taken nothing. Arguments:
	 * owner, lease in milliseconds, time to live of the counter.
	 */
	ACQUIRE("""
			local owner = redis.call('get', KEYS[1])
			if owner and owner ~= ARGV[1] then return 0 end
			local token = tonumber(redis.call('get', KEYS[2]) or '0')
			if not owner then
			  local now = redis.call('time')
			  token = math.max(token + 1, now[1] * 1000000 + now[2])
			  redis.call('set', KEYS[2], string.format('%.0f', token), 'PX', ARGV[3])
			end
			redis.call('set', KEYS[1], ARGV[1], 'PX', ARGV[2])
			return token"""),

	/**
	 * Lets the lease run anew. Arguments: owner, lease in milliseconds.
	 */
	RENEW("""
			if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('pexpire', KEYS[1], ARGV[2]) end
			return 0"""),

	/**
	 * Gives the lock back and tells those who wait. A user who may not publish still
	 * releases. Argument: owner.
	 */
	RELEASE("""
			if redis.call('get', KEYS[1]) ~= ARGV[1] then return 0 end
			redis.call('del', KEYS[1])
			redis.pcall('publish', KEYS[1], '')
			return 1""");

	private final String source;

	private final String digest;

	RedisScript(String source) {
		this.source = source;
		this.digest = sha1(source);
	}

	CompletionStage<Long> call(RedisScriptingAsyncCommands<String, String> commands, String[] keys,
			String... arguments) {
		CompletionStage<Long> answer = commands.evalsha(this.digest, ScriptOutputType.INTEGER, keys, arguments);
		return answer.handle((value, failure) -> {
			if (failure == null) {
				return CompletableFuture.completedFuture(value);
			}
			if (isNoScript(failure)) {
				return commands.<Long>eval(this.source, ScriptOutputType.INTEGER, keys, arguments);
			}
			return CompletableFuture.<Long>failedFuture(failure);
		}).thenCompose((stage) -> stage);
	}

	private static boolean isNoScript(Throwable failure) {
		return failure instanceof RedisNoScriptException
				|| (failure instanceof CompletionException && failure.getCause() instanceof RedisNoScriptException);
	}

	private static String sha1(String text) {
		try {
			return HexFormat.of()
				.formatHex(MessageDigest.getInstance("SHA-1").digest(text.getBytes(StandardCharsets.UTF_8)));
		}
		catch (NoSuchAlgorithmException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
