package io.distributedlock.benchmarks.contention;

import java.util.List;
import java.util.Locale;

/**
 * A picture that can be read on light and on dark ground.
 */
final class Svg {

	static final int WIDTH = 860;

	static final String GREY = "#868e96";

	/**
	 * Neither too light for a white page nor too dark for a black one.
	 */
	private static final List<String> COLOURS = List.of("#f76707", "#228be6", "#37b24d", "#ae3ec9", "#e64980",
			"#1098ad", "#868e96", "#d9860a", "#7950f2", "#5c940d", "#fa5252", "#15aabf", "#a9825a", "#4c6ef5");

	private final StringBuilder text = new StringBuilder();

	Svg(int height, String title) {
		add("<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 %s %s' font-family='sans-serif' font-size='12'>",
				WIDTH, height);
		add("<title>%s</title>", title);
	}

	static String colour(int index) {
		return COLOURS.get(index % COLOURS.size());
	}

	/**
	 * Add an element.
	 * @param format its text, with single quotes
	 */
	@SuppressWarnings("AnnotateFormatMethod")
	void add(String format, Object... arguments) {
		this.text.append(String.format(Locale.ROOT, format, arguments).replace('\'', '"')).append('\n');
	}

	@Override
	public String toString() {
		return this.text + "</svg>\n";
	}

}
