/** Related data must exist together: each state with exactly its events, each approval with its permit. */
import {
  type AuditRecord,
  hashJson,
  type JsonObject,
  verifyPermitOffline,
  verifyReceiptOffline,
} from '@permitry/protocol';
import type { Cast } from '../gate/cast.ts';
import { BASE_URL } from '../gate/gate-process.ts';
import type { GateSeen, IntentSeen } from './read-gate.ts';

/** Returns what is half done, in sentences. Empty if nothing is. */
export async function findHalfDone(seen: GateSeen, cast: Cast): Promise<string[]> {
  const findings: string[] = [];
  for (const [id, intent] of seen.intents) {
    const events = seen.events.get(id) ?? [];
    findings.push(...eventProblems(intent, events, seen.recordsAsOf).map((problem) => `${id}: ${problem}`));
    if (intent.listed.status !== 'approved') continue;
    findings.push(...(await permitProblems(intent, seen, cast)).map((problem) => `${id}: ${problem}`));
  }
  for (const id of seen.events.keys()) {
    if (!seen.intents.has(id)) findings.push(`${id}: there are events, and no intent`);
  }
  return [...findings, ...managementProblems(seen)];
}

function eventProblems(
  { listed, onB, permit }: IntentSeen,
  events: readonly AuditRecord[],
  recordsAsOf: string,
): string[] {
  const count = (type: string) => events.filter((event) => event.type === type).length;
  const status = String(listed.status);
  const isApproved = status === 'approved';
  const used = count('permit.consumed');
  const due: [type: string, expected: number][] = [
    ['intent.created', 1],
    ['intent.approved', isApproved ? 1 : 0],
    ['intent.denied', status === 'denied' ? 1 : 0],
    // If an intent expired while the log was being read, its event may be in this log or in the next one.
    [
      'intent.expired',
      status !== 'expired' ? 0 : String(listed.expires_at) < recordsAsOf ? 1 : count('intent.expired'),
    ],
    ['outcome.reported', listed.outcome === null ? 0 : 1],
  ];
  const problems = due
    .filter(([type, expected]) => count(type) !== expected)
    .map(
      ([type, expected]) => `it is ${status} and has ${count(type)} events ${type} instead of ${expected}`,
    );
  const votes = (listed.approvals as { method: string }[]).filter(({ method }) => method !== 'policy').length;
  if ((isApproved || status === 'pending') && count('approval.recorded') !== votes)
    problems.push(`it shows ${votes} votes and has ${count('approval.recorded')} events of votes`);
  if (count('permit.issued') < (isApproved ? 1 : 0) || (!isApproved && count('permit.issued') > 0))
    problems.push(`it is ${status} and has ${count('permit.issued')} events permit.issued`);
  if (count('intent.expired') > 1) problems.push('it expired more than once');
  if (used > 1) problems.push(`it was used ${used} times`);
  if (count('permit.revoked') > 1) problems.push('it was revoked more than once');
  if (isApproved) {
    const left = count('permit.revoked') > 0 ? 'revoked' : used > 0 ? 'already_used' : 'valid';
    // After a permit's lifetime, the gate reports only that it has expired.
    const isPast = permitEnds(onB) < new Date().toISOString();
    const expected = isPast || left === 'valid' ? [left, 'expired'] : [left];
    if (!expected.includes(permit ?? ''))
      problems.push(`its permit is ${permit}, by its events ${expected.join(' or ')}`);
  }
  if (listed.outcome !== null && used === 0) problems.push('it has an outcome and was never used');
  return problems;
}

/** When the shown permit expires. If none is shown: never. */
function permitEnds(onB: IntentSeen['onB']): string {
  return String((onB?.permit as { expires_at?: string } | undefined)?.expires_at ?? '9999');
}

/** Permit and receipt exist, are signed by this gate, and contain what was approved. */
async function permitProblems(
  { listed, onA, onB }: IntentSeen,
  seen: GateSeen,
  cast: Cast,
): Promise<string[]> {
  const problems: string[] = [];
  const permit = onB?.permit as { token?: string; approved_at?: string } | undefined;
  const receipt = onA?.receipt_v2 as Record<string, unknown> | undefined;
  if (!permit?.token || !receipt) return ['it is approved without permit or receipt'];
  if (onA?.permit_token !== permit.token) problems.push('the surfaces show different permits');
  const jwks = seen.jwks as unknown as Parameters<typeof verifyPermitOffline>[1]['jwks'];
  const checked = await verifyPermitOffline(permit.token, {
    jwks,
    issuer: BASE_URL,
    audience: cast.projectId,
    mode: 'test',
    action: String(listed.action),
    params: listed.context as JsonObject,
  });
  if (!checked.ok && checked.reason !== 'expired') problems.push(`its permit is ${checked.reason}`);
  if (checked.ok && checked.claims.txn !== listed.id) problems.push('its permit is of another intent');
  const evidence = await verifyReceiptOffline(String(receipt.jws), { jwks, issuer: BASE_URL });
  if (!evidence.ok) problems.push(`its receipt is ${evidence.reason}`);
  if (receipt.intent_id !== listed.id) problems.push('its receipt is of another intent');
  if (receipt.params_hash !== hashJson(listed.context as JsonObject))
    problems.push('its receipt is of other parameters');
  return problems;
}

/** Exactly one event created each managed thing, and each such event created something. */
function managementProblems(seen: GateSeen): string[] {
  const named = (type: string, member: string, others: (data: JsonObject) => boolean = () => false) =>
    seen.records
      .filter((record) => record.type === type && !others(record.data))
      .map((record) => String(record.data[member]))
      .sort();
  const same = (what: string, there: Iterable<unknown>, told: readonly string[]) => {
    const found = [...there].map(String).sort();
    return found.join() === told.join()
      ? []
      : [`${what}: ${found.length} are there, ${told.length} were recorded`];
  };
  // The first version was created with the project itself.
  const versions = seen.policies.map(({ version }) => Number(version)).filter((version) => version > 1);
  return [
    ...same('agents', seen.agents.keys(), named('agent.registered', 'agent_id')),
    ...same(
      'keys',
      seen.keys.keys(),
      named('key.created', 'key_id', ({ kind }) => kind === 'user'),
    ),
    ...same('policies', versions, named('policy.updated', 'version')),
    ...[...seen.keys].flatMap(([id, key]) => {
      const recorded = named('key.revoked', 'key_id').filter((revoked) => revoked === id).length;
      return recorded === (key.revoked_at === null ? 0 : 1)
        ? []
        : [`key ${id}: ${recorded} events of its revocation`];
    }),
  ];
}
