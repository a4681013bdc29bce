/** `notice`: a change of an account, and the way for its owner to undo it. Notices go first. */
export const MAIL_PURPOSES = ['notice', 'link'] as const;
export type MailPurpose = (typeof MAIL_PURPOSES)[number];
