// Shows instants in the time zone of the browser. Without it, they are in UTC.
const zoned = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  timeZoneName: 'short',
});
function showLocalTimes() {
  for (const shown of document.querySelectorAll('time[datetime]:not([title])')) {
    shown.title = shown.textContent;
    shown.textContent = zoned.format(new Date(shown.dateTime));
  }
}
document.addEventListener('statehouse:shown', showLocalTimes);
showLocalTimes();
