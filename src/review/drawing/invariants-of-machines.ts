/** The invariants of a machine in the model check: each invariant names its machines. */
export { invariantsAbout as invariantsOf } from '../proof/prove.ts';
