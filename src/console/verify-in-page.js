// Verifies the next part of the ledger by itself, until the result stands there. Without it, the button does.
async function continueWith(form) {
  form.querySelector('button').hidden = true;
  await new Promise((resolve) => setTimeout(resolve, Number(form.dataset.wait)));
  const answer = await fetch(form.action, { method: 'POST', body: new URLSearchParams(new FormData(form)) });
  const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
  const next = page.getElementById('verification');
  // A notice, such as that the sign-in ended: the browser shows it.
  if (next === null) return form.submit();
  const shown = document.getElementById('verification');
  shown.replaceChildren(...next.childNodes);
  shown.setAttribute('aria-busy', next.getAttribute('aria-busy'));
  document.dispatchEvent(new Event('statehouse:shown'));
  proceed();
}
function proceed() {
  const form = document.querySelector('form[data-wait]');
  if (form === null) return;
  continueWith(form).catch(() => {
    form.querySelector('button').hidden = false;
  });
}
proceed();
