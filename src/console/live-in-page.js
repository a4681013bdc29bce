// Keeps the numbers of a page up to date. Without it, a reload shows the new ones.
const source = document.querySelector('[data-events]');
const FIRST_WAIT = 2000;
const LONGEST_WAIT = 60_000;
let wait = FIRST_WAIT;

function say(words) {
  const status = document.getElementById('live-status');
  if (status && status.textContent !== words) status.textContent = words;
}

function show(numbers) {
  for (const shown of document.querySelectorAll('[data-number]')) {
    // An arm that was not taken is not told.
    const values = shown.dataset.number.split('|').map((key) => numbers[key] ?? 0);
    const text =
      typeof values[0] === 'string' ? values[0] : values.reduce((sum, value) => sum + value, 0).toLocaleString('en-GB');
    if (shown.textContent !== text) shown.textContent = text;
  }
}

function connect() {
  const events = new EventSource(source.dataset.events);
  events.addEventListener('numbers', ({ data }) => {
    wait = FIRST_WAIT;
    show(JSON.parse(data));
    say('The numbers follow by themselves.');
  });
  // The sign-in has to be renewed, which a page does by itself while the person is signed in.
  events.addEventListener('renew', () => {
    events.close();
    location.reload();
  });
  events.addEventListener('error', () => {
    if (events.readyState === EventSource.CLOSED) connectLater();
    else say('The numbers stand still for a moment: connecting again.');
  });
}

// After a response other than 200, such as a proxy's 503, a browser does not connect again by itself.
function connectLater() {
  say('The numbers stand still. Reload the page for new ones.');
  setTimeout(connect, wait);
  wait = Math.min(2 * wait, LONGEST_WAIT);
}

if (source) connect();
