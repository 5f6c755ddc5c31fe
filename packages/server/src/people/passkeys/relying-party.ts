import { GateError } from '../../gate/kernel/errors.ts';

/** Whom passkeys are made for (WebAuthn's relying party). */
export interface RelyingParty {
  /** The host of base_url: passkeys work there and nowhere else. */
  rpId: string;
  /** The one page that may ask for them. */
  origin: string;
}

const IP_ADDRESS = /^(?:\[.*\]|\d+(?:\.\d+){3})$/;

/**
 * This gate, as browsers know it.
 *
 * @param issuer base_url.
 * @throws GateError `conflict` when it is an IP address: browsers have passkeys for names alone
 */
export function relyingPartyOf(issuer: string): RelyingParty {
  const { hostname, origin } = new URL(issuer);
  if (IP_ADDRESS.test(hostname)) {
    throw new GateError(
      'conflict',
      `Browsers make passkeys for names only, and this gate is served as ${hostname}; open it by its name, or set PERMITRY_BASE_URL to one (http://localhost:PORT works).`,
      {},
    );
  }
  return { rpId: hostname, origin };
}
