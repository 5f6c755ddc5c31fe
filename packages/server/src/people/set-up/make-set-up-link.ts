/**
 * The first sign-in of a gate. While nobody can sign in, the operator gets a link that works once. It claims the first
 * project's owner.
 */

import { addSeconds } from '../../gate/kernel/instant.ts';
import type { ProjectReader, User } from '../../gate/projects/project.ts';
import { makeSecretToken } from '../links/secret-token.ts';
import type { IdentityReader } from '../oidc/identity.ts';
import type { PeopleDeps } from '../people-deps.ts';

const SET_UP_SECONDS = 24 * 60 * 60;

/**
 * Makes the first link of a gate. Null if there ever was one, used or not. The link stays valid across restarts until
 * it expires. Only an operator who asks for a new link replaces it.
 */
export async function makeFirstSetUpLink(gate: PeopleDeps<'issuer'>): Promise<string | null> {
  // For a gate that is already set up, this is the only query at a start.
  if (!(await isSetUpNeeded(gate.storage.read))) return null;
  return makeLink(gate, 'first');
}

/**
 * Makes a new link that replaces all earlier ones. Null when somebody can already sign in, or there is no owner to
 * claim.
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

/** Whether nobody can sign in to this gate yet. */
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
