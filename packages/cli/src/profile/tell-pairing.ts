import { printLine } from '../printing/print.ts';
import { paint, sayVisibly } from '../printing/say.ts';
import type { Pairing } from './pair.ts';

/**
 * Says where a person confirms this program's request, and what they compare there: the code and, for a device key, its
 * fingerprint.
 */
export function tellPairing(pairing: Pairing, flags: { json?: true }, keyId?: string): void {
  const { user_code, verification_uri, verification_uri_complete, expires_in } = pairing;
  if (flags.json) {
    printLine({
      status: 'pending',
      user_code,
      verification_uri,
      verification_uri_complete,
      expires_in,
      ...(keyId === undefined ? {} : { key_id: keyId }),
    });
    return;
  }
  const code = `and confirm there that the code is ${paint('bold', sayVisibly(user_code))}`;
  process.stderr.write(
    `Open ${sayVisibly(verification_uri_complete)}\n${code}${keyId === undefined ? '. ' : ` and the fingerprint\n${inGroups(keyId)}\n`}Waiting …\n`,
  );
}

/** As the page shows it. */
function inGroups(keyId: string): string {
  return keyId.replaceAll(/.{4}(?=.)/g, '$& ');
}
