package io.distributedlock.spi.support;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class QuestionStateTests {

	private final QuestionState question = new QuestionState();

	@Test
	void onlyOneQuestionIsUnderWay() {
		assertThat(this.question.begin()).isTrue();
		assertThat(this.question.begin()).isFalse();
		assertThat(this.question.end()).isFalse();
		assertThat(this.question.begin()).isTrue();
	}

	@Test
	void signalDuringAQuestionDemandsOneMore() {
		this.question.begin();
		assertThat(this.question.signal()).isFalse();
		assertThat(this.question.signal()).isFalse();
		assertThat(this.question.end()).isTrue();
		assertThat(this.question.begin()).isTrue();
		assertThat(this.question.end()).as("two signals demand one question").isFalse();
	}

	@Test
	void signalWithoutAQuestionIsForTheCallerToAsk() {
		assertThat(this.question.signal()).isTrue();
		assertThat(this.question.begin()).isTrue();
		assertThat(this.question.end()).isFalse();
	}

}
