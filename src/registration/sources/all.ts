/** The formats of `users import --from`. The help and the guide are made of this table. */
import { auth0 } from './auth0.ts';
import { clerk } from './clerk.ts';
import { cognito } from './cognito.ts';
import { csv } from './csv.ts';
import { django } from './django.ts';
import { firebase } from './firebase.ts';
import { keycloak } from './keycloak.ts';
import { kratos } from './kratos.ts';
import { ldif } from './ldif.ts';
import { okta } from './okta.ts';
import { tableSources } from './rows.ts';
import type { Source } from './source.ts';
import { supabase } from './supabase.ts';
import { zitadel } from './zitadel.ts';

export const SOURCES: readonly Source[] = [
  keycloak,
  auth0,
  okta,
  cognito,
  firebase,
  clerk,
  supabase,
  kratos,
  zitadel,
  django,
  ...tableSources,
  ldif,
  csv,
];
