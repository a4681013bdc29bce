/** The handlers of all routes of /account: the overview, and the sections in files of their own. */
import { type AppsRoutesOptions, appsHandlers } from './apps-routes.ts';
import { type DataRoutesOptions, dataHandlers } from './data-routes.ts';
import { type DeleteRoutesOptions, deleteHandlers } from './delete-routes.ts';
import { type DevicesRoutesOptions, devicesHandlers } from './devices-routes.ts';
import { type AccountEmailOptions, emailHandlers } from './email-routes.ts';
import { type LinkedIdentitiesRoutesOptions, linkedIdentitiesHandlers } from './linked-identities-routes.ts';
import { type OverviewRoutesOptions, overviewHandlers } from './overview-routes.ts';
import { type AccountPagesOptions, accountPages } from './pages.ts';
import { type PasswordRoutesOptions, passwordHandlers } from './password-routes.ts';
import { type ProfileRoutesOptions, profileHandlers } from './profile-routes.ts';
import type { AccountHandlers } from './route-names.ts';
import { type SignInMethodsRoutesOptions, signInMethodsHandlers } from './sign-in-methods-routes.ts';

/** The options of all sections. Each section declares its own part. */
export type AccountRoutesOptions = AccountPagesOptions &
  OverviewRoutesOptions &
  ProfileRoutesOptions &
  DevicesRoutesOptions &
  AppsRoutesOptions &
  PasswordRoutesOptions &
  DataRoutesOptions &
  DeleteRoutesOptions &
  LinkedIdentitiesRoutesOptions &
  SignInMethodsRoutesOptions &
  AccountEmailOptions;

/** For the scope of the pages. */
export function accountHandlers(options: AccountRoutesOptions): AccountHandlers {
  const pages = accountPages(options);
  return {
    ...overviewHandlers(pages, options),
    ...profileHandlers(pages, options),
    ...passwordHandlers(pages, options),
    ...devicesHandlers(pages, options),
    ...signInMethodsHandlers(pages, options),
    ...appsHandlers(pages, options),
    ...(options.links && emailHandlers(pages, options.links)),
    ...dataHandlers(pages, options),
    ...deleteHandlers(pages, options),
    ...linkedIdentitiesHandlers(pages, options),
  };
}
