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
    };
  },

  papers: () => [...document.querySelectorAll('.paper')].map((one) => one.getBoundingClientRect().toJSON()),

  async scaleOfImage() {
    const image = document.querySelector('img');
    await image.decode();
    return image.width / image.naturalWidth;
  },

  /** Of one pixel of a picture (PNG in base64), 0 to 255. */
  async brightness(png) {
    const image = new Image();
    image.src = `data:image/png;base64,${png}`;
    await image.decode();
    const context = document.createElement('canvas').getContext('2d');
    context.drawImage(image, 0, 0);
    return context.getImageData(30, 12, 1, 1).data[0];
  },
};
globalThis.inPage = inPage;
