package io.distributedlock.etcd;

import java.util.List;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link QueueKeys}.
 */
class QueueKeysTests {

	@Test
	void firstIsTheKeyThatWasCreatedFirst() {
		QueueKeys queue = queue(10, key("w/b", 4), key("w/a", 7));
		assertThat(queue.isAmongFirst(1, 4)).isTrue();
		assertThat(queue.isAmongFirst(1, 7)).isFalse();
		assertThat(queue.isAmongFirst(2, 7)).isTrue();
		queue.takeOver(key("w/b", 0, 11, ""), true);
		assertThat(queue.isAmongFirst(1, 7)).isTrue();
		assertThat(queue.contains(4)).isFalse();
	}

	@Test
	void keyThatComesLaterIsBehind() {
		QueueKeys queue = queue(10, key("w/a", 7));
		queue.takeOver(key("w/0", 12), false);
		assertThat(queue.isAmongFirst(1, 7)).isTrue();
		assertThat(queue.isAmongFirst(1, 12)).isFalse();
	}

	@Test
	void readersWaitForWritersBeforeThemOnly() {
		QueueKeys queue = queue(10, key("r/a", 3), key("w/b", 5));
		assertThat(queue.hasWriterBefore(3)).isFalse();
		assertThat(queue.hasWriterBefore(8)).isTrue();
		queue.takeOver(key("w/c", 9, 11, ""), false);
		assertThat(queue.hasWriterBefore(8)).isTrue();
		queue.takeOver(key("w/b", 0, 12, ""), true);
		assertThat(queue.hasWriterBefore(8)).as("a writer behind it").isFalse();
	}

	@Test
	void writerThatOnlyReadsLetsReadersInAndNoWriter() {
		QueueKeys queue = queue(10, key("w/b", 5));
		queue.takeOver(key("w/b", 5, 11, "r"), false);
		assertThat(queue.hasWriterBefore(8)).isFalse();
		assertThat(queue.isAmongFirst(1, 8)).isFalse();
		queue.takeOver(key("w/b", 0, 12, ""), true);
		assertThat(queue.isAmongFirst(1, 8)).isTrue();
	}

	@Test
	void changesThatWereReadAlreadyChangeNothing() {
		QueueKeys queue = queue(10, key("w/b", 5));
		queue.takeOver(key("w/b", 0, 4, ""), true);
		queue.takeOver(key("w/gone", 3), false);
		assertThat(queue.contains(5)).isTrue();
		assertThat(queue.contains(3)).isFalse();
		assertThat(queue.upTo()).isEqualTo(10);
		queue.isUpTo(12);
		queue.takeOver(key("w/b", 0, 11, ""), true);
		assertThat(queue.contains(5)).isTrue();
		assertThat(queue.upTo()).isEqualTo(12);
	}

	@Test
	void keyThatIsCreatedAgainByHandHasItsNewRevision() {
		QueueKeys queue = queue(10, key("w/b", 5));
		queue.takeOver(key("w/b", 12), false);
		assertThat(queue.contains(5)).isFalse();
		assertThat(queue.contains(12)).isTrue();
	}

	private static QueueKeys queue(long upTo, QueueKeys.Key... keys) {
		return new QueueKeys(List.of(keys), upTo);
	}

	private static QueueKeys.Key key(String name, long createdAt) {
		return key(name, createdAt, createdAt, "");
	}

	private static QueueKeys.Key key(String name, long createdAt, long changedAt, String value) {
		return new QueueKeys.Key(EtcdCalls.bytes(name), createdAt, changedAt,
				name.startsWith("w/") && !value.equals("r"));
	}

}
