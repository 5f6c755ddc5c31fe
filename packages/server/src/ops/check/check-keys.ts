import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ALONE } from '../../gate/kernel/bus.ts';
import { openKeyEncryption } from '../../keys/key-encryption.ts';
import { activeOf, inState } from '../../keys/key-lifecycle.ts';
import type { SigningKeySettings } from '../../keys/key-settings.ts';
import type { KeyStorage } from '../../keys/key-storage.ts';
import { keyStoresIn } from '../../keys/key-stores.ts';
import { openKeyToken } from '../../keys/key-token.ts';
import { PrivateParts } from '../../keys/private-parts.ts';
import { assertSecretKeyOpens } from '../../keys/secret-encryption.ts';
import type { Reader } from '../../storage/nouns.ts';
import { type Finding, findingsOr, problem, warning } from './finding.ts';

/**
 * Checks whether keys can be read, opened and used to sign. @throws the error that prevents reading their folder or
 * table
 */
export async function checkKeys(
  where: { directory: string } | { read: Reader },
  settings: SigningKeySettings,
): Promise<readonly Finding[]> {
  // Reading the keys would create the folder.
  if ('directory' in where && !existsSync(join(where.directory, 'keys'))) return [NONE];
  const stores = keyStoresIn(
    'directory' in where ? where : { storage: onlyRead(where.read), bus: ALONE },
    settings,
  );
  const { keys, failures } = await stores.signingKeys.read();
  const findings = failures.map((error) => problem('keys', (error as Error).message));
  const token = await openKeyToken(settings.pkcs11);
  const usable = [activeOf(keys), ...inState(keys, 'next')].filter((key) => key !== undefined);
  const parts = new PrivateParts(openKeyEncryption(settings), token);
  try {
    for (const key of usable) {
      try {
        // The other keys do not sign yet, so opening them is enough.
        if (key === usable[0]) await parts.openProved(key);
        else await parts.open(key);
      } catch (error) {
        findings.push(
          problem('keys', `${stores.signingKeys.locationOf(key.kid)}: ${(error as Error).message}`),
        );
      }
    }
    const complaints = keys.flatMap((key) => parts.complaint(key) ?? []);
    findings.push(...complaints.map((complaint) => warning('keys', complaint)));
    if (usable.length === 0 && failures.length === 0) findings.push(NONE);
  } finally {
    await parts.close();
  }
  try {
    await assertSecretKeyOpens(stores.secretKey, openKeyEncryption(settings));
  } catch (error) {
    findings.push(problem('keys', `${stores.secretKey.name}: ${(error as Error).message}`));
  }
  return findingsOr(findings, 'keys', `${usable[0]?.kid} signs; all keys can be opened.`);
}

const NONE = warning(
  'keys',
  'No key signs yet; the next start creates one. If there were keys before, restore them first.',
);

function onlyRead(read: KeyStorage['read']): KeyStorage {
  return { read, transaction: () => Promise.reject(new Error('a check writes nothing')) };
}
