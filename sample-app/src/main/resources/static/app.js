'use strict';

const EVERY_MILLIS = 250;
const WINDOW_MILLIS = 60_000;
const TEXTS = {
	SENDING: 'sends messages', WAITING_TO_REFRESH: 'waits to refresh', REFRESHING: 'refreshes the token',
	PAUSED: 'pauses while the mode changes'
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

function showNodes(state) {
	byId('nodes').innerHTML = state.nodes.map((node) => {
		const report = node.report;
		const activity = report ? report.activity : 'DOWN';
		const text = report ? TEXTS[activity] : 'killed, restarts';
		const unlocked = state.mode === 'UNLOCKED' ? ' unlocked' : '';
		const sent = report ? report.sentLocked + report.sentUnlocked : 0;
		const refused = report ? report.failedLocked + report.failedUnlocked : 0;
		return `<article class="node"><h2>Node ${node.node} <small>${report ? 'pid ' + report.pid : ''}</small></h2>
			<span class="activity ${activity}${unlocked}">${text}</span>
			<p>${sent.toLocaleString('en')} sent, ${refused} refused</p>
			<button data-kill="${node.node}" ${node.killPending || !report ? 'disabled' : ''}>
			${node.killPending ? 'will be killed in its next refresh' : 'Kill it during a refresh'}</button></article>`;
	}).join('');
	const refreshing = state.nodes.filter((node) => node.report && node.report.activity === 'REFRESHING')
		.map((node) => node.node);
	const holderKilled = state.mode === 'LOCKED' && state.nodes.some((node) => !node.report)
		&& state.nodes.every((node) => !node.report || node.report.activity === 'WAITING_TO_REFRESH');
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
			shades += `<rect x="${x(before.at)}" y="0" width="${width + .5}" height="120" fill="#e3f3ec"/>`;
		}
		const tokens = sample.tokens - before.tokens, refused = sample.refused - before.refused;
		if (tokens > 0) {
			const height = Math.min(52, tokens * 14);
			bars += `<rect x="${x(sample.at) - 3}" y="${58 - height}" width="5" height="${height}" fill="#2f5fd0"/>`;
		}
		if (refused > 0) {
			bars += `<rect x="${x(sample.at) - 3}" y="62" width="5" height="${Math.min(52, refused * 14)}" fill="#c4314b"/>`;
		}
	}
	byId('timeline').innerHTML = shades + '<line x1="0" x2="1200" y1="60" y2="60" stroke="#cdd6e0"/>' + bars;
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
