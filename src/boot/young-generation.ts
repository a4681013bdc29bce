/**
 * The size of V8's young generation (docs/performance.md). With less, the threads of the garbage collector cost a
 * rotation up to as much as its own work. With more, they cost little less. A running program cannot change V8's own
 * bound (`--max-semi-space-size`).
 */
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

/** Both halves: V8 allocates in one. */
const BYTES = 32 * 2 ** 20;
const LOOK_MILLISECONDS = 1000;

/**
 * V8 doubles the size under load, and makes it small again when the program is idle. Growth ends at the bound, and
 * begins again below.
 * @returns a function that ends this.
 */
export function boundYoungGeneration({ bytes = BYTES, lookMilliseconds = LOOK_MILLISECONDS } = {}): () => void {
  let growth = 0;
  const look = () => {
    const next = 2 * youngGenerationBytes() > bytes ? 1 : 2;
    if (next !== growth) setFlagsFromString(`--semi-space-growth-factor=${next}`);
    growth = next;
  };
  look();
  const timer = setInterval(look, lookMilliseconds).unref();
  return () => clearInterval(timer);
}

const youngGenerationBytes = (): number =>
  getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space')?.space_size ?? 0;
