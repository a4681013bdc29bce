/**
 * Every page and every form of the console: its path, its place in the navigation, the scope that it needs, and its
 * function.
 */
import { CLIENT_ACTIONS, CLIENT_SCREENS } from './clients.ts';
import { CONFIGURATION_SCREENS } from './configuration.ts';
import { DRAFT_ACTIONS, DRAFT_SCREENS } from './drafts.ts';
import { END_USER_ACTIONS, END_USER_SCREENS } from './end-user.ts';
import { END_USERS_ACTIONS, END_USERS_SCREENS } from './end-users.ts';
import { FIND_ACTIONS, FIND_SCREENS } from './find.ts';
import { GRANT_ACTIONS, GRANT_SCREENS } from './grants.ts';
import { KEY_ACTIONS, KEY_SCREENS } from './keys.ts';
import { LEDGER_SCREENS } from './ledger.ts';
import { LEDGER_VERIFY_ACTIONS, LEDGER_VERIFY_SCREENS } from './ledger-verify.ts';
import { MACHINE_SCREENS } from './machines.ts';
import { MAIL_ACTIONS, MAIL_SCREENS } from './mails.ts';
import { OVERVIEW_SCREENS } from './overview.ts';
import { SECRET_ACTIONS, SECRET_SCREENS } from './secrets.ts';
import { SENT_LINK_ACTIONS, SENT_LINK_SCREENS } from './sent-links.ts';
import { SESSION_ACTIONS, SESSION_SCREENS } from './sessions.ts';
import { SETTING_SCREENS } from './settings.ts';
import type { Action, Screen } from './shown.ts';
import { TRUSTED_BROWSER_ACTIONS } from './trusted-browsers.ts';
import { WEBHOOK_ACTIONS, WEBHOOK_SCREENS } from './webhooks.ts';

export const SCREENS: readonly Screen[] = [
  ...OVERVIEW_SCREENS,
  ...FIND_SCREENS,
  ...MACHINE_SCREENS,
  ...CLIENT_SCREENS,
  ...END_USERS_SCREENS,
  ...END_USER_SCREENS,
  ...SENT_LINK_SCREENS,
  ...GRANT_SCREENS,
  ...SESSION_SCREENS,
  ...KEY_SCREENS,
  ...WEBHOOK_SCREENS,
  ...LEDGER_SCREENS,
  ...LEDGER_VERIFY_SCREENS,
  ...CONFIGURATION_SCREENS,
  ...SETTING_SCREENS,
  ...SECRET_SCREENS,
  ...MAIL_SCREENS,
  ...DRAFT_SCREENS,
];

export const ACTIONS: readonly Action[] = [
  ...FIND_ACTIONS,
  ...CLIENT_ACTIONS,
  ...END_USERS_ACTIONS,
  ...END_USER_ACTIONS,
  ...SENT_LINK_ACTIONS,
  ...GRANT_ACTIONS,
  ...SESSION_ACTIONS,
  ...TRUSTED_BROWSER_ACTIONS,
  ...KEY_ACTIONS,
  ...WEBHOOK_ACTIONS,
  ...LEDGER_VERIFY_ACTIONS,
  ...SECRET_ACTIONS,
  ...MAIL_ACTIONS,
  ...DRAFT_ACTIONS,
];
