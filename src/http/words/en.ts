/** English: the texts that every other language has too. */
import { access } from './en/access.ts';
import { account } from './en/account.ts';
import { accountApps } from './en/account-apps.ts';
import { accountDevices } from './en/account-devices.ts';
import { accountEmail } from './en/account-email.ts';
import { accountMethods } from './en/account-methods.ts';
import { browser } from './en/browser.ts';
import { consent } from './en/consent.ts';
import { email } from './en/email.ts';
import { externalSignIn } from './en/external-sign-in.ts';
import { factor } from './en/factor.ts';
import { formPost } from './en/form-post.ts';
import { frame } from './en/frame.ts';
import { home } from './en/home.ts';
import { interaction } from './en/interaction.ts';
import { logout } from './en/logout.ts';
import { mail } from './en/mail.ts';
import { problems } from './en/problems.ts';
import { signIn } from './en/sign-in.ts';
import { unverified } from './en/unverified.ts';

export const words = {
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

/** All texts of the pages: plain text, or functions from plain text to plain text. Views escape what they put on a page. */
export type Words = typeof words;
