package io.distributedlock.redisson.internal.client;

import java.nio.charset.StandardCharsets;

/**
 * The hash slots of a Redis cluster.
 */
public final class HashSlot {

	private static final int SLOTS = 16384;

	private static final int POLYNOMIAL = 0x1021;

	private HashSlot() {
	}

	/**
	 * Return the slot of a key: the CRC-16 of its hash tag, or of all of it if it has
	 * none.
	 */
	public static int of(String key) {
		int open = key.indexOf('{');
		int close = key.indexOf('}', open + 1);
		return crc16((open >= 0 && close > open + 1) ? key.substring(open + 1, close) : key) % SLOTS;
	}

	private static int crc16(String text) {
		int crc = 0;
		for (byte next : text.getBytes(StandardCharsets.UTF_8)) {
			crc ^= (next & 0xff) << 8;
			for (int bit = 0; bit < 8; bit++) {
				crc = ((crc & 0x8000) != 0) ? (crc << 1) ^ POLYNOMIAL : crc << 1;
			}
		}
		return crc & 0xffff;
	}

}
