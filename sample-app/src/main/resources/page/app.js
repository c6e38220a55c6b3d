'use strict';

const EVERY_MILLIS = 250;
const WINDOW_MILLIS = 60_000;
const TEXTS = {
	SENDING: 'sends messages', WAITING_TO_REFRESH: 'waits to refresh', REFRESHING: 'refreshes the token',
	PAUSED: 'pauses while the mode changes', DOWN: 'killed, restarts'
};
const samples = [];

const byId = (id) => document.getElementById(id);
const post = (path) => fetch(path, { method: 'POST' });

document.querySelectorAll('[data-mode]').forEach((button) =>
	button.addEventListener('click', () => post('/demo/mode/' + button.dataset.mode)));
byId('nodes').addEventListener('click', (event) => {
	const node = event.target.dataset.kill;
	if (node) {
		post('/demo/kill/' + node);
	}
});

function showFigures(state) {
	for (const figures of state.figures) {
		const card = byId('figures-' + figures.mode);
		card.classList.toggle('on', state.mode === figures.mode);
		card.querySelectorAll('[data-figure]').forEach((cell) => {
			const value = figures[cell.dataset.figure];
			cell.textContent = value.toLocaleString('en');
			cell.className = value > 0 ? 'some' : 'none';
		});
	}
	byId('unlocked').classList.toggle('on', state.mode === 'UNLOCKED');
	byId('locked').classList.toggle('on', state.mode === 'LOCKED');
	byId('alternating').textContent = state.alternating ? 'alternates until you choose' : '';
}

function card(number) {
	const cards = byId('nodes').children;
	if (cards.length < number) {
		byId('nodes').append(byId('node').content.cloneNode(true));
	}
	return cards[number - 1];
}

const millis = (value) => value === null ? '–' : value.toLocaleString('en', { maximumFractionDigits: value < 10 ? 1 : 0 }) + ' ms';

function lockTexts(locks) {
	if (!locks) {
		return { held: '–', waiting: '–', handOvers: '–', meanWait: '–', longestWait: '–', lost: '–', outcomes: '', health: '' };
	}
	const outcomes = Object.entries(locks.outcomes).map(([outcome, count]) => count.toLocaleString('en') + ' ' + outcome);
	return {
		held: locks.held, waiting: locks.waiting, handOvers: locks.handOvers, meanWait: millis(locks.meanWaitMillis),
		longestWait: millis(locks.longestWaitMillis), lost: locks.lost,
		outcomes: outcomes.length ? 'Calls: ' + outcomes.join(', ') : 'No calls yet',
		health: `${locks.provider} ${locks.status}${locks.roundTripMillis === null ? '' : ', ' + millis(locks.roundTripMillis)}`
	};
}

function showNode(node, mode) {
	const article = card(node.node);
	const up = node.url !== null;
	const texts = {
		title: 'Node ' + node.node, pid: up ? 'pid ' + node.pid : '', activity: TEXTS[node.activity],
		messages: `${node.sent.toLocaleString('en')} sent, ${node.refused} refused`, ...lockTexts(node.locks)
	};
	article.querySelectorAll('[data-text]').forEach((part) => part.textContent = texts[part.dataset.text]);
	article.querySelector('.activity').className = `activity ${node.activity}${mode === 'UNLOCKED' ? ' unlocked' : ''}`;
	article.querySelector('[data-text=health]').className = node.locks ? node.locks.status : '';
	article.querySelector('[data-text=lost]').className = !node.locks ? '' : node.locks.lost > 0 ? 'some' : 'none';
	article.querySelectorAll('[data-endpoint]').forEach((link) =>
		up ? link.href = node.url + '/actuator/' + link.dataset.endpoint : link.removeAttribute('href'));
	const button = article.querySelector('button');
	button.dataset.kill = node.node;
	button.disabled = node.killPending || !up;
	button.textContent = node.killPending ? 'will be killed in its next refresh' : 'Kill it during a refresh';
}

function showNodes(state) {
	state.nodes.forEach((node) => showNode(node, state.mode));
	const refreshing = state.nodes.filter((node) => node.activity === 'REFRESHING')
		.map((node) => node.node);
	const holderKilled = state.mode === 'LOCKED' && state.nodes.some((node) => node.activity === 'DOWN')
		&& state.nodes.every((node) => node.activity === 'DOWN' || node.activity === 'WAITING_TO_REFRESH');
	byId('holder').innerHTML = holderKilled ? '<b>The killed node still holds the lock</b>, until its lease of three seconds expires.'
		: refreshing.length === 0 ? 'No node refreshes: nobody holds the lock.'
		: state.mode === 'LOCKED' ? `<b>Node ${refreshing[0]} holds the lock</b> and refreshes.`
			: `Refreshing without the lock: node ${refreshing.join(', node ')}.`;
}

function showTimeline(state) {
	const now = Date.now();
	const sum = (name) => state.figures.reduce((total, figures) => total + figures[name], 0);
	samples.push({ at: now, locked: state.mode === 'LOCKED', tokens: sum('tokensIssued'), refused: sum('failed') });
	while (samples.length > 2 && now - samples[0].at > WINDOW_MILLIS) {
		samples.shift();
	}
	const x = (at) => 1200 - (now - at) * 1200 / WINDOW_MILLIS;
	let shades = '', bars = '';
	for (let i = 1; i < samples.length; i++) {
		const sample = samples[i], before = samples[i - 1];
		const width = x(sample.at) - x(before.at);
		if (sample.locked) {
			shades += `<rect x="${x(before.at)}" y="0" width="${width + .5}" height="120" class="shade"/>`;
		}
		const tokens = sample.tokens - before.tokens, refused = sample.refused - before.refused;
		if (tokens > 0) {
			const height = Math.min(52, tokens * 14);
			bars += `<rect x="${x(sample.at) - 3}" y="${58 - height}" width="5" height="${height}" class="token"/>`;
		}
		if (refused > 0) {
			bars += `<rect x="${x(sample.at) - 3}" y="62" width="5" height="${Math.min(52, refused * 14)}" class="refused"/>`;
		}
	}
	byId('timeline').innerHTML = shades + '<line x1="0" x2="1200" y1="60" y2="60"/>' + bars;
}

async function refresh() {
	try {
		const state = await (await fetch('/demo/state')).json();
		showFigures(state);
		showNodes(state);
		showTimeline(state);
	} catch (error) {
		byId('holder').textContent = 'The demonstration has ended.';
	}
	setTimeout(refresh, EVERY_MILLIS);
}

refresh();
