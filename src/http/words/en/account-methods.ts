/** How the end-user signs in: passkeys, authenticator apps, recovery codes. */
export const accountMethods = {
  demanded: 'Your account has to have a second factor.',
  passkeys: {
    title: 'Passkeys',
    about:
      'With a passkey you sign in without a password: your device asks for your fingerprint, your face or its PIN.',
    none: 'You have no passkey.',
    /** `added` and `lastUsed` are instants. */
    added: (added: string) => `Added on ${added}.`,
    lastUsed: (lastUsed: string) => `Last used on ${lastUsed}.`,
    neverUsed: 'Not used yet.',
    synced: 'It may be on several of your devices.',
    name: 'Name',
    rename: 'Save the name',
    remove: (name: string) => `Remove ${name}`,
    add: 'Add a passkey',
    addTitle: 'Add a passkey to your account',
    addAbout:
      'Give it a name that tells you where it is, such as “Work laptop”. Then your browser asks you to confirm.',
    create: 'Create the passkey',
    needsScript: 'If nothing appears here, this browser has no passkeys, or scripts are switched off.',
    unavailable: 'No more passkeys can be added here.',
  },
  apps: {
    title: 'Authenticator apps',
    about: 'After your password, you type a code that an app on your phone shows.',
    none: 'You have no authenticator app.',
    confirmed: (confirmed: string) => `Set up on ${confirmed}.`,
    remove: 'Remove this app',
    add: 'Set up an authenticator app',
  },
  codes: {
    title: 'Recovery codes',
    left: (count: number) => (count === 1 ? 'One code is left.' : `${count} codes are left.`),
    none: 'There are none: they come with your first passkey or authenticator app.',
    make: 'Make new codes',
    makeAbout: 'The codes from before stop working.',
  },
  proveFirst: 'You signed in with your password alone. Use your second factor first, then change it here.',
  prove: 'Use the second factor',
  done: {
    added: 'The passkey was added.',
    renamed: 'The name was saved.',
    removed: 'Removed. Nobody can sign in with it any more.',
    'set-up': 'The authenticator app is set up. It is asked for at your next sign-in.',
  },
  problems: {
    refused: 'The passkey was not accepted. Try again.',
    known: 'This device has a passkey for your account already. Use it to sign in, or add one on another device.',
    demanded: 'Your account has to have a second factor, and this is the only one. Add another first.',
    lastWay: 'This passkey is your only way to sign in. Set a password, or add another passkey, first.',
    notProven: 'You signed in with your password alone. Use your second factor first.',
    unknown: 'It is not there any more.',
    mismatch: 'This code is not right. Type the code that your app shows now.',
    setUpOver: 'This set-up is over: it is done, or it took too long. If you still need it, begin again.',
  },
};
