import type { externalSignIn as english } from '../en/external-sign-in.ts';

export const externalSignIn: typeof english = {
  or: 'Oder',
  continueWith: (label) => `Weiter mit ${label}`,
  back: 'Zurück zur Anmeldung',
  backToAccount: 'Zurück zu Ihrem Konto',
  problems: {
    unknown: {
      title: 'Diese Anmeldung ist nicht bekannt',
      what: 'Es gibt sie nicht, oder sie wurde vor einiger Zeit aufgeräumt. Niemand wurde angemeldet.',
    },
    expired: {
      title: 'Das hat zu lange gedauert',
      what: 'Die Anmeldung war länger offen, als sie darf. Beginnen Sie noch einmal.',
    },
    anotherBrowser: {
      title: 'Diese Anmeldung hat in einem anderen Browser begonnen',
      what: 'Eine Anmeldung kann nur in dem Browser enden, in dem sie begonnen hat. Wenn Sie sie nicht hier begonnen haben, wollte Sie vielleicht jemand als eine andere Person anmelden. Niemand wurde angemeldet.',
    },
    answered: {
      title: 'Schon beantwortet',
      what: 'Diese Antwort war schon einmal hier, und sie zählt nur einmal. Niemand wurde noch einmal damit angemeldet.',
    },
    unanswered: {
      title: 'Noch hat sich niemand angemeldet',
      what: 'Die andere Seite hat nicht gesagt, wer Sie sind. Melden Sie sich zuerst dort an.',
    },
    overtaken: {
      title: 'Sie haben sich inzwischen angemeldet',
      what: 'Nach dieser Anmeldung haben Sie eine andere begonnen, und sie ist gelungen. Diese zählt nicht mehr.',
    },
    denied: {
      title: 'Sie haben sich nicht angemeldet',
      what: 'Die andere Seite sagt, dass sich niemand angemeldet hat. Deshalb wurde auch hier niemand angemeldet.',
    },
    notAdmitted: {
      title: 'Dieses Konto wird hier nicht angenommen',
      what: 'Sie haben sich dort angemeldet, aber dieser Server nimmt das Konto nicht an. Melden Sie sich dort mit einem anderen an, oder fragen Sie die Betreiber dieses Servers.',
    },
    nobodyLinked: {
      title: 'Dieses Konto ist hier mit keinem Konto verknüpft',
      what: 'Melden Sie sich hier auf einem anderen Weg an. Verknüpfen Sie das Konto dann auf der Seite Ihres Kontos, und beim nächsten Mal meldet es Sie an.',
    },
    linkedElsewhere: {
      title: 'Dieses Konto ist mit einer anderen Person verknüpft',
      what: 'Es meldet hier eine andere Person an, und ein Konto meldet nur eine Person an. Nichts wurde geändert.',
    },
    userEnded: {
      title: 'Sie können sich hier nicht anmelden',
      what: 'Ihr Konto hier wurde gesperrt. Fragen Sie die Betreiber dieses Servers.',
    },
    tooOld: {
      title: 'Die andere Seite hat Sie nicht noch einmal gefragt',
      what: 'Die App möchte, dass Sie sich neu anmelden. Die andere Seite sagt, dass Sie sich früher angemeldet haben, oder sie sagt nicht, wann.',
    },
    unreachable: {
      title: 'Die andere Seite ist nicht erreichbar',
      what: 'Sie antwortet nicht oder nicht rechtzeitig. Nichts wurde geändert. Versuchen Sie es gleich noch einmal, oder melden Sie sich auf einem anderen Weg an.',
    },
    invalid: {
      title: 'Der Antwort der anderen Seite ist nicht zu trauen',
      what: 'Sie hat nicht bewiesen, wer Sie sind. Deshalb wurde niemand angemeldet. Versuchen Sie es noch einmal. Wenn es wieder geschieht, sagen Sie es den Betreibern dieses Servers.',
    },
    refused: {
      title: 'Die andere Seite hat Sie nicht eingelassen',
      what: 'Sie hat die Anmeldung abgelehnt. Versuchen Sie es noch einmal, oder melden Sie sich auf einem anderen Weg an.',
    },
    off: {
      title: 'Diesen Weg zur Anmeldung gibt es nicht mehr',
      what: 'Er wurde inzwischen entfernt. Melden Sie sich auf einem anderen Weg an.',
    },
    throttled: {
      title: 'Zu viele Anmeldungen',
      what: 'Aus Ihrem Netz wurden zu viele Anmeldungen begonnen. Warten Sie einige Minuten und versuchen Sie es dann noch einmal.',
    },
  },
  linked: {
    none: 'Es ist kein Konto verknüpft.',
    intro: 'Konten bei anderen Anbietern, mit denen Sie sich hier anmelden können.',
    since: (date) => `verknüpft am ${date}`,
    remove: (label) => `${label} entfernen`,
    link: (label) => `${label} verknüpfen`,
    linkIntro: 'Um ein weiteres Konto zu verknüpfen, melden Sie sich jetzt dort an.',
    justLinked: 'Das Konto ist verknüpft. Von nun an meldet es Sie an.',
    justRemoved: 'Das Konto wurde entfernt. Es meldet Sie nicht mehr an.',
    unknown: 'Dieses Konto ist nicht mehr verknüpft.',
    lastWay:
      'Den letzten Weg zur Anmeldung können Sie nicht entfernen. Setzen Sie zuerst ein Passwort, oder verknüpfen Sie ein anderes Konto.',
  },
};
