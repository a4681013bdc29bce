// Keeps the numbers of a page up to date. Without it, a reload shows the new ones.
const source = document.querySelector('[data-events]');
if (source) {
  const events = new EventSource(source.dataset.events);
  const status = document.getElementById('live-status');
  const say = (words) => {
    if (status && status.textContent !== words) status.textContent = words;
  };
  events.addEventListener('numbers', ({ data }) => {
    const numbers = JSON.parse(data);
    // An arm that was not taken is not told.
    for (const shown of document.querySelectorAll('[data-number]')) {
      const values = shown.dataset.number.split('|').map((key) => numbers[key] ?? 0);
      const text =
        typeof values[0] === 'string'
          ? values[0]
          : values.reduce((sum, value) => sum + value, 0).toLocaleString('en-GB');
      if (shown.textContent !== text) shown.textContent = text;
    }
    say('The numbers follow by themselves.');
  });
  // The sign-in has to be renewed, which a page does by itself while the person is signed in.
  events.addEventListener('renew', () => {
    events.close();
    location.reload();
  });
  events.addEventListener('error', () => {
    say(
      events.readyState === EventSource.CLOSED
        ? 'The numbers stand still. Reload the page for new ones.'
        : 'The numbers stand still for a moment: connecting again.',
    );
  });
}
