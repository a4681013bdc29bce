/** The only part of the pages that needs a script: the browser's interface for passkeys. Without it, the password is there. */
(() => {
  const place = document.querySelector('[data-passkey]');
  const credentials = navigator.credentials;
  if (!place || !window.PublicKeyCredential || !credentials) return;
  const form = place.querySelector('form');
  const button = form.querySelector('button');
  const failed = place.querySelector('[data-failed]');
  const known = place.querySelector('[data-known]');
  // The name of a new account is typed into another form of the page.
  const copy = form.querySelector('[data-copy-of]');
  const typed = copy && document.getElementById(copy.dataset.copyOf);
  const options = JSON.parse(place.dataset.passkey);
  const isRegistration = 'rp' in options;

  const bytes = (text) => Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (c) => c.charCodeAt(0));
  const text = (buffer) =>
    btoa(String.fromCharCode(...new Uint8Array(buffer)))
      .replaceAll('+', '-')
      .replaceAll('/', '_')
      .replaceAll('=', '');
  const named = (list = []) => list.map((one) => ({ ...one, id: bytes(one.id) }));

  const publicKey = { ...options, challenge: bytes(options.challenge) };
  if (isRegistration) {
    publicKey.user = { ...options.user, id: bytes(options.user.id) };
    publicKey.excludeCredentials = named(options.excludeCredentials);
  } else {
    publicKey.allowCredentials = named(options.allowCredentials);
  }

  const sent = ({ id, rawId, type, response, authenticatorAttachment }) => ({
    id,
    rawId: text(rawId),
    type,
    authenticatorAttachment: authenticatorAttachment ?? undefined,
    clientExtensionResults: {},
    response: isRegistration
      ? {
          clientDataJSON: text(response.clientDataJSON),
          attestationObject: text(response.attestationObject),
          transports: response.getTransports ? response.getTransports() : [],
        }
      : {
          clientDataJSON: text(response.clientDataJSON),
          authenticatorData: text(response.authenticatorData),
          signature: text(response.signature),
          userHandle: response.userHandle ? text(response.userHandle) : undefined,
        },
  });

  let waiting = null;
  const ask = async (mediation) => {
    waiting?.abort();
    waiting = new AbortController();
    const asked = { publicKey, signal: waiting.signal, ...(mediation && { mediation }) };
    try {
      const credential = await (isRegistration ? credentials.create(asked) : credentials.get(asked));
      form.elements.credential.value = JSON.stringify(sent(credential));
      form.submit();
    } catch (error) {
      if (mediation || error.name === 'AbortError') return;
      // WebAuthn §5.1.3: the authenticator has a passkey of this account already.
      (error.name === 'InvalidStateError' && known ? known : failed).hidden = false;
    }
  };

  place.hidden = false;
  const begin = (event) => {
    event.preventDefault();
    failed.hidden = true;
    if (known) known.hidden = true;
    if (typed) {
      if (!typed.reportValidity()) return;
      copy.value = typed.value;
      publicKey.user.name = typed.value;
      publicKey.user.displayName = typed.value;
    }
    ask();
  };
  form.addEventListener('submit', begin);
  // Where there is nothing to fill in, it is no button that submits: the page has one form to submit, that of the password.
  if (button.type === 'button') button.addEventListener('click', begin);
  button.disabled = false;
  // Passkeys stand in the list that the browser opens at the field of the username.
  const autofills = window.PublicKeyCredential.isConditionalMediationAvailable;
  if (!isRegistration && place.dataset.autofill && autofills) {
    autofills.call(window.PublicKeyCredential).then((can) => can && ask('conditional'));
  }
})();
