/** German, formal. */
import { access } from './de/access.ts';
import { account } from './de/account.ts';
import { accountApps } from './de/account-apps.ts';
import { accountDevices } from './de/account-devices.ts';
import { accountEmail } from './de/account-email.ts';
import { accountMethods } from './de/account-methods.ts';
import { browser } from './de/browser.ts';
import { consent } from './de/consent.ts';
import { email } from './de/email.ts';
import { externalSignIn } from './de/external-sign-in.ts';
import { factor } from './de/factor.ts';
import { formPost } from './de/form-post.ts';
import { frame } from './de/frame.ts';
import { home } from './de/home.ts';
import { interaction } from './de/interaction.ts';
import { logout } from './de/logout.ts';
import { mail } from './de/mail.ts';
import { problems } from './de/problems.ts';
import { signIn } from './de/sign-in.ts';
import { unverified } from './de/unverified.ts';
import type { Words } from './en.ts';

export const words: Words = {
  access,
  account,
  accountApps,
  accountDevices,
  accountEmail,
  accountMethods,
  browser,
  consent,
  email,
  externalSignIn,
  factor,
  formPost,
  frame,
  home,
  interaction,
  logout,
  mail,
  problems,
  signIn,
  unverified,
};
