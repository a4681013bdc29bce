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
    'GET /account/devices': pages.page(SECTION, async (visit, request, reply) => {
      const done = DONE.get(queryOf(request));
      const browsers = await signedInBrowsers(options, visit.session);
      const reader = { userId: visit.session.userId, languages: [visit.look.locale, visit.look.language] };
      return pages.send(reply, visit, SECTION, {
        done: done ? visit.look.words.accountDevices.done[done] : null,
        content: devices(visit.look, {
          end: pages.pathOf(SECTION, '/end'),
          endOthers: pages.pathOf(SECTION, '/end-others'),
          trust: {
            end: pages.pathOf(SECTION, '/end-trust'),
            endAll: pages.pathOf(SECTION, '/end-all-trust'),
            browsers: await listTrustedBrowsers(options, visit.session.userId),
          },
          csrf: pages.csrf(request, reply, visit),
          browsers,
          origins: await originsOf(options, reader, browsers),
        }),
      });
    }),
    'POST /account/devices/end': pages.form(SECTION, async ({ session }, request, reply) => {
      const sid = sentField(request, 'session');
      const outcome = await endDevice(options, session, sid);
      if (outcome.kind === 'formRefused') return refuseForm(request, reply);
      const { hasEnded } = outcome;
      setLogLine(request, 'session ended', { userId: session.userId, sid, hasEnded });
      return pages.goTo(reply, SECTION, 'ended');
    }),
    'POST /account/devices/end-others': pages.form(SECTION, async ({ session }, request, reply) => {
      const { ended } = await endOtherDevices(options, session);
      setLogLine(request, 'other sessions ended', { userId: session.userId, ended });
      return pages.goTo(reply, SECTION, 'ended-others');
    }),
    'POST /account/devices/end-trust': pages.form(SECTION, async ({ session }, request, reply) => {
      await endTrust(options, session, sentField(request, 'id'));
      setLogLine(request, 'trust of a browser ended', { userId: session.userId });
      return pages.goTo(reply, SECTION, 'ended-trust');
    }),
    'POST /account/devices/end-all-trust': pages.form(SECTION, async ({ session }, request, reply) => {
      await endAllTrust(options, session);
      setLogLine(request, 'trust of all browsers ended', { userId: session.userId });
      return pages.goTo(reply, SECTION, 'ended-all-trust');
    }),
  };
}
