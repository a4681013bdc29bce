import type { interaction as english } from '../en/interaction.ts';

export const interaction: typeof english = {
  interaction_unknown: {
    title: 'Diese Anmeldung ist nicht bekannt',
    what: 'Es gibt sie nicht, oder sie wurde vor einiger Zeit gelöscht.',
    next: 'Gehen Sie zur App zurück und beginnen Sie von vorn.',
  },
  another_browser: {
    title: 'Diese Seite gehört zu einem anderen Browser',
    what: 'Eine Anmeldung kann nur in dem Browser weitergehen, in dem sie begonnen hat; dieser bewahrt dafür ein Cookie auf. Ihr Browser hat keines gesendet, oder ein anderes.',
    next: 'Erlauben Sie Cookies für diese Website, gehen Sie zur App zurück und beginnen Sie von vorn.',
  },
  form_refused: {
    title: 'Dieses Formular kann nicht angenommen werden',
    what: 'Es wurde nicht von diesem Server für diesen Browser erstellt, oder es wurde unterwegs verändert. Es ist nichts geschehen.',
    next: 'Gehen Sie zur App zurück und beginnen Sie von vorn.',
  },
  interaction_expired: {
    title: 'Das hat zu lange gedauert',
    what: 'Die Anmeldung war länger offen, als sie es sein darf, und wurde deshalb beendet.',
    next: 'Gehen Sie zur App zurück und beginnen Sie von vorn.',
  },
  interaction_completed: {
    title: 'Schon beantwortet',
    what: 'Sie haben diese Frage schon beantwortet, und dabei bleibt es.',
    next: 'Gehen Sie zur App zurück. Wenn Sie dort nicht hineinkommen, beginnen Sie dort von vorn.',
  },
  client_ended: {
    title: 'Diese App ist nicht mehr registriert',
    what: 'Die App, von der Sie kommen, wurde entfernt, oder ihr Zugriff wurde vollständig beendet, während diese Seite offen war.',
    next: 'Gehen Sie zur App zurück und beginnen Sie von vorn, oder fragen Sie ihre Hersteller.',
  },
};
