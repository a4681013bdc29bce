/** Runs in the page, which the compiler of the tests knows nothing of: what the browser has made of a picture. */
const inPage = {
  look() {
    const box = (element) => {
      const { left, top, right, bottom } = element.getBoundingClientRect();
      return { what: (element.textContent ?? '').trim().slice(0, 60), left, top, right, bottom };
    };
    const rects = [...document.querySelectorAll(':is(g.state, g.card)[transform] > rect:first-child')];
    const blocks = rects.map((rect) => rect.parentElement);
    const onLines = [...document.querySelectorAll('.line')].flatMap((line) => {
      const length = line.getTotalLength();
      const frame = line.getScreenCTM();
      const steps = Math.floor(length / 4);
      return Array.from({ length: steps }, (_, step) => {
        const { x, y } = line.getPointAtLength((length * step) / steps).matrixTransform(frame);
        return { what: `a line at ${Math.round(x)}, ${Math.round(y)}`, x, y };
      });
    });
    return {
      texts: [...document.querySelectorAll('text')].map((text) => {
        const within = blocks.findIndex((block) => block.contains(text));
        return { ...box(text), within: within < 0 ? null : within };
      }),
      blocks: rects.map((rect) => ({ ...box(rect), what: rect.parentElement.querySelector('text').textContent })),
      onLines,
      paper: box(document.querySelector('.paper')),
      arrows: [...document.querySelectorAll('g.arrow')].map((arrow) => {
        const lines = [...arrow.querySelectorAll('.line')];
        const ends = lines.map((line) => [line.getPointAtLength(0), line.getPointAtLength(line.getTotalLength())]);
        const [tip] = arrow
          .querySelector('.tip')
          .getAttribute('d')
          .match(/-?[\d.]+ -?[\d.]+/);
        const [x, y] = tip.split(' ').map(Number);
        // A picture that is shown smaller has other pixels than its own.
        const frame = arrow.getScreenCTM();
        const points = [...ends.flat(), new DOMPoint(x, y)].map((point) => {
          const { x: left, y: top } = point.matrixTransform(frame);
          return { x: left, y: top };
        });
        return { title: arrow.querySelector('title').textContent, points };
      }),
    };
  },

  /** How wide the texts are held to be, beside how wide the font would have them. */
  heldWidths() {
    let [held, natural] = [0, 0];
    for (const text of document.querySelectorAll('text')) {
      held += Number(text.getAttribute('textLength'));
      text.removeAttribute('textLength');
      natural += text.getComputedTextLength();
    }
    return held / natural;
  },

  papers: () => [...document.querySelectorAll('.paper')].map((one) => one.getBoundingClientRect().toJSON()),

  async scaleOfImage() {
    const image = document.querySelector('img');
    await image.decode();
    return image.width / image.naturalWidth;
  },

  /** Of a pixel of the paper, above all words, in a picture (PNG in base64): 0 to 255. */
  async brightness(png) {
    const image = new Image();
    image.src = `data:image/png;base64,${png}`;
    await image.decode();
    const context = document.createElement('canvas').getContext('2d');
    context.drawImage(image, 0, 0);
    return context.getImageData(150, 4, 1, 1).data[0];
  },
};
globalThis.inPage = inPage;
