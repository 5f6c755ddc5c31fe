import type { Actor } from '../../gate/access/caller.ts';
import { type Caller, isPerson, toActor } from '../../gate/access/caller.ts';
import type { ApiKey, CredentialWriter } from '../../gate/access/credential.ts';
import type { AuditWriter } from '../../gate/audit/audit-event.ts';
import { recordEvent } from '../../gate/audit/record-event.ts';
import { addSeconds, type Instant } from '../../gate/kernel/instant.ts';
import { invalidFields } from '../../gate/kernel/invalid-fields.ts';
import { notFound } from '../../gate/kernel/not-found.ts';
import type { AfterCommit } from '../../gate/kernel/storage.ts';
import { assertOperator } from '../../gate/projects/create-project.ts';
import { toEmailAddress } from '../../gate/projects/email-address.ts';
import type { ProjectReader } from '../../gate/projects/project.ts';
import type { PeopleDeps } from '../people-deps.ts';
import { checkKeyFields } from './key-fields.ts';
import { type CreatedKey, type KeyRecord, mintKey, toKeyRecord } from './mint-key.ts';

/** The longest lifetime of a token that may do more than read. */
export const LONGEST_WITH_RIGHTS_SECONDS = 12 * 60 * 60;

export interface NewUserToken {
  name: string;
  /** Address of a person who is already a member of a project. */
  email: string;
  /** Rights beyond reading. */
  rights: readonly ('decide' | 'manage')[];
  /**
   * With rights: at most 12 hours from now, which is also the default. Without rights, the default is until revoked.
   */
  expiresAt?: string | null;
}

/**
 * Creates a token for one person's program. It works in each of the person's projects, as far as their role allows
 * there. Each of these projects records the token in its audit log.
 * Only the operator creates a token here; the person creates one through a pairing. A program that could create a token
 * would act as a person.
 * @throws GateError `forbidden`, `invalid_fields`
 */
export async function createUserToken(
  gate: PeopleDeps,
  caller: Caller,
  input: NewUserToken,
): Promise<CreatedKey> {
  const operator = assertOperator(caller);
  const now = gate.clock.now();
  const fields = checkKeyFields(input, now);
  const expiresAt = limitLife(fields.expiresAt, input.rights, now);
  return gate.storage.transaction(async (tx) => {
    const user = await tx.findUserByEmail(toEmailAddress(input.email) ?? '');
    const memberships = user ? await tx.listMemberships(user.id) : [];
    if (!user || memberships.length === 0)
      throw invalidFields({ path: '/email', message: 'Nobody with this address is a member of a project.' });

    return insertUserToken(gate, tx, toActor(operator), {
      userId: user.id,
      name: fields.name,
      rights: input.rights,
      createdAt: now,
      expiresAt,
    });
  });
}

/** Creates the token in the transaction that decided to create it. */
export async function insertUserToken(
  gate: Pick<PeopleDeps, 'ids' | 'ledger'>,
  tx: AfterCommit & AuditWriter & CredentialWriter & ProjectReader,
  actor: Actor,
  token: Pick<NewUserToken, 'name' | 'rights'> & {
    userId: string;
    createdAt: Instant;
    expiresAt: Instant | null;
  },
): Promise<CreatedKey> {
  const { stored, text } = mintKey(
    {
      id: gate.ids.next('key'),
      kind: 'user',
      projectId: null,
      name: token.name,
      agentId: null,
      ownerId: token.userId,
      rights: [...new Set(token.rights)],
      rateLimitPerMinute: null,
      createdAt: token.createdAt,
      expiresAt: token.expiresAt,
    },
    null,
  );
  await tx.insertKey(stored);
  await recordInEachProject(gate, tx, actor, stored, 'key.created', token.createdAt);
  return { record: toKeyRecord(stored), key: text };
}

/**
 * Revokes a user token for good, for the operator or the person it belongs to. Idempotent.
 * @throws GateError `not_found`, also for another person's token
 */
export async function revokeUserToken(
  gate: PeopleDeps,
  caller: Caller,
  input: { keyId: string },
): Promise<KeyRecord> {
  const now = gate.clock.now();
  return gate.storage.transaction(async (tx) => {
    const key = await tx.findKey(input.keyId);
    const theirs = caller.kind === 'operator' || (isPerson(caller) && key?.ownerId === caller.user.id);
    if (!theirs || key?.kind !== 'user') throw notFound('token');
    if (await tx.revokeKey(key.id, now))
      await recordInEachProject(gate, tx, toActor(caller), key, 'key.revoked', now);
    return toKeyRecord((await tx.findKey(key.id)) ?? key);
  });
}

function limitLife(expiresAt: Instant | null, rights: NewUserToken['rights'], now: Instant): Instant | null {
  if (rights.length === 0) return expiresAt;
  const latest = addSeconds(now, LONGEST_WITH_RIGHTS_SECONDS);
  if (expiresAt !== null && expiresAt > latest)
    throw invalidFields({
      path: '/expires_at',
      message: 'A token that may decide or manage is valid for at most 12 hours.',
    });
  return expiresAt ?? latest;
}

async function recordInEachProject(
  gate: Pick<PeopleDeps, 'ids' | 'ledger'>,
  tx: AfterCommit & AuditWriter & ProjectReader,
  actor: Actor,
  token: ApiKey,
  type: 'key.created' | 'key.revoked',
  now: Instant,
): Promise<void> {
  const memberships = token.ownerId === null ? [] : await tx.listMemberships(token.ownerId);
  for (const { projectId } of memberships) {
    await recordEvent(gate, tx, {
      projectId,
      type,
      occurredAt: now,
      actor,
      data: {
        key_id: token.id,
        kind: token.kind,
        name: token.name,
        hint: token.hint,
        owner_id: token.ownerId,
        rights: [...token.rights],
        expires_at: token.expiresAt,
      },
      personal: ['/data/name'],
    });
  }
}
