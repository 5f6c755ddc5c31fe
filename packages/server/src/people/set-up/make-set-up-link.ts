/**
 * Owns the first sign-in of a gate: while nobody can sign in, the operator gets a link that works once, and claims the
 * first project's owner with it.
 */

import { addSeconds } from '../../gate/kernel/instant.ts';
import type { ProjectReader, User } from '../../gate/projects/project.ts';
import { makeSecretToken } from '../links/secret-token.ts';
import type { IdentityReader } from '../oidc/identity.ts';
import type { PeopleDeps } from '../people-deps.ts';

const SET_UP_SECONDS = 24 * 60 * 60;

/**
 * The link of a gate that never had one; null later, used or not. One that was shown stays good while gates start and
 * stop, and nobody ends it but an operator who asks for a fresh one.
 */
export async function makeFirstSetUpLink(gate: PeopleDeps<'issuer'>): Promise<string | null> {
  // A start of a gate that has been used for years asks no more than this.
  if (!(await isSetUpNeeded(gate.storage.read))) return null;
  return makeLink(gate, 'first');
}

/**
 * A fresh link in place of all earlier ones; null when somebody can sign in already, or there is nobody to be.
 *
 * @example const link = await makeSetUpLink(gate); // 'http://localhost:8787/set-up#…'
 */
export async function makeSetUpLink(gate: PeopleDeps<'issuer'>): Promise<string | null> {
  return makeLink(gate, 'fresh');
}

async function makeLink(gate: PeopleDeps<'issuer'>, which: 'first' | 'fresh'): Promise<string | null> {
  return gate.storage.transaction(async (tx) => {
    const owner = await findFirstOwner(tx);
    if (!owner || !(await isSetUpNeeded(tx))) return null;
    const isFirst = await tx.insertInstallationFact('set_up_link_made', gate.clock.now());
    if (which === 'first' && !isFirst) return null;
    const { token, tokenHash } = makeSecretToken();
    const createdAt = gate.clock.now();
    await tx.replaceLinks({
      tokenHash,
      kind: 'set_up',
      userId: owner.id,
      createdAt,
      expiresAt: addSeconds(createdAt, SET_UP_SECONDS),
    });
    return `${gate.issuer}/set-up#${token}`;
  });
}

/** Whether nobody of this gate can sign in. */
export async function isSetUpNeeded(reader: IdentityReader): Promise<boolean> {
  return !(await reader.hasAnybodyToSignIn());
}

async function findFirstOwner(reader: ProjectReader): Promise<User | undefined> {
  const [project] = await reader.listProjects();
  if (!project) return undefined;
  const owners = (await reader.listMembers(project.id)).filter(({ role }) => role === 'owner');
  const [first] = owners.sort((one, other) => (one.createdAt < other.createdAt ? -1 : 1));
  return first && reader.findUser(first.userId);
}
