/** Generated from en.json by "npm run machines:build". */

/** With texts and numbers filled in. The result is plain text: views escape it for a page. */
export type Message<Texts extends string, Numbers extends string = never> = (
  values: { readonly [Name in Texts]: string } & { readonly [Name in Numbers]: number },
) => string;

export type Words = {
  readonly access: {
    readonly standard: {
      readonly openid: string;
      readonly profile: string;
      readonly email: string;
      readonly address: string;
      readonly phone: string;
    };
    readonly use: Message<'scope'>;
    readonly whileAway: string;
    readonly notWhileAway: string;
    readonly appOnThisDevice: Message<'scheme'>;
  };
  readonly account: {
    readonly title: string;
    readonly navigation: string;
    readonly overview: string;
    readonly signedInAs: Message<'username'>;
    readonly signOut: string;
    readonly sections: {
      readonly profile: { readonly title: string; readonly about: string };
      readonly devices: { readonly title: string; readonly about: string };
      readonly password: { readonly title: string; readonly about: string };
      readonly data: { readonly title: string; readonly about: string };
      readonly delete: { readonly title: string; readonly about: string };
      readonly 'linked-identities': { readonly title: string; readonly about: string };
      readonly 'sign-in-methods': { readonly title: string; readonly about: string };
      readonly apps: { readonly title: string; readonly about: string };
      readonly email: { readonly title: string; readonly about: string };
    };
    readonly data: { readonly what: string; readonly submit: string };
    readonly delete: {
      readonly what: string;
      readonly kept: string;
      readonly typeUsername: Message<'username'>;
      readonly usernameDiffers: string;
      readonly isAdministrator: string;
      readonly submit: string;
      readonly doneTitle: string;
      readonly done: string;
      readonly home: string;
    };
    readonly password: {
      readonly none: string;
      readonly ends: string;
      readonly current: string;
      readonly chosen: string;
      readonly repeated: string;
      readonly submit: string;
      readonly changed: string;
      readonly problems: {
        readonly too_short: Message<never, 'atLeast'>;
        readonly too_long: Message<never, 'atMost'>;
        readonly repetitive: Message<never, 'atLeast'>;
        readonly not_text: string;
        readonly names_the_user: string;
        readonly names_the_service: string;
        readonly common: string;
        readonly guessable: string;
        readonly breached: string;
        readonly form_incomplete: string;
        readonly repetition_differs: string;
        readonly same_as_before: string;
        readonly current_is_wrong: string;
      };
    };
  };
  readonly accountApps: {
    readonly title: string;
    readonly none: string;
    readonly more: string;
    readonly ended: string;
    readonly holdsNothing: string;
    readonly since: Message<'since'>;
    readonly asksAgainFrom: Message<'day'>;
    readonly neverUsed: string;
    readonly lastUsed: Message<'lastUsed'>;
    readonly end: Message<'client'>;
    readonly endedOne: string;
    readonly eachDevice: string;
    readonly deviceSince: Message<'since'>;
    readonly endOne: Message<'browser'>;
    readonly mayAt: Message<'resource'>;
    readonly may: string;
    readonly letInAt: Message<'resource'>;
  };
  readonly accountDevices: {
    readonly stays: string;
    readonly thisBrowser: string;
    readonly signedIn: Message<'how' | 'lastUsed' | 'signedIn'>;
    readonly from: Message<'address'>;
    readonly fromPlace: Message<'address' | 'place'>;
    readonly fromCity: Message<'address' | 'city' | 'country'>;
    readonly signOutHere: string;
    readonly signOutThere: string;
    readonly signOutOf: Message<'browser'>;
    readonly endOthers: string;
    readonly endOthersAbout: string;
    readonly trusted: {
      readonly title: string;
      readonly about: string;
      readonly item: Message<'since' | 'until'>;
      readonly neverUsed: string;
      readonly lastUsed: Message<'lastUsed'>;
      readonly end: Message<'browser'>;
      readonly endAll: string;
    };
    readonly done: {
      readonly trust: string;
      readonly allTrust: string;
      readonly one: string;
      readonly others: string;
    };
    readonly methods: {
      readonly pwd: string;
      readonly otp: string;
      readonly hwk: string;
      readonly swk: string;
      readonly pop: string;
      readonly fed: string;
      readonly kba: string;
      readonly sms: string;
    };
    readonly anotherWay: string;
  };
  readonly accountEmail: {
    readonly none: string;
    readonly isVerified: Message<'address'>;
    readonly isNotVerified: Message<'address'>;
    readonly verify: string;
    readonly changeTitle: string;
    readonly changeAbout: string;
    readonly newAddress: string;
    readonly change: string;
    readonly sent: string;
    readonly problems: {
      readonly addressRefused: string;
      readonly sameAddress: string;
      readonly alreadyVerified: string;
      readonly noAddress: string;
      readonly refused: string;
      readonly throttled: string;
      readonly queueFull: string;
    };
  };
  readonly accountMethods: {
    readonly demanded: string;
    readonly passkeys: {
      readonly title: string;
      readonly about: string;
      readonly none: string;
      readonly added: Message<'added'>;
      readonly lastUsed: Message<'lastUsed'>;
      readonly neverUsed: string;
      readonly synced: string;
      readonly secondFactorOnly: string;
      readonly name: string;
      readonly rename: string;
      readonly remove: Message<'name'>;
      readonly add: string;
      readonly addTitle: string;
      readonly addAbout: string;
      readonly create: string;
      readonly needsScript: string;
      readonly unavailable: string;
    };
    readonly apps: {
      readonly title: string;
      readonly about: string;
      readonly none: string;
      readonly confirmed: Message<'confirmed'>;
      readonly remove: string;
      readonly add: string;
    };
    readonly codes: {
      readonly title: string;
      readonly left: Message<never, 'count'>;
      readonly none: string;
      readonly make: string;
      readonly makeAbout: string;
    };
    readonly proveFirst: string;
    readonly prove: string;
    readonly done: {
      readonly added: string;
      readonly renamed: string;
      readonly removed: string;
      readonly 'set-up': string;
    };
    readonly problems: {
      readonly refused: string;
      readonly known: string;
      readonly demanded: string;
      readonly lastWay: string;
      readonly notProven: string;
      readonly unknown: string;
      readonly mismatch: string;
      readonly setUpOver: string;
    };
  };
  readonly accountProfile: {
    readonly about: string;
    readonly save: string;
    readonly saved: string;
    readonly refused: {
      readonly invalid_fields: string;
      readonly field_unknown: string;
      readonly changed_meanwhile: string;
    };
    readonly labels: {
      readonly name: string;
      readonly given_name: string;
      readonly family_name: string;
      readonly middle_name: string;
      readonly nickname: string;
      readonly preferred_username: string;
      readonly profile: string;
      readonly picture: string;
      readonly website: string;
      readonly gender: string;
      readonly birthdate: string;
      readonly zoneinfo: string;
      readonly locale: string;
      readonly phone_number: string;
    };
    readonly hints: {
      readonly picture: string;
      readonly birthdate: string;
      readonly zoneinfo: string;
      readonly locale: string;
    };
    readonly problems: {
      readonly text: Message<never, 'atMost'>;
      readonly picture: Message<never, 'atMost'>;
      readonly webAddress: Message<never, 'atMost'>;
      readonly birthdate: string;
      readonly zoneinfo: string;
      readonly locale: string;
      readonly phone: string;
      readonly choice: string;
    };
  };
  readonly accountSummary: {
    readonly noName: string;
    readonly hasPassword: string;
    readonly noPassword: string;
    readonly passkeys: Message<never, 'count'>;
    readonly appSince: Message<'since'>;
    readonly codes: Message<never, 'count'>;
    readonly noCode: string;
    readonly noFactor: string;
    readonly browsers: Message<never, 'count'>;
    readonly lastSignIn: Message<'browser' | 'how' | 'signedIn'>;
    readonly clients: Message<never, 'count'>;
    readonly noClient: string;
    readonly identities: Message<never, 'count'>;
    readonly noIdentity: string;
  };
  readonly botCheck: {
    readonly failed: string;
    readonly unavailable: string;
    readonly needsScript: string;
  };
  readonly browser: { readonly unknown: string; readonly on: Message<'name' | 'system'> };
  readonly consent: {
    readonly title: Message<'client'>;
    readonly wants: string;
    readonly wantsAt: Message<'resource'>;
    readonly wantsInAt: Message<'resource'>;
    readonly sentTo: Message<'destination'>;
    readonly unvetted: string;
    readonly describesItself: Message<'destination' | 'origin'>;
    readonly registeredItself: Message<'destination'>;
    readonly rememberedFor: Message<'time'>;
    readonly terms: Message<'client'>;
    readonly policy: Message<'client'>;
    readonly startedThis: string;
    readonly onThisDevice: string;
    readonly allow: string;
    readonly deny: string;
    readonly signedInAs: Message<'username'>;
    readonly switchUser: string;
  };
  readonly email: {
    readonly address: string;
    readonly username: string;
    readonly password: string;
    readonly passwordHint: Message<never, 'atLeast'>;
    readonly toSignIn: string;
    readonly addressRefused: string;
    readonly throttled: string;
    readonly queueFull: string;
    readonly asked: {
      readonly title: string;
      readonly reset: string;
      readonly signUp: string;
      readonly nothingCame: string;
    };
    readonly forgot: {
      readonly link: string;
      readonly title: string;
      readonly about: string;
      readonly submit: string;
    };
    readonly signUp: {
      readonly link: string;
      readonly title: string;
      readonly about: string;
      readonly submit: string;
    };
    readonly lostFactors: {
      readonly link: string;
      readonly title: string;
      readonly about: string;
      readonly submit: string;
      readonly asked: string;
      readonly problems: {
        readonly noAddress: string;
        readonly passwordNotShown: string;
        readonly passwordFromMail: string;
        readonly refused: string;
      };
    };
    readonly purposes: {
      readonly verify_address: {
        readonly title: string;
        readonly about: Message<'address' | 'username'>;
        readonly submit: string;
        readonly done: string;
      };
      readonly reset_password: {
        readonly title: string;
        readonly about: Message<'username'>;
        readonly submit: string;
        readonly done: string;
      };
      readonly change_address: {
        readonly title: string;
        readonly about: Message<'address' | 'username'>;
        readonly submit: string;
        readonly done: string;
      };
      readonly undo_change: {
        readonly title: string;
        readonly about: Message<'address' | 'username'>;
        readonly submit: string;
        readonly done: string;
      };
      readonly lost_factors: {
        readonly title: string;
        readonly about: Message<'username'>;
        readonly submit: string;
        readonly done: string;
      };
      readonly sign_up: {
        readonly title: string;
        readonly about: Message<'address'>;
        readonly submit: string;
        readonly done: string;
      };
      readonly invitation: {
        readonly title: string;
        readonly about: Message<'address'>;
        readonly submit: string;
        readonly done: string;
      };
    };
    readonly passkey: { readonly about: string; readonly create: string };
    readonly problems: {
      readonly incomplete: string;
      readonly usernameRefused: string;
      readonly usernameMixesScripts: string;
      readonly usernameTaken: string;
      readonly usernameIsAddress: string;
      readonly addressTaken: string;
      readonly passkeyRefused: string;
      readonly busy: string;
    };
    readonly doneTitle: string;
    readonly useless: {
      readonly title: string;
      readonly link_unknown: string;
      readonly link_expired: string;
      readonly link_used: string;
      readonly link_superseded: string;
      readonly password_changed: string;
      readonly address_mismatch: string;
      readonly user_ended: string;
      readonly not_offered: string;
      readonly password_from_mail: string;
      readonly password_not_proven: string;
      readonly address_taken: string;
      readonly username_taken: string;
    };
  };
  readonly externalSignIn: {
    readonly or: string;
    readonly continueWith: Message<'label'>;
    readonly back: string;
    readonly backToAccount: string;
    readonly toLink: string;
    readonly problems: {
      readonly unknown: { readonly title: string; readonly what: string };
      readonly expired: { readonly title: string; readonly what: string };
      readonly anotherBrowser: { readonly title: string; readonly what: string };
      readonly answered: { readonly title: string; readonly what: string };
      readonly unanswered: { readonly title: string; readonly what: string };
      readonly overtaken: { readonly title: string; readonly what: string };
      readonly denied: { readonly title: string; readonly what: string };
      readonly notAdmitted: { readonly title: string; readonly what: string };
      readonly addressKnown: { readonly title: string; readonly what: string };
      readonly nobodyLinked: { readonly title: string; readonly what: string };
      readonly linkedElsewhere: { readonly title: string; readonly what: string };
      readonly userEnded: { readonly title: string; readonly what: string };
      readonly tooOld: { readonly title: string; readonly what: string };
      readonly unreachable: { readonly title: string; readonly what: string };
      readonly invalid: { readonly title: string; readonly what: string };
      readonly refused: { readonly title: string; readonly what: string };
      readonly off: { readonly title: string; readonly what: string };
      readonly throttled: { readonly title: string; readonly what: string };
    };
    readonly linked: {
      readonly none: string;
      readonly intro: string;
      readonly since: Message<'date'>;
      readonly remove: Message<'label'>;
      readonly link: Message<'label'>;
      readonly linkIntro: string;
      readonly justLinked: string;
      readonly justRemoved: string;
      readonly unknown: string;
      readonly lastWay: string;
    };
  };
  readonly factor: {
    readonly title: string;
    readonly titleAfterProblem: string;
    readonly forClient: Message<'client'>;
    readonly signedInAs: Message<'username'>;
    readonly stronger: Message<'client'>;
    readonly passkeyOnly: Message<'client'>;
    readonly code: string;
    readonly recoveryCode: string;
    readonly useRecoveryCode: string;
    readonly passkeyIsNext: string;
    readonly submit: string;
    readonly another: string;
    readonly decline: string;
    readonly declineHint: string;
    readonly none: string;
    readonly begin: string;
    readonly trust: Message<'time'>;
    readonly withPasskey: string;
    readonly passkeyNeedsScript: string;
    readonly noPasskey: string;
    readonly addPasskey: string;
    readonly setUp: {
      readonly title: string;
      readonly scan: string;
      readonly pictureOf: string;
      readonly type: string;
      readonly code: string;
      readonly submit: string;
      readonly tooMany: string;
    };
    readonly codes: {
      readonly title: string;
      readonly what: string;
      readonly withoutPassword: string;
      readonly of: Message<'date' | 'service' | 'username'>;
      readonly copy: string;
      readonly download: string;
      readonly print: string;
      readonly copied: string;
      readonly goOn: string;
    };
    readonly refused: {
      readonly incomplete: string;
      readonly mismatch: string;
      readonly reused: string;
      readonly recoveryCodeMismatch: string;
      readonly recoveryCodeUsed: string;
      readonly throttled: string;
      readonly busy: string;
      readonly setUpOver: string;
      readonly notProven: string;
      readonly passkeyRefused: string;
    };
  };
  readonly formPost: { readonly title: string; readonly continue: string };
  readonly frame: { readonly help: string; readonly terms: string; readonly privacy: string };
  readonly home: {
    readonly whatThisIs: string;
    readonly whoseThisIs: Message<'organization'>;
    readonly nothingToDo: string;
    readonly account: string;
    readonly accountSays: string;
    readonly tryIt: string;
    readonly playground: string;
    readonly signInThere: Message<'password' | 'username'>;
    readonly operatorToo: string;
    readonly console: string;
    readonly developers: string;
    readonly server: Message<'issuer'>;
    readonly guides: Message<'files'>;
    readonly metadataSays: string;
    readonly metadata: string;
  };
  readonly interaction: {
    readonly interaction_unknown: { readonly title: string; readonly what: string; readonly next: string };
    readonly another_browser: { readonly title: string; readonly what: string; readonly next: string };
    readonly form_refused: { readonly title: string; readonly what: string; readonly next: string };
    readonly interaction_expired: { readonly title: string; readonly what: string; readonly next: string };
    readonly interaction_completed: { readonly title: string; readonly what: string; readonly next: string };
    readonly client_ended: { readonly title: string; readonly what: string; readonly next: string };
    readonly request_answered: { readonly title: string; readonly what: string; readonly next: string };
  };
  readonly logout: {
    readonly ask: {
      readonly title: string;
      readonly clientAsks: Message<'client'>;
      readonly signedInAs: Message<'username'>;
      readonly sentTo: Message<'destination'>;
      readonly signOut: string;
      readonly stay: string;
    };
    readonly endsNothingAllowed: string;
    readonly seeAllowed: string;
    readonly signedOut: { readonly title: string; readonly heading: string; readonly what: string };
    readonly notSignedIn: { readonly title: string; readonly heading: string; readonly what: string };
    readonly stillSignedIn: {
      readonly title: string;
      readonly heading: string;
      readonly what: Message<'username'>;
      readonly back: Message<'client'>;
    };
    readonly refused: {
      readonly title: string;
      readonly notSent: string;
      readonly allTheSame: string;
      readonly signOutHere: string;
      readonly yours: string;
      readonly reasons: {
        readonly malformed_request: string;
        readonly id_token_hint_unknown: string;
        readonly client_mismatch: string;
        readonly client_unknown: string;
        readonly client_missing: string;
        readonly post_logout_redirect_uri_mismatch: string;
      };
    };
  };
  readonly mail: {
    readonly greeting: Message<'username'>;
    readonly greetingWithoutName: string;
    readonly goodFor: Message<'duration'>;
    readonly openLink: string;
    readonly codeGoodFor: Message<'duration'>;
    readonly footer: Message<'server'>;
    readonly contents: {
      readonly verify_address: { readonly subject: string; readonly body: Message<'link'> };
      readonly reset_password: { readonly subject: string; readonly body: Message<'link' | 'username'> };
      readonly lost_factors: { readonly subject: string; readonly body: Message<'link' | 'username'> };
      readonly change_address: { readonly subject: string; readonly body: Message<'link'> };
      readonly address_changed: { readonly subject: string; readonly body: Message<'link' | 'username'> };
      readonly sign_up: { readonly subject: string; readonly body: Message<'link'> };
      readonly invitation: { readonly subject: string; readonly body: Message<'link'> };
      readonly has_account: {
        readonly subject: string;
        readonly body: Message<'forgot' | 'link' | 'usernames'>;
      };
      readonly mailed_code: {
        readonly subject: string;
        readonly body: Message<'at' | 'browser' | 'code' | 'username'>;
      };
      readonly new_device: {
        readonly subject: string;
        readonly body: Message<'at' | 'browser' | 'link' | 'username'>;
      };
      readonly password_changed: {
        readonly subject: string;
        readonly body: Message<'at' | 'link' | 'username'>;
      };
      readonly passkey_added: {
        readonly subject: string;
        readonly body: Message<'at' | 'link' | 'username'>;
      };
      readonly passkey_removed: {
        readonly subject: string;
        readonly body: Message<'at' | 'link' | 'username'>;
      };
      readonly second_factor_added: {
        readonly subject: string;
        readonly body: Message<'at' | 'link' | 'username'>;
      };
      readonly second_factor_removed: {
        readonly subject: string;
        readonly body: Message<'at' | 'link' | 'username'>;
      };
      readonly factors_removed: {
        readonly subject: string;
        readonly body: Message<'at' | 'link' | 'username'>;
      };
      readonly browser_trusted: {
        readonly subject: string;
        readonly body: Message<'at' | 'link' | 'username'>;
      };
      readonly identity_linked: {
        readonly subject: string;
        readonly body: Message<'at' | 'link' | 'username'>;
      };
      readonly identity_removed: {
        readonly subject: string;
        readonly body: Message<'at' | 'link' | 'username'>;
      };
      readonly address_restored: {
        readonly subject: string;
        readonly body: Message<'at' | 'link' | 'username'>;
      };
    };
  };
  readonly operatorSetUp: {
    readonly title: string;
    readonly about: string;
    readonly submit: string;
    readonly withPasskey: string;
    readonly usernameNotExpected: string;
    readonly done: {
      readonly title: string;
      readonly factor: string;
      readonly commit: string;
      readonly until: string;
      readonly console: string;
    };
    readonly useless: {
      readonly set_up_unknown: string;
      readonly set_up_expired: string;
      readonly set_up_used: string;
      readonly set_up_ended: string;
      readonly operator_exists: string;
      readonly server_recovered: string;
    };
  };
  readonly passwordField: { readonly show: string; readonly hide: string };
  readonly mailedCode: {
    readonly link: string;
    readonly title: string;
    readonly about: string;
    readonly submit: string;
    readonly sentTitle: string;
    readonly sent: Message<'identifiers'>;
    readonly code: string;
    readonly signIn: string;
    readonly another: string;
    readonly otherWay: string;
    readonly refused: {
      readonly identifier: Message<'identifiers'>;
      readonly incomplete: string;
      readonly mismatch: string;
      readonly expired: string;
      readonly used: string;
      readonly spent: string;
      readonly superseded: string;
      readonly elsewhere: string;
      readonly busy: string;
    };
  };
  readonly problems: {
    readonly unavailable: { readonly title: string; readonly what: string; readonly next: string };
    readonly overloaded: { readonly title: string; readonly what: string; readonly next: string };
    readonly commitUnknown: { readonly title: string; readonly what: string; readonly next: string };
    readonly failed: { readonly title: string; readonly what: string; readonly next: string };
    readonly unreadable: { readonly title: string; readonly what: string; readonly next: string };
    readonly notFound: { readonly title: string; readonly what: string; readonly next: string };
    readonly formRefused: { readonly title: string; readonly what: string; readonly next: string };
    readonly signOutFormRefused: { readonly title: string; readonly what: string; readonly next: string };
    readonly shownLocally: { readonly title: string; readonly what: string; readonly next: string };
  };
  readonly progress: { readonly step: Message<never, 'step' | 'steps'> };
  readonly signIn: {
    readonly title: string;
    readonly titleAfterProblem: string;
    readonly forClient: Message<'client'>;
    readonly forAccount: string;
    readonly again: string;
    readonly goOnAs: Message<'username'>;
    readonly orAsAnother: string;
    readonly identifier: { readonly username: string; readonly email: string; readonly both: string };
    readonly password: string;
    readonly submit: string;
    readonly refused: {
      readonly incomplete: Message<'identifiers'>;
      readonly mismatch: Message<'identifiers'>;
      readonly passkey: string;
      readonly busy: string;
    };
    readonly throttledForSeconds: Message<never, 'seconds'>;
    readonly throttledForMinutes: Message<never, 'minutes'>;
  };
  readonly signInPage: {
    readonly next: string;
    readonly as: Message<'identifier'>;
    readonly change: string;
  };
  readonly pushed: {
    readonly title: string;
    readonly next: string;
    readonly reasons: {
      readonly pushed_request_unknown: string;
      readonly pushed_request_expired: string;
      readonly pushed_request_used: string;
      readonly pushed_request_of_another_client: string;
      readonly pushed_request_required: string;
    };
  };
  readonly clientDocument: {
    readonly title: string;
    readonly next: string;
    readonly reasons: {
      readonly document_client_deleted: string;
      readonly document_origin_refused: string;
      readonly document_failed_before: string;
      readonly document_unreachable: string;
      readonly document_malformed: string;
      readonly document_drops_key: string;
      readonly too_many_client_documents: string;
      readonly client_id_url_malformed: string;
      readonly client_documents_off: string;
      readonly too_many_fetches: string;
    };
  };
  readonly unverified: {
    readonly title: string;
    readonly notSent: string;
    readonly requestObject: string;
    readonly next: string;
    readonly reasons: {
      readonly too_many_parameters: Message<never, 'most'>;
      readonly client_id_missing: string;
      readonly client_id_malformed: string;
      readonly client_unknown: string;
      readonly redirect_uri_missing: string;
      readonly redirect_uri_malformed: string;
      readonly redirect_uri_mismatch: string;
    };
    readonly expected: string;
    readonly received: string;
    readonly endsHere: string;
  };
  readonly wayBack: { readonly client: Message<'client'> };
};
