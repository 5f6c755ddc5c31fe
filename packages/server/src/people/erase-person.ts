import { assertScope } from '../gate/access/assert-scope.ts';
import type { Caller } from '../gate/access/caller.ts';
import type { SessionWriter } from '../gate/access/session.ts';
import type { ApprovalReader } from '../gate/approvals/approval.ts';
import type { AuditReader } from '../gate/audit/audit-event.ts';
import { eraseAnswersWith } from '../gate/erasure/erase-answers.ts';
import { eraseIntentRow, listPermitIds } from '../gate/erasure/erase-intent.ts';
import { eventWithoutPerson } from '../gate/erasure/erased-event.ts';
import { hasPartIn, isAbout, openUntil, withoutPerson } from '../gate/erasure/erased-intent.ts';
import type { Erasure, ErasureWriter, FoundAnswer } from '../gate/erasure/erasure.ts';
import type { ErasureDeps } from '../gate/erasure/erasure-deps.ts';
import type { Person } from '../gate/erasure/person.ts';
import { recordErasure } from '../gate/erasure/record-erasure.ts';
import { type ErasureSubject, markUnfinished, settleFiles } from '../gate/erasure/unfinished-erasure.ts';
import type { Intent, IntentReader } from '../gate/intents/intent.ts';
import { GateError } from '../gate/kernel/errors.ts';
import { invalidFields } from '../gate/kernel/invalid-fields.ts';
import { notFound } from '../gate/kernel/not-found.ts';
import { yieldToEventLoop } from '../gate/kernel/yield-to-event-loop.ts';
import type { NotificationWriter } from '../gate/notifications/notification.ts';
import type { OutboxWriter } from '../gate/outbox/delivery.ts';
import { changeProject } from '../gate/projects/change-project.ts';
import { EMAIL_RULE, toEmailAddress } from '../gate/projects/email-address.ts';
import type { ProofWriter } from '../gate/proof/proof-session.ts';
import type { ConnectorRequestReader, ConnectorRequestWriter } from '../gate/tools/connector-request.ts';
import type { MockRecordWriter } from '../gate/tools/mock-record.ts';
import type { DeviceKeyWriter } from './device-keys/device-key.ts';
import type { InvitationWriter } from './invitations/invitation.ts';
import type { IdentityWriter } from './oidc/identity.ts';
import type { PairingWriter } from './pairings/pairing.ts';
import type { PasskeyWriter } from './passkeys/passkey.ts';
import type { SignInCountWriter } from './sign-in-tries/sign-in-count.ts';
import { forgetKnownAddresses } from './sign-in-tries/sign-in-tries.ts';

/** Dependencies of erasing a person. */
type PersonErasureDeps = ErasureDeps<
  ConnectorRequestReader,
  DeviceKeyWriter &
    IdentityWriter &
    InvitationWriter &
    NotificationWriter &
    PairingWriter &
    PasskeyWriter &
    ProofWriter &
    SessionWriter &
    SignInCountWriter
>;

/** The result of erasing a person, including where the person is still named. */
export interface PersonErasure extends Erasure {
  /** Intents that are still open: they are pending, or their permit can still be used. */
  remainingIntents: number;
  /** Policy versions that keep their texts, because permits and records contain the hashes of these versions. */
  remainingPolicies: number;
}

/** Records per transaction: few enough that no other writer waits long. */
const PAGE = 200;

/**
 * Erases a person from a project. Intents whose own words name the person lose all their texts. Where the person had a
 * part in an intent, the person's ID replaces the address. Records that the person caused lose the person's name and
 * words. A person who is no longer a member of any project is also erased as a user.
 * Works in small steps: the time grows with the number of intents and records. After an interruption, the call can be
 * repeated.
 * @param input.person Email address, or ID of a user.
 * @throws GateError `project_not_found`, `forbidden`, `invalid_fields`, `not_found` for an unknown ID, `conflict` while
 * the person is a member of the project
 */
export async function erasePerson(
  gate: PersonErasureDeps,
  caller: Caller,
  { projectId, person: named }: { projectId: string; person: string },
): Promise<PersonErasure> {
  assertScope(caller, 'texts:erase', projectId);
  const person = await findPerson(gate, named);
  const subject = { projectId, subject: 'person', subjectId: person.userId } as const;
  await changeProject(gate, caller, projectId, 'texts:erase', async ({ tx, now, caller: by }) => {
    const isMember = (await tx.listMembers(projectId)).some(({ email }) => email === person.email);
    if (isMember) {
      throw new GateError('conflict', `${person.email} is a member of this project; remove them first.`, {});
    }
    await recordErasure(gate, tx, { ...subject, by, at: now });
    await eraseAccount(tx, projectId, person);
  });
  // The search sees only sealed events. Events from here on no longer involve the person.
  await gate.ledger.sealNow(projectId);
  const { intents, remainingIntents } = await eraseIntents(gate, subject, person);
  await eraseResults(gate, subject, person);
  const records = await eraseRecords(gate, subject, person);
  const answers = await eraseAnswersWith(gate, subject, person.email, (answer) =>
    isOfProject(gate, projectId, answer),
  );
  await forgetUser(gate, subject, person);
  const remainingPolicies = await gate.storage.read.countPoliciesWithText(projectId, person.email);
  const files = await settleFiles(gate, projectId);
  return { intents, records, answers, files, remainingIntents, remainingPolicies };
}

async function findPerson(gate: Pick<PersonErasureDeps, 'storage'>, named: string): Promise<Person> {
  if (named.startsWith('usr_')) {
    const user = await gate.storage.read.findUser(named);
    if (!user?.email.includes('@')) throw notFound('person');
    return { email: user.email, userId: user.id };
  }
  const email = toEmailAddress(named);
  if (email === undefined) throw invalidFields({ path: '/person', message: EMAIL_RULE });
  return { email, userId: (await gate.storage.read.findUserByEmail(email))?.id ?? null };
}

async function eraseAccount(
  tx: ErasureWriter & InvitationWriter & NotificationWriter,
  projectId: string,
  { email, userId }: Person,
): Promise<void> {
  await tx.eraseInvitee(projectId, email, userId ?? 'erased');
  if (userId === null) return;
  await tx.eraseKeyNames(projectId, userId);
  await tx.eraseNotificationsOfMember(projectId, userId);
  await tx.eraseAuthor(projectId, email, userId);
}

/** Runs last, because every earlier step finds the person by this address. */
async function forgetUser(
  gate: PersonErasureDeps,
  subject: ErasureSubject,
  { userId, email }: Person,
): Promise<void> {
  if (userId === null) return;
  await gate.storage.transaction(async (tx) => {
    if (!(await tx.eraseUser(userId))) return;
    await markUnfinished(gate, tx, subject);
    await tx.deleteSessions(userId);
    await tx.deleteSignIn(userId);
    await forgetKnownAddresses(tx, email);
    await tx.deletePasskeysOf(userId);
    await tx.deleteDeviceKeysOf(userId);
    await tx.deletePairingsOf(userId);
    await tx.deleteProofSessionsOf(userId);
    await tx.eraseNotifiedPerson(userId);
  });
}

async function eraseIntents(
  gate: PersonErasureDeps,
  subject: ErasureSubject,
  person: Person,
): Promise<{ intents: number; remainingIntents: number }> {
  const count = { intents: 0, remainingIntents: 0 };
  for (let from: number | null = 0; from !== null; ) {
    const found = await gate.storage.read.findIntentsWithText(subject.projectId, person.email, from);
    from = found.next;
    for (const intentId of found.items) {
      const outcome = await gate.storage.transaction(async (tx) => {
        const found = await eraseFrom(tx, gate.clock.now(), intentId, person);
        if (found === 'erased') await markUnfinished(gate, tx, subject);
        return found;
      });
      if (outcome === 'erased') count.intents += 1;
      if (outcome === 'open') count.remainingIntents += 1;
    }
    await yieldToEventLoop();
  }
  return count;
}

/** Erases tool results that name the person. The record of the call and its outcome remain. */
async function eraseResults(
  gate: PersonErasureDeps,
  subject: ErasureSubject,
  { email }: Person,
): Promise<void> {
  const { projectId } = subject;
  for (let from: number | null = 0; from !== null; ) {
    const found = await gate.storage.read.findConnectorRequestsWithText(projectId, email, from);
    from = found.next;
    for (const requestId of found.items) {
      await gate.storage.transaction(async (tx) => {
        await markUnfinished(gate, tx, subject);
        await tx.eraseConnectorRequest(requestId, gate.clock.now());
      });
    }
    await yieldToEventLoop();
  }
}

async function eraseFrom(
  tx: ApprovalReader &
    AuditReader &
    ConnectorRequestWriter &
    ErasureWriter &
    IntentReader &
    MockRecordWriter &
    OutboxWriter,
  now: string,
  intentId: string,
  person: Person,
): Promise<'erased' | 'open' | 'not named'> {
  const intent = await tx.findIntent(intentId);
  if (!intent) return 'not named';
  const about = isAbout(intent, person);
  if (!about && !hasPartIn(intent, person)) return 'not named';
  if (openUntil(intent, now) !== null) return 'open';
  if (about) await eraseIntentRow(tx, intent, now);
  else await eraseName(tx, intent, person, now);
  return 'erased';
}

async function eraseName(
  tx: AuditReader & ErasureWriter,
  intent: Intent,
  person: Person,
  now: string,
): Promise<void> {
  await tx.eraseIntentTexts(intent, await listPermitIds(tx, intent), withoutPerson(intent, person), now);
  if (person.userId !== null) await tx.eraseApproverName(intent.id, person.userId);
}

async function eraseRecords(
  gate: PersonErasureDeps,
  subject: ErasureSubject,
  person: Person,
): Promise<number> {
  const { projectId } = subject;
  let erased = 0;
  for (let afterSeq = 0; ; ) {
    const page = await gate.storage.read.listSealedEvents({
      projectId,
      order: 'asc',
      afterSeq,
      limit: PAGE,
    });
    const last = page.at(-1);
    if (!last) return erased;
    afterSeq = last.seq;
    const going = page.flatMap((event) => {
      const texts = eventWithoutPerson(event, person);
      return texts ? [{ seq: event.seq, texts }] : [];
    });
    if (going.length > 0) {
      await gate.storage.transaction(async (tx) => {
        await markUnfinished(gate, tx, subject);
        for (const { seq, texts } of going) await tx.eraseEventTexts(projectId, seq, texts);
      });
      erased += going.length;
    }
    await yieldToEventLoop();
  }
}

/**
 * Whether the request was made with a key of this project. A person's session or token can reach many projects, so for
 * those the path decides.
 */
async function isOfProject(
  gate: Pick<PersonErasureDeps, 'storage'>,
  projectId: string,
  { scope }: FoundAnswer,
): Promise<boolean> {
  const [credentialId = '', , path = ''] = scope.split(' ');
  const byPath = path.includes(`/projects/${projectId}/`);
  if (credentialId.startsWith('ses_')) return byPath;
  const key = await gate.storage.read.findKey(credentialId);
  if (!key) return false;
  return key.projectId === null ? byPath : key.projectId === projectId;
}
