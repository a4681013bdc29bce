/** Every route of /account: the overview, and the sections in files of their own. */
import type { FastifyInstance, FastifyPluginAsync } from 'fastify';
import { type AppsRoutesOptions, appsRoutes } from './apps-routes.ts';
import { type DataRoutesOptions, dataRoutes } from './data-routes.ts';
import { type DeleteRoutesOptions, deleteRoutes } from './delete-routes.ts';
import { type DevicesRoutesOptions, devicesRoutes } from './devices-routes.ts';
import { type AccountEmailOptions, accountEmailRoutes } from './email-routes.ts';
import { type LinkedIdentitiesRoutesOptions, linkedIdentitiesRoutes } from './linked-identities-routes.ts';
import { overviewRoutes } from './overview-routes.ts';
import { type AccountPagesOptions, accountPages } from './pages.ts';
import { type PasswordRoutesOptions, passwordRoutes } from './password-routes.ts';
import { type SignInMethodsRoutesOptions, signInMethodsRoutes } from './sign-in-methods-routes.ts';

/** The sum of what the sections need; each declares its own part. */
export type AccountRoutesOptions = AccountPagesOptions &
  DevicesRoutesOptions &
  AppsRoutesOptions &
  PasswordRoutesOptions &
  DataRoutesOptions &
  DeleteRoutesOptions &
  LinkedIdentitiesRoutesOptions &
  SignInMethodsRoutesOptions &
  AccountEmailOptions;

/** For an app with the cookies and the form tokens of pages. */
export const accountRoutes =
  (options: AccountRoutesOptions): FastifyPluginAsync =>
  async (app: FastifyInstance) => {
    const pages = accountPages(options);
    overviewRoutes(app, pages);
    passwordRoutes(app, pages, options);
    devicesRoutes(app, pages, options);
    signInMethodsRoutes(app, pages, options);
    appsRoutes(app, pages, options);
    accountEmailRoutes(app, pages, options);
    dataRoutes(app, pages, options);
    deleteRoutes(app, pages, options);
    linkedIdentitiesRoutes(app, pages, options);
  };
