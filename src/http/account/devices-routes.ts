/** /account/devices: the sessions of the end-user, and how to end each, or all others. */
import { type DevicesDeps, endDevice, endOtherDevices } from '../../people/account/devices.ts';
import { type OriginDeps, originsOf } from '../../people/account/origins.ts';
import { endAllTrust, endTrust, listTrustedBrowsers, type TrustDeps } from '../../people/trust/trust.ts';
import { signedInBrowsers } from '../../protocol/signed-in-browsers.ts';
import { queryOf, sentField } from '../form-body.ts';
import { refuseForm } from '../form-refused.ts';
import { setLogLine } from '../request-log.ts';
import { devices } from '../views/account/devices.ts';
import type { AccountPages } from './pages.ts';
import type { SectionHandlers } from './route-names.ts';

export type DevicesRoutesOptions = DevicesDeps & OriginDeps & Pick<TrustDeps, 'trustedBrowsers'>;

const SECTION = 'devices';
const DONE: ReadonlyMap<string, 'one' | 'others' | 'trust' | 'allTrust'> = new Map([
  ['ended', 'one'],
  ['ended-others', 'others'],
  ['ended-trust', 'trust'],
  ['ended-all-trust', 'allTrust'],
] as const);

export function devicesHandlers(pages: AccountPages, options: DevicesRoutesOptions): SectionHandlers<'devices'> {
  return {
    'GET /account/devices': pages.page(SECTION, async (visit) => {
      const done = DONE.get(queryOf(visit.request));
      const browsers = await signedInBrowsers(options, visit.session);
      const reader = { userId: visit.session.userId, languages: [visit.look.locale, visit.look.language] };
      return visit.send({
        done: done ? visit.look.words.accountDevices.done[done] : null,
        content: devices(visit.look, {
          end: visit.pathOf('/end'),
          endOthers: visit.pathOf('/end-others'),
          trust: {
            end: visit.pathOf('/end-trust'),
            endAll: visit.pathOf('/end-all-trust'),
            browsers: await listTrustedBrowsers(options, visit.session.userId),
          },
          csrf: visit.csrf(),
          browsers,
          origins: await originsOf(options, reader, browsers),
        }),
      });
    }),
    'POST /account/devices/end': pages.form(SECTION, async ({ session, request, reply, goBack }) => {
      const sid = sentField(request, 'session');
      const outcome = await endDevice(options, session, sid);
      if (outcome.kind === 'formRefused') return refuseForm(request, reply);
      const { hasEnded } = outcome;
      setLogLine(request, 'session ended', { userId: session.userId, sid, hasEnded });
      return goBack('ended');
    }),
    'POST /account/devices/end-others': pages.form(SECTION, async ({ session, request, goBack }) => {
      const { ended } = await endOtherDevices(options, session);
      setLogLine(request, 'other sessions ended', { userId: session.userId, ended });
      return goBack('ended-others');
    }),
    'POST /account/devices/end-trust': pages.form(SECTION, async ({ session, request, goBack }) => {
      await endTrust(options, session, sentField(request, 'id'));
      setLogLine(request, 'trust of a browser ended', { userId: session.userId });
      return goBack('ended-trust');
    }),
    'POST /account/devices/end-all-trust': pages.form(SECTION, async ({ session, request, goBack }) => {
      await endAllTrust(options, session);
      setLogLine(request, 'trust of all browsers ended', { userId: session.userId });
      return goBack('ended-all-trust');
    }),
  };
}
