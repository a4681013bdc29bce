/** What the proof holds of a machine: each invariant says which machines it is about. */
export { invariantsAbout as invariantsOf } from '../proof/prove.ts';
