/** Copies, downloads and prints the recovery codes of the page. Without a script, the buttons stay hidden. */
(() => {
  const codes = document.querySelector('[data-codes]');
  const choices = document.querySelector('[data-codes-file]');
  const said = document.querySelector('[data-copied]');
  const lines = [...codes.querySelectorAll('p, code')].map((line) => line.textContent.trim());
  const text = `${lines.join('\n')}\n`;
  const does = {
    copy: () =>
      navigator.clipboard.writeText(text).then(
        () => {
          said.textContent = said.dataset.copied;
        },
        // The end-user copies them by hand.
        () => getSelection().selectAllChildren(codes),
      ),
    download: () => {
      // The codes are in memory alone: the name of a blob is random.
      const url = URL.createObjectURL(new Blob([text], { type: 'text/plain' }));
      const link = document.createElement('a');
      link.href = url;
      link.download = choices.dataset.codesFile;
      link.click();
      setTimeout(() => URL.revokeObjectURL(url), 10_000);
    },
    print: () => print(),
  };
  for (const button of choices.querySelectorAll('button')) {
    button.addEventListener('click', does[button.dataset.does]);
    // Browsers give the clipboard to secure pages alone.
    button.hidden = button.dataset.does === 'copy' && !navigator.clipboard;
  }
  choices.hidden = false;
})();
