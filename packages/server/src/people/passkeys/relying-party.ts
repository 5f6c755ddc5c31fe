import { GateError } from '../../gate/kernel/errors.ts';

/** The site that passkeys are created for (WebAuthn's relying party). */
export interface RelyingParty {
  /** The host of base_url. Passkeys work only there. */
  rpId: string;
  /** The only origin that may ask for passkeys of this gate. */
  origin: string;
}

const IP_ADDRESS = /^(?:\[.*\]|\d+(?:\.\d+){3})$/;

/**
 * This gate as a relying party.
 * @param issuer base_url.
 * @throws GateError `conflict` when it is an IP address: browsers support passkeys only for host names
 */
export function relyingPartyOf(issuer: string): RelyingParty {
  const { hostname, origin } = new URL(issuer);
  if (IP_ADDRESS.test(hostname)) {
    throw new GateError(
      'conflict',
      `Browsers create passkeys only for host names, but this gate is served as ${hostname}; open it by its name, or set PERMITRY_BASE_URL to one (http://localhost:PORT works).`,
      {},
    );
  }
  return { rpId: hostname, origin };
}
