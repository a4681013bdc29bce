/** Shows a password that the end-user types. Without a script, the buttons stay hidden. */
(() => {
  for (const button of document.querySelectorAll('button[data-reveals]')) {
    const field = document.getElementById(button.dataset.reveals);
    const show = button.textContent;
    const reveal = (isShown) => {
      field.type = isShown ? 'text' : 'password';
      button.textContent = isShown ? button.dataset.hide : show;
    };
    button.hidden = false;
    button.addEventListener('click', () => reveal(field.type === 'password'));
    // Browsers remember what was typed into a field of text.
    field.form.addEventListener('submit', () => reveal(false));
  }
  // A password manager fills in a hidden password for one identifier. It is not for another that the end-user types.
  const filled = document.querySelector('input[data-filled]');
  filled?.form.elements.username.addEventListener('input', ({ inputType }) => {
    if (inputType) filled.value = '';
  });
})();
