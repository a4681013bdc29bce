/** @fast-check/vitest writes its seed into the names of tests. With a seed of its own each run would not find the tests of another. */
import { configureGlobal } from 'fast-check';

configureGlobal({ seed: 1 });
