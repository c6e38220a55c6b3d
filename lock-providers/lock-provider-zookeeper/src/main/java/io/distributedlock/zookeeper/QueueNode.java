package io.distributedlock.zookeeper;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A node below that of a lock: the owner of a lease, or one who waits.
 * <p>
 * Why: docs/decisions/035-zookeeper-term.md
 *
 * @param name the name of the node
 * @param made the name that its owner has asked for, to which the server has added a
 * number
 * @param number the number
 */
record QueueNode(String name, String made, int number) {

	private static final String WRITER = "w-";

	private static final String READER = "r-";

	private static final Pattern MADE = Pattern.compile("[rw]-(?:(\\d{1,9})\\.)?(.*)-");

	private static final Pattern NAME = Pattern.compile("([rw]-.*[^-]-)(-?\\d{10})");

	/**
	 * Return the name to create a node with. It says how many owners there may be, so
	 * that others can tell whether this is one of them or waits.
	 */
	static String nameFor(boolean reader, int permits, String owner) {
		return (reader ? READER : WRITER) + ((permits > 1) ? permits + "." : "") + owner + "-";
	}

	/**
	 * Return what names the owner of a node.
	 * @param path the path or the name of the node
	 */
	static String ownerOf(String path) {
		return path.substring(path.lastIndexOf('/') + 1 + WRITER.length());
	}

	/**
	 * Return the name of the node of an owner.
	 * @param owner as {@link #ownerOf} returned it
	 */
	static String nameOf(boolean reader, String owner) {
		return (reader ? READER : WRITER) + owner;
	}

	static boolean isWriter(String name) {
		return name.startsWith(WRITER);
	}

	/**
	 * Return a node that would come after all others.
	 * @param made the name to create it with
	 */
	static QueueNode afterAll(String made) {
		return new QueueNode(made, made, -1);
	}

	/**
	 * Return those children of a lock's node that have a place in its queue.
	 */
	static List<QueueNode> of(List<String> children) {
		return children.stream()
			.map(NAME::matcher)
			.filter(Matcher::matches)
			.map((match) -> new QueueNode(match.group(), match.group(1), Integer.parseInt(match.group(2))))
			.toList();
	}

	/**
	 * Return whether the numbers of this lock's node are used up. After the highest
	 * number ZooKeeper gives a negative one or the highest again, so that such nodes have
	 * no order.
	 */
	boolean isBeyondTheLastNumber() {
		return this.number < 0 || this.number == Integer.MAX_VALUE;
	}

	/**
	 * Return those nodes whose owners do not wait.
	 */
	static List<QueueNode> granted(List<QueueNode> all) {
		return all.stream()
			.filter((node) -> !node.isBeyondTheLastNumber() && node.before(all).size() < node.permits())
			.toList();
	}

	/**
	 * Return how many owners there may be.
	 */
	private int permits() {
		Matcher parts = MADE.matcher(this.made);
		return (parts.matches() && parts.group(1) != null) ? Integer.parseInt(parts.group(1)) : 1;
	}

	/**
	 * Return the name of the owner.
	 */
	String owner() {
		Matcher parts = MADE.matcher(this.made);
		return parts.matches() ? parts.group(2) : "";
	}

	/**
	 * Return the nodes in front of this one for which it waits.
	 */
	List<QueueNode> before(List<QueueNode> all) {
		return all.stream().filter(this::isBehind).toList();
	}

	/**
	 * Return whether the same owner has made this node and another one, in two tries.
	 */
	boolean isTwinOf(QueueNode other) {
		return this.made.equals(other.made) && this.number != other.number;
	}

	/**
	 * Return whether this node waits for another one.
	 */
	boolean isBehind(QueueNode other) {
		boolean matters = this.name.startsWith(WRITER) || other.name.startsWith(WRITER);
		return matters && other.isBefore(this) && !other.isTwinOf(this);
	}

	private boolean isBefore(QueueNode other) {
		// a negative number comes after the highest one
		return Integer.compareUnsigned(this.number, other.number) < 0;
	}

}
