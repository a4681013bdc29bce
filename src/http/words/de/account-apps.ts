import type { accountApps as english } from '../en/account-apps.ts';

export const accountApps: typeof english = {
  title: 'Was Sie erlaubt haben',
  none: 'Sie haben keiner App etwas erlaubt, oder alles davon ist beendet. Wenn Sie sich bei einer App anmelden und ihr etwas erlauben, steht sie hier.',
  more: 'Dies sind die neuesten. Die übrigen erscheinen, wenn Sie einige von diesen beenden.',
  ended:
    'Beendet. Diese App bekommt nichts Neues und muss Sie wieder fragen. Was sie schon hat, endet von selbst, spätestens in einer Stunde.',
  holdsNothing: 'Zurzeit hat sie keinen Zugriff. Wenn Sie sich dort wieder anmelden, bekommt sie ihn ohne Rückfrage.',
  since: (since) => `Erlaubt seit ${since}.`,
  asksAgainFrom: (day) => `Bis ${day} muss die App Sie nicht noch einmal fragen.`,
  neverUsed: 'Noch nicht verwendet.',
  lastUsed: (lastUsed) => `Zuletzt verwendet am ${lastUsed}.`,
  end: (client) => `Zugriff von ${client} beenden`,
  mayAt: (resource) => `Bei ${resource} darf sie:`,
  may: 'Die App darf:',
  letInAt: (resource) => `Bei ${resource} hat sie Zutritt, ohne eine der Berechtigungen, die es dort gibt.`,
};
