import type { accountDevices as english } from '../en/account-devices.ts';

export const accountDevices: typeof english = {
  stays:
    'Apps, denen Sie etwas erlaubt haben, laufen weiter, wenn Sie sich irgendwo abmelden. Deren Zugriff beenden Sie unter „Was Sie erlaubt haben“.',
  thisBrowser: '(dieser Browser)',
  signedIn: (signedIn, how, lastUsed) => `Angemeldet am ${signedIn} mit ${how}, zuletzt verwendet am ${lastUsed}.`,
  signOutHere: 'Hier abmelden',
  signOutThere: 'Dort abmelden',
  signOutOf: (browser) => `${browser} abmelden`,
  endOthers: 'Überall sonst abmelden',
  endOthersAbout: 'Jeder andere Browser muss sich danach neu anmelden.',
  done: {
    one: 'Dort abgemeldet. Dieser Browser muss sich neu anmelden.',
    others: 'Überall sonst abgemeldet. Nur dieser Browser ist noch angemeldet.',
  },
  methods: {
    pwd: 'einem Passwort',
    otp: 'einem Einmalcode',
    hwk: 'einem Passkey',
    swk: 'einem Passkey',
    pop: 'einem Passkey',
    fed: 'einem anderen Anbieter',
    kba: 'Antworten auf Fragen',
    sms: 'einer Textnachricht',
  },
  anotherWay: 'einem anderen Verfahren',
};
