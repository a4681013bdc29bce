/** Tests keep mails as the scenarios do. */
export { keptMails, linkIn, type Mails } from '../../src/review/simulation/server/mails.ts';
