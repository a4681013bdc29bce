import { expect, it } from 'vitest';
import { withoutMail } from '../../../src/config/configuration-warnings.ts';
import { shippedConfiguration } from '../../support/app.ts';

const DATABASE = 'postgres://localhost/statehouse';
const SMTP = { host: 'mail.example' } as never;
const policy = (codeByMail: boolean) => ({ signIn: { ...shippedConfiguration.signIn, codeByMail } });

it.each([
  ['a code by mail without a mail server', true, { smtp: null, databaseUrl: DATABASE }, true],
  ['a code by mail with a mail server', true, { smtp: SMTP, databaseUrl: DATABASE }, false],
  ['a code by mail on the embedded database, which prints mails', true, { smtp: null, databaseUrl: null }, false],
  ['no code by mail', false, { smtp: null, databaseUrl: DATABASE }, false],
])('knows whether to warn: %s', (_, codeByMail, environment, warns) => {
  const warnings = withoutMail(environment, policy(codeByMail));
  expect(warnings).toHaveLength(warns ? 1 : 0);
  for (const warning of warnings) expect(warning).toMatch(/^sign-in\.yaml: codeByMail .*STATEHOUSE_SMTP_URL/);
});
